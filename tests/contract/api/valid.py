"""A valid request for every public method: what the fuzzer starts from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from google.protobuf import message_factory
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as game
from ludolog.api.gateway.v1 import play_pb2, players_pb2, replays_pb2, rulebooks_pb2, tables_pb2
from ludolog.kernel import Chance, wire
from tests.contract.api.target import RULEBOOK, Target

FILES = (play_pb2, players_pb2, replays_pb2, rulebooks_pb2, tables_pb2)
NUMBERS_TO = 10**12


@dataclass(frozen=True)
class Method:
    """One method of the public API."""

    path: str
    request: type[Message]
    response: type[Message]
    client_streaming: bool
    server_streaming: bool

    @property
    def name(self) -> str:
        """As in PlayService/SubmitCommand."""
        return self.path.rpartition(".")[2]


METHODS = {
    method.name: method
    for method in (
        Method(
            f"/{service.full_name}/{one.name}",
            message_factory.GetMessageClass(one.input_type),
            message_factory.GetMessageClass(one.output_type),
            one.client_streaming,
            one.server_streaming,
        )
        for file in FILES
        for service in file.DESCRIPTOR.services_by_name.values()
        for one in service.methods
    )
}
Make: TypeAlias = Callable[[Target, Chance], Message]


def some_id(chance: Chance) -> str:
    """A command or request id: often one that was used before."""
    return f"id-{chance.choose('id', range(200))}" if chance.choose("old", (True, False)) else f"id-{number(chance)}"


def number(chance: Chance) -> int:
    """A number that was hardly used before."""
    return chance.choose("number", range(NUMBERS_TO))


def seat_name(target: Target, chance: Chance) -> str:
    """A seat of one of the matches."""
    match = chance.choose("match", (target.live, target.private, target.finished))
    return f"{match}/seats/{chance.choose('seat', (1, 2, 3))}"


def some_command(chance: Chance) -> AnyMessage:
    """A command that a seat may make at some time."""
    command = chance.choose(
        "command",
        (
            game.OpenChamber(owner=chance.choose("owner", (1, 2, 3)), slot=chance.choose("slot", (1, 2, 3, 4, 5))),
            game.MakeClaim(team=game.TEAM_ADVENTURERS),
            game.MakeClaim(gold=chance.choose("gold", (0, 1, 2))),
            game.PointAt(owner=chance.choose("owner", (1, 2, 3))),
        ),
    )
    holder = game.Command()
    field = {"OpenChamber": "open_chamber", "MakeClaim": "make_claim", "PointAt": "point_at"}[command.DESCRIPTOR.name]
    getattr(holder, field).CopyFrom(command)
    return wire.pack(holder)


def _create_table(target: Target, chance: Chance) -> Message:
    return tables_pb2.CreateTableRequest(
        rulebook=f"rulebooks/{RULEBOOK}",
        options=wire.pack(game.Options(memory_mode=chance.choose("memory", (True, False)))),
        seat_count=chance.choose("seats", (3, 5, 10)),
        visibility=tables_pb2.TableVisibility.ValueType(chance.choose("visibility", (0, 1, 2))),
        decision_time=Duration(seconds=chance.choose("time", (0, 60, 3600))),
        request_id=some_id(chance),
    )


def _table(target: Target, chance: Chance) -> str:
    return chance.choose("table", (target.table, target.invited_table, target.closed_table))


def _match(target: Target, chance: Chance) -> str:
    return chance.choose("match", (target.live, target.private, target.finished))


def _replay(target: Target, chance: Chance) -> str:
    return _match(target, chance).replace("matches/", "replays/")


def _perspective(chance: Chance) -> replays_pb2.Perspective:
    return chance.choose(
        "perspective",
        (
            replays_pb2.Perspective(),
            replays_pb2.Perspective(spectator=True),
            replays_pb2.Perspective(seat=2),
            replays_pb2.Perspective(omniscient=True),
        ),
    )


VALID: Mapping[str, Make] = {
    "PlayService/SubmitCommand": lambda target, chance: play_pb2.SubmitCommandRequest(
        name=seat_name(target, chance), command_id=some_id(chance), command=some_command(chance)
    ),
    "PlayService/ListLegalCommands": lambda target, chance: play_pb2.ListLegalCommandsRequest(
        name=seat_name(target, chance)
    ),
    "PlayService/GetView": lambda target, chance: play_pb2.GetViewRequest(name=seat_name(target, chance)),
    # Resigning would end the matches that the others need: only where it is over.
    "PlayService/Resign": lambda target, chance: play_pb2.ResignRequest(
        name=f"{target.finished}/seats/{chance.choose('seat', (1, 2, 3))}", command_id=some_id(chance)
    ),
    "PlayService/Play": lambda target, chance: play_pb2.PlayRequest(
        open=play_pb2.PlayRequest.Open(
            name=seat_name(target, chance), from_sequence=chance.choose("from", (0, 1, 2, 3))
        )
    ),
    "WatchService/Watch": lambda target, chance: play_pb2.WatchRequest(
        name=_match(target, chance), from_sequence=chance.choose("from", (0, 1, 2, 3))
    ),
    "WatchService/ListLiveMatches": lambda *_: play_pb2.ListLiveMatchesRequest(page_size=1),
    "MatchService/ListMyMatches": lambda *_: play_pb2.ListMyMatchesRequest(page_size=1),
    "MatchService/GetMatch": lambda target, chance: play_pb2.GetMatchRequest(name=_match(target, chance)),
    "PlayerService/SignInGuest": lambda *_: players_pb2.SignInGuestRequest(display_name="Somebody"),
    "PlayerService/SignInHousePlayer": lambda *_: players_pb2.SignInHousePlayerRequest(
        display_name="Somebody", house_secret="a guess"
    ),
    "PlayerService/RefreshToken": lambda *_: players_pb2.RefreshTokenRequest(),
    "PlayerService/DeletePlayer": lambda *_: players_pb2.DeletePlayerRequest(name="players/p-" + "a" * 26),
    "PlayerService/GetPlayer": lambda *_: players_pb2.GetPlayerRequest(name="players/me"),
    "ReplayService/ListReplays": lambda *_: replays_pb2.ListReplaysRequest(page_size=1),
    "ReplayService/GetReplay": lambda target, chance: replays_pb2.GetReplayRequest(name=_replay(target, chance)),
    "ReplayService/GetFrame": lambda target, chance: replays_pb2.GetFrameRequest(
        name=_replay(target, chance), sequence=chance.choose("sequence", (0, 1, 2)), perspective=_perspective(chance)
    ),
    "ReplayService/StreamFrames": lambda target, chance: replays_pb2.StreamFramesRequest(
        name=_replay(target, chance), perspective=_perspective(chance), frames_per_second=1000
    ),
    "ReplayService/ExportReplay": lambda target, chance: replays_pb2.ExportReplayRequest(name=_replay(target, chance)),
    "ReplayService/VerifyReplay": lambda target, chance: replays_pb2.VerifyReplayRequest(name=_replay(target, chance)),
    "RulebookService/ListRulebooks": lambda *_: rulebooks_pb2.ListRulebooksRequest(page_size=1),
    "RulebookService/GetRulebook": lambda *_: rulebooks_pb2.GetRulebookRequest(name=f"rulebooks/{RULEBOOK}"),
    "TableService/CreateTable": _create_table,
    "TableService/GetTable": lambda target, chance: tables_pb2.GetTableRequest(name=_table(target, chance)),
    "TableService/ListTables": lambda *_: tables_pb2.ListTablesRequest(page_size=1),
    "TableService/WatchTables": lambda *_: tables_pb2.WatchTablesRequest(),
    "TableService/JoinTable": lambda target, chance: tables_pb2.JoinTableRequest(
        name=_table(target, chance), entropy=b"e" * 16, invite_code=target.invite_code, request_id=some_id(chance)
    ),
    "TableService/LeaveTable": lambda target, chance: tables_pb2.LeaveTableRequest(
        name=_table(target, chance), request_id=some_id(chance)
    ),
    "TableService/AddBots": lambda target, chance: tables_pb2.AddBotsRequest(
        name=_table(target, chance), count=1, request_id=some_id(chance)
    ),
    "TableService/StartTable": lambda target, chance: tables_pb2.StartTableRequest(
        name=_table(target, chance), request_id=some_id(chance)
    ),
    "TableService/CreateTicket": lambda _, chance: tables_pb2.CreateTicketRequest(
        rulebook=f"rulebooks/{RULEBOOK}", seat_count=10, entropy=b"e" * 16, request_id=some_id(chance)
    ),
    "TableService/GetTicket": lambda target, _: tables_pb2.GetTicketRequest(name=target.ticket),
    "TableService/CancelTicket": lambda target, chance: tables_pb2.CancelTicketRequest(
        name=target.ticket, request_id=some_id(chance)
    ),
}
