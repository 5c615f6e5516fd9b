"""The front door: The Warlock of Firetop Mountain as a value of functions bound to checked content."""

from __future__ import annotations

from functools import partial

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Content, Length, Rulebook, messages_of
from ludolog.rulebooks.warlock_of_firetop_mountain import position, rules
from ludolog.rulebooks.warlock_of_firetop_mountain.board_text import draw
from ludolog.rulebooks.warlock_of_firetop_mountain.bot import explorer
from ludolog.rulebooks.warlock_of_firetop_mountain.determinize import determinize
from ludolog.rulebooks.warlock_of_firetop_mountain.evolve import evolve
from ludolog.rulebooks.warlock_of_firetop_mountain.feed import feed
from ludolog.rulebooks.warlock_of_firetop_mountain.options import ROUNDS, SCHEMA
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.awaiting import awaiting
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.game_end import outcome
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.legal import legal_commands
from ludolog.rulebooks.warlock_of_firetop_mountain.rules.set_up import set_up
from ludolog.rulebooks.warlock_of_firetop_mountain.state import BLANK, SEATS, EndReason, Game
from ludolog.rulebooks.warlock_of_firetop_mountain.tables import read_tables
from ludolog.rulebooks.warlock_of_firetop_mountain.telling import tell
from ludolog.rulebooks.warlock_of_firetop_mountain.view import may_recall, secrets, view

DECISION_MS = 120_000
MOVES_A_TURN = 60
"""Far more than any turn takes: a long battle, claims, cards left behind."""


def load(content: Content) -> Rulebook[Game]:
    """Bind the rules to content. ValueError where the content doesn't check."""
    tables = read_tables(content)
    return Rulebook(
        name="warlock_of_firetop_mountain",
        title="The Warlock of Firetop Mountain",
        summary="Adventurers race through a mountain of monsters for the three keys of the Warlock's chest. 2 to 6.",
        rules_version="1.2.0",
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
        view=partial(view, tables),
        feed=feed,
        determinize=partial(determinize, tables),
        outcome=outcome,
        position=position.position,
        from_position=partial(position.from_position, tables),
        may_recall=may_recall,
        secrets=partial(secrets, tables),
        board_text=partial(draw, tables),
        bots={"explorer": partial(explorer, tables)},
        components=tables.components,
        endings=tuple(EndReason.__members__),
        longest_match=ROUNDS[-1] * SEATS[-1] * MOVES_A_TURN,
        tell=partial(tell, tables),
        printed=tables.printed,
        length=Length("turns", lambda game: game.turn.number),
        default_decision_ms=DECISION_MS,
    )
