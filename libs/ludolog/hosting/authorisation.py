"""Who may do what, in one place: a rule for each method, and what seats, tables and matches add to it.

The guard looks a call's rule up before its handler runs. A method without a rule is never served. What depends on a
match or a table is decided where its state is, with the functions below.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from ludolog.hosting.errors import PermissionDenied, Unauthenticated
from ludolog.hosting.identity import OPERATOR, Caller, as_player

API = "ludolog.api."
EVERY_METHOD = "*"


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may call a method.

    `player`: a player is signed in. `senders`: the services that may send it, each showing its own identity; none:
    anybody may, the method is public. `handed_on`: they send it for whoever shows a token, or nobody; without, it is
    their own. `operator`: so may an operator. `then`: what is decided beyond that, of the match, table or account that
    the request names.
    """

    player: bool = False
    senders: frozenset[str] = frozenset()
    handed_on: bool = False
    operator: bool = False
    then: str = ""

    def check(self, caller: Caller) -> None:
        """Unauthenticated where nobody has shown who calls, PermissionDenied where somebody else may call."""
        if self.senders:
            self._check_sender(caller)
        if self.player:
            as_player(caller)

    def _check_sender(self, caller: Caller) -> None:
        sender = caller.sender if self.handed_on else caller.service
        if sender in self.senders or (self.operator and OPERATOR in caller.roles):
            return
        if not (caller.player_id or caller.sender or caller.roles):
            raise Unauthenticated("only services may do this", reason="NOT_A_SERVICE")
        raise PermissionDenied("only services may do this", reason="NOT_A_SERVICE")


ANYBODY = Rule()


def _public(*, player: bool = False, then: str = "") -> Rule:
    return Rule(player=player, then=then)


def _handed_on(*senders: str, player: bool = False, then: str = "") -> Rule:
    return Rule(player=player, senders=frozenset(senders), handed_on=True, then=then)


def _services(*senders: str, operator: bool = False, then: str = "") -> Rule:
    return Rule(senders=frozenset(senders), operator=operator, then=then)


def _then(rule: Rule, then: str) -> Rule:
    return replace(rule, then=then)


SEAT = "the seat's owner"
EYES = "the seat's owner before the end, anybody after it; spectators as the table's policy says"
WATCHER = "the seat's owner; spectators as the table's policy says"
MATCH = "who plays, or anybody, as the table's policy says"
HOST = "the table's host"
TABLE = "who sits there, whoever has the invite code; public tables are everybody's"
OWN = "the player's own"


def _of(package: str, service: str, rules: Mapping[str, Rule]) -> dict[str, Rule]:
    return {f"/{API}{package}.v1.{service}/{method}": rule for method, rule in rules.items()}


def _tables(anybody: Rule, player: Rule) -> dict[str, Rule]:
    """The rules of tables and queues: the same for the public service and for the one behind it."""
    return {
        "CreateTable": player,
        "GetTable": _then(anybody, TABLE),
        "ListTables": _then(anybody, TABLE),
        "WatchTables": _then(anybody, TABLE),
        "JoinTable": _then(player, TABLE),
        "LeaveTable": _then(player, OWN),
        "AddBots": _then(player, HOST),
        "StartTable": _then(player, HOST),
        "CreateTicket": player,
        "GetTicket": _then(player, OWN),
        "CancelTicket": _then(player, OWN),
    }


def _matches(anybody: Rule, player: Rule) -> dict[str, Rule]:
    return {
        "ListMyMatches": _then(player, OWN),
        "GetMatch": _then(anybody, MATCH),
    }


def _replays(anybody: Rule) -> dict[str, Rule]:
    methods = {
        "ListReplays": MATCH,
        "GetReplay": MATCH,
        "GetFrame": EYES,
        "StreamFrames": EYES,
        "ExportReplay": MATCH,
        "VerifyReplay": MATCH,
    }
    return {method: _then(anybody, then) for method, then in methods.items()}


