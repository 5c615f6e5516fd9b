"""The front door: Beast Hunter as a value of functions bound to checked content."""

from __future__ import annotations

from functools import partial

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Content, Length, Rulebook, messages_of
from ludolog.rulebooks.beast_hunter import position, rules, view
from ludolog.rulebooks.beast_hunter.board_text import draw
from ludolog.rulebooks.beast_hunter.bot import planner
from ludolog.rulebooks.beast_hunter.evolve import evolve
from ludolog.rulebooks.beast_hunter.names import EndReason
from ludolog.rulebooks.beast_hunter.options import SCHEMA
from ludolog.rulebooks.beast_hunter.rules.game_end import outcome
from ludolog.rulebooks.beast_hunter.rules.legal import awaiting, legal_commands
from ludolog.rulebooks.beast_hunter.rules.set_up import set_up
from ludolog.rulebooks.beast_hunter.state import BLANK, SEATS, Game
from ludolog.rulebooks.beast_hunter.tables import read_tables
from ludolog.rulebooks.beast_hunter.telling import tell

LONGEST_MATCH = 5_000
"""Commands of a match. Fourteen days bound everything but the rounds of a combat, which can go on without a hit; that
the dice do so for long is less likely than 4 in 9 for each round."""


def load(content: Content) -> Rulebook[Game]:
    """Bind the rules to content. ValueError where the content doesn't check."""
    tables = read_tables(content)
    return Rulebook(
        name="beast_hunter",
        title="Utopia Engine: Beast Hunter",
        summary="Solo: search the wilds with dice, build towers, forge, and slay three Terrible Beasts in 14 days.",
        rules_version="1.0.0",
        seats=SEATS,
        options_schema=SCHEMA,
        **messages_of(pb),
        state_type=Game,
        blank=BLANK,
        setup=partial(set_up, tables),
        decide=partial(rules.decide, tables),
        evolve=evolve,
        awaiting=awaiting,
        legal_commands=partial(legal_commands, tables),
        view=partial(view.view, tables),
        feed=view.feed,
        determinize=partial(view.determinize, tables),
        outcome=partial(outcome, tables),
        position=position.position,
        from_position=partial(position.from_position, tables),
        may_recall=view.may_recall,
        secrets=view.secrets,
        board_text=draw,
        tell=partial(tell, tables),
        bots={"planner": partial(planner, tables)},
        components=tables.components,
        endings=tuple(EndReason.__members__),
        longest_match=LONGEST_MATCH,
        length=Length("days", lambda game: game.days_crossed),
        default_decision_ms=None,
    )
