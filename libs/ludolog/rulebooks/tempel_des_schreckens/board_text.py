"""The table for a plain terminal: 60 columns and more, ANSI colours, one line for each player and what they said."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb

MINIMUM_WIDTH = 60
RESET = "\x1b[0m"
BOLD, DIM = "\x1b[1m", "\x1b[2m"
GOLD, FIRE, EMPTY, CLOSED, KEY = "\x1b[1;33m", "\x1b[1;31m", "\x1b[37m", "\x1b[36m", "\x1b[1;35m"
FACES = {
    pb.CHAMBER_EMPTY: ("empty", EMPTY),
    pb.CHAMBER_GOLD: ("GOLD", GOLD),
    pb.CHAMBER_FIRE: ("FIRE", FIRE),
}
ROLES = {pb.ROLE_ADVENTURER: "adventurer", pb.ROLE_GUARDIAN: "guardian"}
TEAMS = {pb.TEAM_ADVENTURERS: "adventurer", pb.TEAM_GUARDIANS: "guardian"}
ENDINGS = {
    pb.END_REASON_ALL_GOLD: "The last gold chamber was found: the adventurers win.",
    pb.END_REASON_ALL_FIRE: "All fire traps are revealed: the guardians win.",
    pb.END_REASON_TIME_UP: "Four rounds are over and gold is still hidden: the guardians win.",
}
CARD = 6
"""Columns of a card, its gap included."""
NAME = 17
"""Columns in front of the cards."""


def draw(view: pb.View, width: int) -> str:
    """Draw a view in `width` columns (at least 60): head, rows, what was said, what the viewer knows."""
    width = max(width, MINIMUM_WIDTH)
    lines = [*_head(view, width), ""]
    for player in view.players:
        lines.append(_row(view, player))
        lines += [f"{' ' * NAME}{DIM}{line}{RESET}" for line in _wrapped(_notes(view, player), width - NAME)]
    lines += ["", *_foot(view, width)]
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) if text else []


def _head(view: pb.View, width: int) -> Iterator[str]:
    title = f"Tempel des Schreckens · round {view.round} of {view.rounds}"
    left = f"{view.openings_left} to open this round" if not view.ending else "the game is over"
    yield f"{BOLD}{title}{RESET}{' ' * max(width - len(title) - len(left), 1)}{left}"
    yield (
        f"{GOLD}gold {view.opened.gold}/{view.chambers.gold} {_pips(view.opened.gold, view.chambers.gold)}{RESET}   "
        f"{FIRE}fire {view.opened.fire}/{view.chambers.fire} {_pips(view.opened.fire, view.chambers.fire)}{RESET}   "
        f"{EMPTY}empty {view.opened.empty}/{view.chambers.empty}{RESET}"
    )


def _pips(found: int, total: int) -> str:
    return "●" * found + "○" * (total - found)


def _row(view: pb.View, player: pb.View.Player) -> str:
    """Key, number, and the cards: a slot's number where it is face down, its face where it is open."""
    has_key = player.seat == view.key_player
    you = " you" if player.seat == view.own.seat else ""
    name = f"{'key' if has_key else '   '} player {player.seat}{you}"
    cards = "".join(_card(slot, face, _peek(view, player.seat, slot)) for slot, face in enumerate(player.row, 1))
    return f"{KEY if has_key else BOLD}{name:<{NAME}}{RESET}{cards}"


def _peek(view: pb.View, seat: int, slot: int) -> pb.Chamber.ValueType:
    """What an omniscient reader knows of a face-down chamber."""
    return view.hidden.rows[seat - 1].chambers[slot - 1] if view.hidden.rows else pb.CHAMBER_UNSPECIFIED


def _card(slot: int, face: pb.Chamber.ValueType, hidden: pb.Chamber.ValueType) -> str:
    if face:
        word, colour = FACES[face]
        return f"{colour}{word:<{CARD}}{RESET}"
    if hidden:
        word, colour = FACES[hidden]
        return f"{CLOSED}[{slot}{RESET}{colour}{word[0].lower()}{RESET}{CLOSED}]{RESET}  "
    return f"{CLOSED}[ {slot} ]{RESET} "


def _notes(view: pb.View, player: pb.View.Player) -> str:
    notes = []
    if player.role:
        notes.append(f"is {a(ROLES[player.role])}")
    if player.resigned:
        notes.append("has resigned")
    notes += [said(claim) for claim in view.claims if (claim.round, claim.seat) == (view.round, player.seat)]
    for point in view.points:
        if point.seat == player.seat:
            notes.append(f"points at player {point.owner}" + (f", chamber {point.slot}" if point.slot else ""))
    return "; ".join(notes)


def said(claim: pb.Claim | pb.PublicEvent.ClaimMade) -> str:
    """What a claim says, in quotation marks: it may be false."""
    words = [a(TEAMS[claim.team])] if claim.team else []
    words += [f"{getattr(claim, kind)} {kind}" for kind in ("gold", "fire", "empty") if claim.HasField(kind)]
    return f"says: “{', '.join(words)}”"


def a(word: str) -> str:
    """A word with its article."""
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _foot(view: pb.View, width: int) -> Iterator[str]:
    recent = [opening for opening in view.openings if opening.round == view.round]
    if recent:
        story = ", ".join(f"{o.by}→{o.owner}.{o.slot} {FACES[o.chamber][0].lower()}" for o in recent)
        yield from _wrapped(f"Opened this round: {story}", width)
    if view.HasField("own"):
        yield from _wrapped(_own(view), width)
    if view.ending:
        yield from (f"{BOLD}{line}{RESET}" for line in _wrapped(ENDINGS[view.ending], width))


def _own(view: pb.View) -> str:
    text = f"You are player {view.own.seat}, {a(ROLES[view.own.role])}."
    if not view.own.HasField("dealt"):
        return f"{text} What you were dealt you must remember."
    dealt, closed = counted(view.own.dealt), counted(view.own.closed)
    return f"{text} Dealt: {dealt}. Still face down: {closed}; nobody knows which is where."


def counted(counts: pb.Counts) -> str:
    """Chambers of each kind, in words."""
    return f"{counts.gold} gold, {counts.fire} fire, {counts.empty} empty"
