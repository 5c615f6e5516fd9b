"""The front door: Tempel des Schreckens as a value of functions bound to checked content."""

from __future__ import annotations

from functools import partial

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import Content, Length, Rulebook, messages_of
from ludolog.rulebooks.tempel_des_schreckens import position, rules
from ludolog.rulebooks.tempel_des_schreckens.board_text import draw
from ludolog.rulebooks.tempel_des_schreckens.bot import belief
from ludolog.rulebooks.tempel_des_schreckens.determinize import determinize
from ludolog.rulebooks.tempel_des_schreckens.evolve import evolve
from ludolog.rulebooks.tempel_des_schreckens.feed import feed
from ludolog.rulebooks.tempel_des_schreckens.options import SCHEMA
from ludolog.rulebooks.tempel_des_schreckens.rules.game_end import outcome
from ludolog.rulebooks.tempel_des_schreckens.rules.legal import awaiting, legal_commands
from ludolog.rulebooks.tempel_des_schreckens.rules.set_up import set_up
from ludolog.rulebooks.tempel_des_schreckens.state import BLANK, ROUNDS, SEATS, EndReason, Game
from ludolog.rulebooks.tempel_des_schreckens.tables import read_tables
from ludolog.rulebooks.tempel_des_schreckens.telling import tell
from ludolog.rulebooks.tempel_des_schreckens.view import may_recall, secrets, view

DECISION_MS = 180_000
"""RULINGS L2: three minutes, as an opening is talked over by the whole table first."""


def load(content: Content) -> Rulebook[Game]:
    """Bind the rules to content. ValueError where the content doesn't check."""
    tables = read_tables(content)
    return Rulebook(
        name="tempel_des_schreckens",
        title="Tempel des Schreckens",
        summary="Hidden teams in a temple: adventurers look for gold, guardians lead them into fire. Bluff, 3 to 10.",
        rules_version="1.0.0",
        seats=SEATS,
        options_schema=SCHEMA,
        **messages_of(pb),
        state_type=Game,
        blank=BLANK,
        setup=partial(set_up, tables),
        decide=rules.decide,
        evolve=evolve,
        awaiting=awaiting,
        legal_commands=legal_commands,
        view=view,
        feed=feed,
        determinize=determinize,
        outcome=outcome,
        position=position.position,
        from_position=partial(position.from_position, tables),
        may_recall=may_recall,
        secrets=secrets,
        board_text=draw,
        bots={"belief": belief},
        components=tables.components,
        endings=tuple(EndReason.__members__),
        longest_match=1 + ROUNDS * SEATS[-1],
        length=Length("rounds", lambda game: game.round),
        default_decision_ms=DECISION_MS,
        tell=tell,
    )
