"""Where matches of the Warlock of Firetop Mountain begin in the middle: by their limit of rounds."""

from typing import Any

FIGHT, MEETING, KNOWING, ON_THE_WAY, ARRIVED, LATE = 10, 11, 12, 13, 14, 15
"""A door away from the Wererat and a treasure; with somebody else, before the roll; with some knowledge; with somebody
else in a move, and after it; before the Warlock's Study, with the keys."""
STRONG = {"skill": 12, "initial_skill": 12, "stamina": 24, "initial_stamina": 24}
TOGETHER = [
    {"seat": 1, "adventurer": {"place": "c12_3", "gold": 3}},
    {"seat": 2, "adventurer": {"place": "c12_3"}},
]
SILENT = {"talks": [0, 3]}
"""Seat 2 has said in this turn whatever it may (RULINGS W2): it answers, and begins nothing."""
BEFORE_THE_STUDY = {
    "seat": 1,
    "adventurer": {"place": "c19_36", **STRONG},
    "rucksack": [{"card": "T01"}, {"card": "T08"}, {"card": "T10"}],
    "key_cards": [1, 3],
    "notebook": {
        "seen": [{"seat": 2, "card": 4}, {"seat": 2, "card": 5}, {"seat": 3, "card": 6}],
        "lacks": [{"seat": 3, "card": card} for card in (2, 7, 9)],
    },
}
"""She carries bunches with a 7 and a 2, and a Skeleton Key. Her notebook leaves three numbers for the chest: of seat 2
she has seen both Key Cards, of seat 3 one, and a blank for each of the three."""
POSITIONS: dict[int, dict[str, Any]] = {
    FIGHT: {
        "players": [{"seat": 1, "adventurer": {"place": "c12_5", **STRONG}}],
        "rooms": [{"id": "R_A", "encounter": "E01", "stack": {"cards": [{"card": "T05"}]}}],
    },
    MEETING: {"players": TOGETHER, **SILENT},
    ON_THE_WAY: {"players": TOGETHER, "turn": {"seat": 1, "die": 2}, **SILENT},
    ARRIVED: {"players": TOGETHER, "window": {"kind": "WINDOW_KIND_ARRIVAL", "seat": 1}, **SILENT},
    KNOWING: {
        "players": [
            {
                "seat": 1,
                "key_cards": [3, 4, 5],
                "notebook": {"seen": [{"seat": 2, "card": "KEY_CARD_6"}], "lacks": [{"seat": 2, "card": "KEY_CARD_9"}]},
            },
            {"seat": 2, "key_cards": [6, 7, 8]},
        ],
        "chest": ["KEY_CARD_1", "KEY_CARD_2", "KEY_CARD_9"],
        "chest_tries": [{"seat": 2, "numbers": [1, 2, 3], "wrong": 1}],
    },
    LATE: {
        "players": [
            BEFORE_THE_STUDY,
            {"seat": 2, "adventurer": {"place": "c12_3"}, "key_cards": [4, 5]},
            {"seat": 3, "adventurer": {"place": "c18_3"}, "key_cards": [6, 8]},
        ],
        "chest": [2, 7, 9],
    },
}
