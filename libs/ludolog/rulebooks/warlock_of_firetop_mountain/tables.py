"""Cards and printed tables, read from content files and checked: kinds, counts, references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from ludolog.api.games.warlock_of_firetop_mountain.v1 import warlock_of_firetop_mountain_pb2 as pb
from ludolog.kernel import Component, Content
from ludolog.kernel.reading import check_sources, component, number, toml
from ludolog.rulebooks.warlock_of_firetop_mountain import checks
from ludolog.rulebooks.warlock_of_firetop_mountain.amounts import ENCOUNTER, TREASURE, amounts, text
from ludolog.rulebooks.warlock_of_firetop_mountain.board import Board, plain_name, read_board
from ludolog.rulebooks.warlock_of_firetop_mountain.state import DataSet, Settings

FILES = (
    *("board.toml", "box.toml", "encounters.toml", "optional.toml", "tables.toml", "treasures.toml"),
    *("two_hour.toml", "wide.toml"),
)
PARTS = {
    "board.toml": "board",
    "two_hour.toml": "board",
    "wide.toml": "board",
    "encounters.toml": "Encounter Cards",
    "treasures.toml": "Treasure Cards",
    "tables.toml": "Escape Table, bridge and prices",
}
"""What a player calls the content of a file."""
OPTIONS = ("more_looks", "lesser_warlock")
"""Options by which cards are different: those of optional.toml."""
CROSSINGS = ("fall", "stay", "across")
LOSSES = ("skill", "stamina", "luck", "gold", "provisions")
"""Penalties of the Escape Table that take an amount off the sheet."""
PENALTIES = (*LOSSES, "lantern", "card", "unharmed")
PRICES = {
    *("ferry", "beggar", "hexmaster", "shylock_card", "shylock_pays", "shylock_look"),
    *("trader_treasure", "trader_provisions"),
}


@dataclass(frozen=True, slots=True)
class Treasure:
    """A Treasure Card."""

    id: str
    title: str
    kind: str
    numbers: tuple[int, ...] = ()
    amount: int = 0
    bonus: int = 0
    special: str = ""
    effect: str = ""
    amounts: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def called(self) -> str:
        """Its title, and the numbers of its keys or its bonus: bunches and magic swords look alike without."""
        bonus = f"+{self.bonus}" if self.bonus else ""
        return f"{self.title} {bonus}{'-'.join(map(str, self.numbers))}".strip()

    @property
    def is_key(self) -> bool:
        """A bunch or a Skeleton Key (11.2)."""
        return self.kind in {"keys", "skeleton"}

    @property
    def is_money(self) -> bool:
        """Gold or Provisions: handed in when discovered (8.2)."""
        return self.kind in {"gold", "provisions"}


@dataclass(frozen=True, slots=True)
class Encounter:
    """An Encounter Card; `room` is set for the fixed ones."""

    id: str
    title: str
    kind: str
    skill: int = 0
    stamina: int = 0
    undead: bool = False
    special: str = ""
    room: str = ""
    bars_reentry: bool = False
    effect: str = ""
    amounts: Mapping[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Penalty:
    """What an Escape costs (10.2): so much of the sheet, the lantern, a card; `otherwise` for who has none to lose."""

    kind: str
    amount: int = 0
    otherwise: Penalty | None = None

    @property
    def name(self) -> str:
        """As the log has it: "stamina_4", "lantern"."""
        return f"{self.kind}_{self.amount}" if self.amount else self.kind


@dataclass(frozen=True, eq=False)
class Tables:
    """Everything that is printed. One for each content and choice of cards, told apart by identity."""

    boards: Mapping[DataSet, Board]
    treasures: dict[str, Treasure]
    encounters: dict[str, Encounter]
    """Cards by id, and the crocodile, which is no card."""
    fixed: Mapping[str, Encounter]
    """Fixed encounters by room."""
    escape: tuple[Penalty, ...]
    """Penalty of each face, 1 first."""
    bridge: tuple[str, ...]
    """Result of each face, 1 first."""
    raft: tuple[str, str]
    """Result for the Unlucky, and for the Lucky."""
    price: Mapping[str, int]
    components: tuple[Component, ...]
    reconstructed: tuple[str, ...]
    """Parts of which something is a reconstruction, the cards of options aside."""
    variants: Mapping[tuple[bool, ...], Tables] = field(default_factory=dict, repr=False)
    """The same with other cards, by the values of OPTIONS."""

    def played(self, settings: Settings | pb.View) -> Tables:
        """The tables with the cards that a table chose to play with."""
        return self.variants.get(tuple(getattr(settings, option) for option in OPTIONS), self)

    def place(self, space: str) -> str:
        """What a space is called for short: a room by its title where it has one, the same on every board."""
        board = next(iter(self.boards.values()))
        if space in (board.entrance, board.south_bank, board.north_bank):
            return board.names[space]
        return (board.rooms[space].title if space in board.rooms else "") or plain_name(space)

    @property
    def shuffled(self) -> tuple[str, ...]:
        """Ids of the Encounter Cards that are shuffled, in order."""
        return tuple(card.id for card in self.encounters.values() if not card.room and card.id != "CROCODILE")

    @cached_property
    def printed(self) -> pb.Printed:
        """The boards and the names of the cards, for the drawing."""
        return pb.Printed(
            cards=self.card_messages.values(),
            encounters=self.encounter_messages.values(),
            boards=[
                pb.PrintedBoard(data_set=pb.DataSet.ValueType(data_set), board=board.message)
                for data_set, board in self.boards.items()
            ],
            reconstructed=self.reconstructed,
            options=map(self._printed_option, OPTIONS if self.variants else ()),
        )

    def _printed_option(self, option: str) -> pb.PrintedOption:
        """The cards that are different by an option alone."""
        other = self.variants[tuple(one == option for one in OPTIONS)]
        return pb.PrintedOption(
            option=option,
            cards=[card for name, card in other.card_messages.items() if card != self.card_messages[name]],
            encounters=[
                card for name, card in other.encounter_messages.items() if card != self.encounter_messages[name]
            ],
        )

    @cached_property
    def card_messages(self) -> dict[str, pb.Card]:
        """Treasure Cards, face up, as messages that nobody changes."""
        return {
            card.id: pb.Card(
                id=card.id,
                title=card.title,
                kind=pb.CardKind.Value(f"CARD_KIND_{card.kind.upper()}"),
                numbers=card.numbers,
                effect=card.effect,
            )
            for card in self.treasures.values()
        }

    @cached_property
    def encounter_messages(self) -> dict[str, pb.EncounterCard]:
        """Encounter Cards, face up, as messages that nobody changes."""
        return {
            card.id: pb.EncounterCard(
                id=card.id,
                title=card.title,
                kind=pb.EncounterKind.Value(f"ENCOUNTER_KIND_{card.kind.upper()}"),
                skill=card.skill,
                stamina=card.stamina,
                undead=card.undead,
                effect=card.effect,
            )
            for card in self.encounters.values()
        }


def read_tables(content: Content) -> Tables:
    """Read and check the content. ValueError names the file and what doesn't add up."""
    files = {name: toml(content, name) for name in FILES}
    for name, file in files.items():
        check_sources(name, _rows(file))
    prices = {row["key"]: row["gold"] for row in files["tables.toml"]["price"]}
    _check_prices(prices)
    treasures = {row["id"]: _treasure(row, prices) for row in files["treasures.toml"]["treasure"]}
    cards = [_encounter(row, prices) for row in files["encounters.toml"]["encounter"]]
    crocodile = _encounter(files["encounters.toml"]["crocodile"], prices)
    raft = files["tables.toml"].get("raft", {})
    tables = Tables(
        boards={
            data_set: read_board(files["board.toml"], files[f"{data_set.name.lower()}.toml"]) for data_set in DataSet
        },
        treasures=treasures,
        encounters={card.id: card for card in (*cards, crocodile)},
        fixed={card.room: card for card in cards if card.room},
        escape=tuple(_penalty(row) for row in _by_die(files["tables.toml"], "escape")),
        bridge=tuple(_one_of(row, "result", CROSSINGS) for row in _by_die(files["tables.toml"], "bridge")),
        raft=(_one_of(raft, "unlucky", CROSSINGS), _one_of(raft, "lucky", CROSSINGS)),
        price=prices,
        components=tuple(map(component, files["box.toml"]["component"])),
        reconstructed=_reconstructed(files),
    )
    _check_cards(tables, len(cards), len(files["treasures.toml"]["treasure"]))
    return replace(tables, variants=_variants(tables, files["optional.toml"]))


