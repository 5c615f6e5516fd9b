"""Set Up: roles, secret chambers, starting player. Rulings T4, T7, T14."""

from __future__ import annotations

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as pb
from ludolog.kernel import BadInput, Chance, Events
from ludolog.rulebooks.tempel_des_schreckens import words
from ludolog.rulebooks.tempel_des_schreckens.state import Chamber, Counts, RolePack, hand_size
from ludolog.rulebooks.tempel_des_schreckens.tables import Tables


def set_up(tables: Tables, options: pb.Options, seats: int, chance: Chance) -> Events:
    """Set Up 1 to 3 for 3 to 10 players. Draws: "roles", "chambers", "row of seat N", "starting player".

    Refuses a starting player who isn't at the table.
    """
    if not 0 <= options.starting_player <= seats:
        raise BadInput("options.starting_player", f"must be 0 (random) or a seat, 1 to {seats}")
    prepared = pb.GamePrepared(
        seats=seats,
        memory_mode=options.memory_mode,
        roles=words.role_pack(tables.roles[seats]),
        chambers=words.counts(tables.chambers[seats]),
    )
    return (
        prepared,
        define_roles(tables.roles[seats], seats, chance),
        distribute_chambers(tables.chambers[seats], 1, seats, chance),
        pb.KeyTaken(seat=options.starting_player or chance.choose("starting player", range(1, seats + 1))),
    )


def define_roles(pack: RolePack, seats: int, chance: Chance) -> pb.RolesDealt:
    """Set Up 1: one card to each player; with 3, 4, 7, 8 and 10 players one card is over and stays unseen."""
    dealt = words.roles(chance.shuffle("roles", pack.cards()))
    return pb.RolesDealt(roles=dealt[:seats], leftover=dealt[seats] if len(dealt) > seats else pb.ROLE_UNSPECIFIED)


def distribute_chambers(chambers: Counts, round_number: int, seats: int, chance: Chance) -> pb.ChambersDealt:
    """Set Up 2: shuffle and deal; then each owner looks, shuffles again and lays a row that nobody knows.

    The owner's shuffle is a draw of its own, fresh each round: the order of the deal says nothing about the row.
    """
    each = hand_size(round_number)
    deck = chance.shuffle("chambers", chambers.cards())
    hands = [deck[start : start + each] for start in range(0, seats * each, each)]
    rows = [_lay_out(seat, hand, chance) for seat, hand in enumerate(hands, 1)]
    return pb.ChambersDealt(round=round_number, rows=rows)


def _lay_out(seat: int, hand: tuple[Chamber, ...], chance: Chance) -> pb.Row:
    return pb.Row(seat=seat, chambers=words.chambers(chance.shuffle(f"row of seat {seat}", hand)))