RULES: dict[str, Rule] = {
    # ---- public
    **_of(
        "gateway",
        "PlayerService",
        {
            "SignInGuest": _public(),
            "SignInHousePlayer": _public(then="whoever has the house secret"),
            "RefreshToken": _public(player=True, then=OWN),
            "GetPlayer": _public(),
            "DeletePlayer": _public(player=True, then=OWN),
        },
    ),
    **_of("gateway", "RulebookService", {"ListRulebooks": _public(), "GetRulebook": _public()}),
    **_of("gateway", "TableService", _tables(_public(), _public(player=True))),
    **_of(
        "gateway",
        "PlayService",
        {
            "SubmitCommand": _public(player=True, then=SEAT),
            "ListLegalCommands": _public(player=True, then=SEAT),
            "GetView": _public(player=True, then=SEAT),
            "Resign": _public(player=True, then=SEAT),
            "Play": _public(player=True, then=SEAT),
        },
    ),
    **_of("gateway", "WatchService", {"Watch": _public(then=WATCHER), "ListLiveMatches": _public(then=MATCH)}),
    **_of("gateway", "MatchService", _matches(_public(), _public(player=True))),
    **_of("gateway", "ReplayService", _replays(_public())),
    # ---- between services
    **_of("gateway", "PlayerDirectoryService", {"BatchGetPlayers": _services("matchmaking", "spectator", "replay")}),
    **_of(
        "engine",
        "EngineService",
        {
            "CreateMatch": _services("matchmaking"),
            "AbortMatch": _services("matchmaking", operator=True),
            "SubmitCommand": _handed_on("gateway", player=True, then=SEAT),
            # The gateway says who asks: it has looked at the tokens.
            "SubmitCommands": _services("gateway", then=SEAT),
            "ListLegalCommands": _handed_on("gateway", player=True, then=SEAT),
            "GetView": _handed_on("gateway", player=True, then=SEAT),
            "Resign": _handed_on("gateway", player=True, then=SEAT),
        },
    ),
    **_of(
        "matchmaking",
        "MatchmakingService",
        {
            # An instance hands on to the owner of the table's partition.
            **_tables(_handed_on("gateway", "matchmaking"), _handed_on("gateway", "matchmaking", player=True)),
            "SubmitCommand": _services("matchmaking"),
        },
    ),
    **_of(
        "replay",
        "ArchiveService",
        {
            **_matches(_handed_on("gateway"), _handed_on("gateway", player=True)),
            **_replays(_handed_on("gateway")),
            "GetCommits": _services("engine", "spectator"),
        },
    ),
    **_of(
        "spectator",
        "SpectatorService",
        {"Watch": _handed_on("gateway", then=WATCHER), "ListLiveMatches": _handed_on("gateway", then=MATCH)},
    ),
    **_of("rng", "RngService", {"CommitSeed": _services("matchmaking"), "GetBlock": _services("engine")}),
    # ---- every port
    "/grpc.health.v1.Health/*": ANYBODY,
    "/grpc.reflection.v1alpha.ServerReflection/*": ANYBODY,
}


def rule_of(path: str) -> Rule:
    """The rule of "/package.Service/Method". LookupError for a method that has none: it can't be served."""
    service = path.rpartition("/")[0]
    rule = RULES.get(path) or RULES.get(f"{service}/{EVERY_METHOD}")
    if rule is None:
        raise LookupError(f"nobody may call {path}: it has no rule in {__name__}")
    return rule


# ---- what matches and tables add


def check_seat(owner_id: str, player_id: str) -> None:
    """Acting for a seat is its owner's. PermissionDenied."""
    if not player_id or owner_id != player_id:
        raise PermissionDenied("somebody else sits there", reason="NOT_YOUR_SEAT")


def check_eyes(owner_id: str, caller: Caller) -> None:
    """While a match is on only its owner sees what a seat sees. Unauthenticated, PermissionDenied."""
    if not caller.player_id or caller.player_id != owner_id:
        _not_allowed(caller, "before the end only who sits there may look from a seat")


def check_spectator(caller: Caller, players: Collection[str], *, seats_only: bool) -> None:
    """Spectating, by the table's policy: everybody, or whoever plays. Unauthenticated, PermissionDenied."""
    if seats_only and (not caller.player_id or caller.player_id not in players):
        _not_allowed(caller, "only who plays may see this match")


def is_host(host_id: str, player_id: str) -> bool:
    """What changes a table as a whole is its host's; a table that a queue has formed has none."""
    return bool(player_id) and player_id == host_id


def _not_allowed(caller: Caller, why: str) -> NoReturn:
    raise PermissionDenied(why) if caller.player_id or caller.service else Unauthenticated(why)
