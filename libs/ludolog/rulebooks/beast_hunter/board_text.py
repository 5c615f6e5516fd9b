"""The adventure sheets for a plain terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb


def draw(view: pb.View, width: int) -> str:
    """Draw a view, no wider than `width` columns."""
    return "\n".join(line[:width] for line in _lines(view))


def _lines(view: pb.View) -> Iterator[str]:
    yield f"Day {view.days_crossed + 1} of {len(view.days)}   doubt {view.doubt}/{view.doubt_spaces}"
    yield f"Hit points {view.hit_points}/{view.max_hit_points}   determination {view.determination}"
    for region in view.regions:
        results = ", ".join(str(box.result) for box in region.boxes if box.full)
        yield f"{region.title}: circles {region.tracked}/{region.circles}  results {results or '–'}"
    if view.HasField("roll"):
        yield "Dice " + " ".join(str(die.value) for die in view.roll.dice)
    if view.HasField("combat"):
        yield f"Combat: {view.combat.title} {view.combat.hit_points_left}/{view.combat.hit_points}"
    yield f"Score {view.total}"