def _variants(tables: Tables, file: Mapping[str, Any]) -> dict[tuple[bool, ...], Tables]:
    """Tables for each choice of options but none. Other cards are of the same ids, and fixed in the same rooms."""
    rows = [row for kind in ("treasure", "encounter") for row in file.get(kind, ())]
    if strange := [row["id"] for row in rows if row.get("option") not in OPTIONS]:
        raise ValueError(f"optional.toml: {', '.join(strange)}: option is one of {', '.join(OPTIONS)}")
    checks.once("optional.toml", [row["id"] for row in rows])
    found = {}
    for chosen in product((False, True), repeat=len(OPTIONS)):
        on = {option for option, value in zip(OPTIONS, chosen, strict=True) if value}
        prices = tables.price
        treasures = {row["id"]: _treasure(row, prices) for row in file.get("treasure", ()) if row["option"] in on}
        encounters = {row["id"]: _encounter(row, prices) for row in file.get("encounter", ()) if row["option"] in on}
        cards = tables.encounters | encounters
        variant = replace(
            tables,
            treasures=tables.treasures | treasures,
            encounters=cards,
            fixed={card.room: card for card in cards.values() if card.room},
        )
        _check_cards(variant, len(tables.encounters) - 1, len(tables.treasures))
        if on:
            found[chosen] = variant
    return found


