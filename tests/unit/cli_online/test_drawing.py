"""Updates drawn; legal commands numbered."""

from __future__ import annotations

from dataclasses import replace

from google.protobuf.any_pb2 import Any as AnyMessage

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.match.v1 import match_pb2
from ludolog.cli.drawing import Table
from ludolog.rulebooks import catalogue
from tests.unit.cli_online.terminal import plain_console

RULEBOOK = catalogue.load("tempel_des_schreckens")
KIND = match_pb2.CommandKind
NAMES = {1: "Ann", 2: "[red]Bob[/]"}


def command(label: str, kind: match_pb2.CommandKind.ValueType, *, parameters: int = 0) -> match_pb2.LegalCommand:
    entry = match_pb2.LegalCommand(kind=kind, parameters=[match_pb2.Parameter()] * parameters)
    entry.label.text = label
    return entry


def packed(event: tempel.PublicEvent) -> AnyMessage:
    message = AnyMessage()
    message.Pack(event)
    return message


def test_commands_are_numbered_moves_first_in_columns() -> None:
    console, printed = plain_console()
    legal = [command("say", KIND.COMMAND_KIND_TALK, parameters=1)]
    legal += [command(f"open [{number}]", KIND.COMMAND_KIND_MOVE) for number in range(1, 31)]
    ordered = Table(RULEBOOK, NAMES, console).list_commands(legal)
    assert [entry.label.text for entry in ordered] == [f"open [{number}]" for number in range(1, 31)] + ["say"]
    text = printed.getvalue()
    for number in range(1, 31):
        assert f"{number:>3}  open [{number}]" in text, "brackets are no markup"
    assert "31  say …" in text
    assert len(text.splitlines()) < 20, "many commands share lines"
    assert text.index("Moves") < text.index("Talk")


def test_players_are_called_by_name_in_what_is_chosen_from() -> None:
    entry = command("tell player 2", KIND.COMMAND_KIND_TRADE, parameters=1)
    for text in ("the chest", "player 1", "player 7"):
        entry.parameters[0].choices.choices.add(id=text).label.text = text
    named = Table(RULEBOOK, NAMES, plain_console()[0]).named(entry)
    assert [choice.label.text for choice in named.parameters[0].choices.choices] == ["the chest", "Ann", "player 7"]
    assert [choice.id for choice in named.parameters[0].choices.choices] == ["the chest", "player 1", "player 7"]


def test_an_event_is_told_in_a_line() -> None:
    table = Table(RULEBOOK, NAMES, plain_console()[0])
    opened = tempel.PublicEvent.ChamberOpened(by=3, owner=4, slot=2, chamber=tempel.CHAMBER_GOLD)
    told = table.story(packed(tempel.PublicEvent(chamber_opened=opened)), tempel.View())
    assert told == "player 3 opens chamber 2 of player 4: GOLD."
    taken = table.story(packed(tempel.PublicEvent(key_taken=tempel.PublicEvent.KeyTaken(seat=2))), tempel.View())
    assert taken == "[red]Bob[/] takes the key."
    assert table.story(packed(tempel.PublicEvent()), tempel.View()) == "something that this version doesn't know"
    assert table.story(AnyMessage(type_url="x/y"), tempel.View()) == "x/y"


def test_a_room_without_words_of_its_own_is_told_by_its_fields() -> None:
    table = Table(RULEBOOK, NAMES, plain_console()[0])
    table.rulebook = replace(table.rulebook, tell=None)
    opened = tempel.PublicEvent.ChamberOpened(by=3, owner=4, slot=2, chamber=tempel.CHAMBER_GOLD)
    told = table.story(packed(tempel.PublicEvent(chamber_opened=opened)), tempel.View())
    assert told == "Chamber opened: by 3, owner 4, slot 2, chamber gold"


def test_what_isnt_worth_a_line_is_left_out() -> None:
    console, printed = plain_console()
    table = Table(RULEBOOK, NAMES, console)
    table.rulebook = replace(table.rulebook, tell=lambda _event, _names, _view: "")
    update = match_pb2.Update(sequence=1)
    update.events.append(packed(tempel.PublicEvent(key_taken=tempel.PublicEvent.KeyTaken(seat=2))))
    update.view.Pack(tempel.View(round=1))
    table.draw(update)
    assert "•" not in printed.getvalue()
    assert "1 Ann   2 [red]Bob[/]" in printed.getvalue(), "who is player 1"


def test_who_is_waited_for() -> None:
    update = match_pb2.Update()
    for seat, what in ((2, "open"), (7, "wait")):
        update.awaiting.add(seat=seat).label.text = what
    assert Table(RULEBOOK, NAMES, plain_console()[0]).waiting(update) == "[red]Bob[/]: open; seat 7: wait"
