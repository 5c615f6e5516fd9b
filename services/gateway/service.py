"""The gateway's methods: which end here, which go on, and where to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import grpc

from ludolog.api.gateway.v1 import directory_pb2_grpc, play_pb2, players_pb2_grpc, rulebooks_pb2_grpc
from ludolog.hosting import Host, require_player
from ludolog.hosting.limits import per_minute
from ludolog.hosting.oidc import Issuer
from services.gateway import accounts, rulebooks
from services.gateway.commands import Commands
from services.gateway.erasing import Erasing
from services.gateway.feeds import Feeds
from services.gateway.newcomers import Newcomers
from services.gateway.players import Directory, Players
from services.gateway.playing import Playing, Watching
from services.gateway.presence import Presence
from services.gateway.relay import Relay

API = "ludolog.api"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
TABLE_METHODS = ("GetTable", "ListTables", "JoinTable", "LeaveTable", "AddBots", "StartTable")
TICKET_METHODS = ("GetTicket", "CancelTicket")
LIMITED_TABLE_METHODS = ("CreateTable", "CreateTicket")
ENGINE_METHODS = ("SubmitCommand", "ListLegalCommands", "GetView", "Resign")
REPLAY_METHODS = ("ListReplays", "GetReplay", "GetFrame", "VerifyReplay")
REPLAY_STREAMS = ("StreamFrames", "ExportReplay")


async def bind(host: Host) -> None:
    """Register everything on the host's public server, and the directory of names on its internal one."""
    url = accounts.database_url(host.settings.sql_url, host.settings.data)
    store = await accounts.Accounts.open(url)
    host.on_close(store.close)
    erasing = Erasing(host, store)
    _ = host.spawn("erased", erasing.run())
    players = Players(host, store, erasing, host.house_secret())
    if (issuer := Issuer.of(host.settings, host.clock)) is not None:
        host.accept(Newcomers(host, store, issuer).who)
    players_pb2_grpc.add_PlayerServiceServicer_to_server(players, host.public_server)
    directory_pb2_grpc.add_PlayerDirectoryServiceServicer_to_server(Directory(store), host.server)
    catalogue = rulebooks.Rulebooks(rulebooks.load(host.settings))
    rulebooks_pb2_grpc.add_RulebookServiceServicer_to_server(catalogue, host.public_server)
    _relay_tables(host, Relay(host))
    _relay_archive(host, Relay(host))
    _play(host, Relay(host))


def _register(host: Host, service: str, methods: Mapping[str, Handler]) -> None:
    host.public_server.add_registered_method_handlers(f"{API}.gateway.v1.{service}", methods)


def _relay_tables(host: Host, relay: Relay) -> None:
    behind = f"/{API}.matchmaking.v1.MatchmakingService/"

    rate = per_minute(host.settings.tables_per_minute)

    async def limited() -> None:
        await host.limiter.take("table", require_player().player_id, rate)

    methods = {method: relay.unary("matchmaking", behind + method) for method in TABLE_METHODS + TICKET_METHODS}
    methods |= {method: relay.unary("matchmaking", behind + method, check=limited) for method in LIMITED_TABLE_METHODS}
    methods["WatchTables"] = relay.stream("matchmaking", behind + "WatchTables")
    _register(host, "TableService", methods)


def _relay_archive(host: Host, relay: Relay) -> None:
    behind = f"/{API}.replay.v1.ArchiveService/"
    mine = relay.unary("replay", behind + "ListMyMatches")
    match = relay.unary("replay", behind + "GetMatch")
    _register(host, "MatchService", {"ListMyMatches": mine, "GetMatch": match})
    replays = {method: relay.unary("replay", behind + method) for method in REPLAY_METHODS}
    replays |= {method: relay.stream("replay", behind + method) for method in REPLAY_STREAMS}
    _register(host, "ReplayService", replays)


def _play(host: Host, relay: Relay) -> None:
    presence = Presence(host.cache, host.instance)
    resyncs = host.metrics.counter("ludolog_gateway_resyncs", "Streams ended because their client was too slow.")
    _ = host.spawn("presence", presence.run())
    feeds = Feeds(
        host.channel("spectator", on_behalf=True),
        host.settings.client_queue,
        host.spawn,
        presence,
        resyncs.inc,
        host.tracing,
    )
    for name, documentation, read in (
        ("clients", "Clients that follow a match, players at their seats included.", lambda: feeds.clients),
        ("watchers", "Spectators' streams.", lambda: len(presence)),
        ("feeds", "Streams from the spectator service that clients share.", lambda: feeds.shared),
    ):
        host.metrics.gauge(f"ludolog_gateway_{name}", documentation).set_function(read)
    methods = {method: relay.engine(f"/{API}.engine.v1.EngineService/{method}") for method in ENGINE_METHODS}
    playing = Playing(host, feeds, Commands(host))
    methods["Play"] = grpc.stream_stream_rpc_method_handler(playing.play, play_pb2.PlayRequest.FromString)
    _register(host, "PlayService", methods)
    live = relay.unary("spectator", f"/{API}.spectator.v1.SpectatorService/ListLiveMatches")
    watch: Handler = grpc.unary_stream_rpc_method_handler(Watching(feeds).watch, play_pb2.WatchRequest.FromString)
    _register(host, "WatchService", {"ListLiveMatches": live, "Watch": watch})