def _reconstructed(files: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    parts = [
        part for name, part in PARTS.items() if any(row["source"] == "reconstruction" for row in _rows(files[name]))
    ]
    return tuple(dict.fromkeys(parts))


def _rows(file: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for value in file.values() for row in (value if isinstance(value, list) else (value,))]


def _treasure(row: Mapping[str, Any], prices: Mapping[str, int]) -> Treasure:
    kind, numbers, special = row["kind"], tuple(row.get("numbers", ())), row.get("special", "")
    checks.special("treasures.toml", checks.TREASURES, row)
    if (kind == "keys") != (len(set(numbers)) == 3 and set(numbers) <= set(range(1, 10))):  # noqa: PLR2004 - 11.2
        raise ValueError(f"treasures.toml: a bunch has three different numbers, 1 to 9: {dict(row)}")
    known = amounts(row, TREASURE.get(special or kind, {}))
    return Treasure(
        id=row["id"],
        title=text(row, "title", known, {}),
        kind=kind,
        numbers=numbers,
        amount=known.get("amount", 0),
        bonus=known.get("bonus", 0),
        special=special,
        effect=text(row, "effect", known, prices),
        amounts=known,
    )


def _encounter(row: Mapping[str, Any], prices: Mapping[str, int]) -> Encounter:
    kind, special = row["kind"], row.get("special", "")
    checks.special("encounters.toml", checks.ENCOUNTERS, row)
    checks.room(row)
    creature, known = kind == "creature", amounts(row, ENCOUNTER.get(special, {}))
    return Encounter(
        id=row["id"],
        title=text(row, "title", known, {}),
        kind=kind,
        skill=number(row, "skill", 1, checks.HIGHEST_SKILL) if creature else 0,
        stamina=number(row, "stamina", 1, checks.HIGHEST_STAMINA) if creature else 0,
        undead=row.get("undead", False),
        special=special,
        room=row.get("room", ""),
        bars_reentry=row.get("bars_reentry", False),
        effect=text(row, "effect", known, prices),
        amounts=known,
    )


def _by_die(file: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The rows of a printed table in the order of the die."""
    rows = sorted(file.get(name, ()), key=lambda row: str(row.get("die")))
    if [row.get("die") for row in rows] != list(range(1, 7)):
        raise ValueError(f"tables.toml: {name}: a row for each of 1 to 6")
    return rows


def _one_of(row: Mapping[str, Any], field: str, known: tuple[str, ...]) -> str:
    value = row.get(field)
    if value not in known:
        raise ValueError(f"tables.toml: {field} needs one of {', '.join(known)}: {dict(row)}")
    return str(value)


def _penalty(row: Mapping[str, Any]) -> Penalty:
    kind, otherwise = _one_of(row, "penalty", PENALTIES), row.get("otherwise")
    if (kind in LOSSES) != ("amount" in row):
        raise ValueError(f"tables.toml: {', '.join(LOSSES)} need an amount, nothing else has one: {dict(row)}")
    if otherwise and kind not in {"gold", "provisions", "lantern", "card"}:
        raise ValueError(f"tables.toml: otherwise is for who has no gold, provisions, lantern or card: {dict(row)}")
    amount = number(row, "amount", 1) if kind in LOSSES else 0
    return Penalty(kind, amount, _penalty(otherwise) if otherwise else None)


def _check_prices(prices: Mapping[str, int]) -> None:
    if set(prices) != PRICES or any(type(gold) is not int or gold < 0 for gold in prices.values()):
        raise ValueError(f"tables.toml: prices in Gold Pieces for {', '.join(sorted(PRICES))}")


def _check_cards(tables: Tables, encounters: int, treasures: int) -> None:
    """Counts of the box, one treasure and one encounter for each room, each kind there is (1.1, 1.2, A1)."""
    box = {component.key: component.count for component in tables.components}
    checks.box(box)
    if (len(tables.encounters) - 1, encounters) != (box["encounter"],) * 2 or treasures != len(tables.treasures):
        raise ValueError(f"encounters.toml: {box['encounter']} cards of different ids")
    if len(tables.treasures) != box["treasure"]:
        raise ValueError(f"treasures.toml: {box['treasure']} cards of different ids")
    kinds = Counter(card.kind for card in tables.treasures.values())
    checks.kinds(kinds, {card.kind for card in tables.encounters.values()})
    for data_set, board in tables.boards.items():
        rooms = set(board.rooms)
        if not set(tables.fixed) <= rooms or len(tables.fixed) + len(tables.shuffled) != len(rooms) - 1:
            raise ValueError(f"{data_set.name}: one Encounter Card for each room but the Treasure Room")
        if len(rooms) - 2 != len(tables.treasures):
            raise ValueError(f"{data_set.name}: one Treasure Card for each room but Study and Treasure Room")
        if board.treasure_room in tables.fixed or board.study not in tables.fixed or board.lair not in tables.fixed:
            raise ValueError(f"{data_set.name}: Lair and Study hold fixed encounters, the Treasure Room none")
