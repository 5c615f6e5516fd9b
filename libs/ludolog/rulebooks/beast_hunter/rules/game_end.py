"""Ending the Game, Scoring. Digest 1.13, S1, rulings A19, A30; who resigns keeps the score (RULINGS L2)."""

from __future__ import annotations

from ludolog.api.games.beast_hunter.v1 import beast_hunter_pb2 as pb
from ludolog.kernel import Label, Outcome, Seat, SeatResult
from ludolog.rulebooks.beast_hunter.names import EndReason, Grade
from ludolog.rulebooks.beast_hunter.rules.course import Course
from ludolog.rulebooks.beast_hunter.state import Game
from ludolog.rulebooks.beast_hunter.tables import Tables

EPILOGUES = {
    EndReason.DEATH: "The last wound is one too many. The hunter lies down among the rocks, and isn't afraid any more.",
    EndReason.TRUST_LOST: "The villagers drive the hunter out with stones, straight to the riders in the valley.",
    EndReason.TIME_UP: "The regiment stands before the village. The elders hand over the one who broke the promise.",
    EndReason.VICTORY: "Horns sound in the distance. The elders nod, and Sipporos hides the hunter behind a door.",
    EndReason.RESIGNED: "The hunter leaves the valley by night, and the beasts to the village.",
}


def end_game(course: Course, reason: EndReason) -> None:
    """The game ends, the score is counted; in every ending."""
    won = reason is EndReason.VICTORY
    course.tell(pb.GameEnded(reason=pb.EndReason.ValueType(reason), won=won))
    lines = score_lines(course.tables, course.game, won=won)
    course.tell(pb.ScoreCounted(lines=lines, total=sum(line.points for line in lines)))


def counts(tables: Tables, game: Game) -> dict[str, int]:
    """How many of what each line of the scoring chart counts. Items: each once, used or not (ruling A30)."""
    return {
        "terrible_beasts": sum(region.defeated for region in game.regions),
        "towers": sum(tower.standing for tower in game.towers),
        "mastercraft": game.grades.count(Grade.MASTERCRAFT),
        "standard": game.grades.count(Grade.STANDARD),
        "items": sum(game.crafted),
        "no_hut_lost": int(game.huts_destroyed == 0),
        "days": len(tables.track) - game.days_crossed,
        "hit_points": game.hit_points,
        "doubt": tables.numbers["doubt"] - game.doubt,
    }


def score_lines(tables: Tables, game: Game, *, won: bool) -> list[pb.ScoreLine]:
    """Every line of the chart, in its order; without a win the bonuses are worth nothing."""
    found = counts(tables, game)
    lines = []
    for line in tables.scoring:
        each = line.points if won or not line.only_won else 0
        count = found[line.key]
        lines.append(pb.ScoreLine(key=line.key, title=line.title, count=count, each=each, points=count * each))
    return lines


def outcome(tables: Tables, game: Game) -> Outcome | None:
    """A win ranks first, a loss second; the score is that of the chart."""
    if game.ending is None:
        return None
    won = game.ending is EndReason.VICTORY
    score = sum(line.points for line in score_lines(tables, game, won=won))
    result = SeatResult(Seat(1), 1 if won else 2, won, score)
    return Outcome(game.ending.name, (result,), Label(f"beast.end.{game.ending.name.lower()}", EPILOGUES[game.ending]))
