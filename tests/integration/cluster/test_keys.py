"""On a running cluster each process has a key of its own, which says nothing for another; keys are changed there."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from deploy.dev.keys import Keys, new_private, public_half, write_secret
from deploy.dev.platform import Cluster, ServiceProcess
from deploy.dev.process import StartFailed
from ludolog.cli import main as ludolog
from ludolog.client import Client, NotSignedIn
from ludolog.client.connection import credentials_of
from ludolog.client.errors import Refused, Unavailable
from ludolog.hosting.authorisation import rule_of
from ludolog.hosting.errors import Told
from ludolog.record.file import read_record
from ludolog.record.verify import verify
from tests.infra.methods import Method, methods
from tests.infra.playing import match_of, new_table, play
from tests.integration.cluster.conftest import certificates_of, client_of
from tests.integration.cluster.test_attacks import INTERNAL, PLAYER, Metadata, bearer, handed_on, inside

THIEVES = ("web", "bots")
"""Whose keys are the likeliest to be stolen: one talks HTTP with everybody, the other is a client."""
BAD = {"BAD_TOKEN", "BAD_SERVICE_TOKEN"}
EXPORT_TRIES = 300
MATCH_S = 90
SECRET = {"gateway", "bots"}
"""Who knows the house secret."""


@pytest.fixture
def keys(cluster: Cluster) -> Keys:
    """What the cluster's tokens are signed with."""
    return cluster.keys


def thefts(keys: Keys, thief: str, method: Method) -> Iterator[tuple[str, str, Metadata]]:
    """(whose certificate, what for, what is shown) with a thief's key, and everything else that one could have."""
    rule = rule_of(method.path)
    stolen = keys.ring(thief)
    player, own = stolen.sign(PLAYER, roles=("player",), ttl_s=60), keys.service_token(thief)
    for sender in sorted(rule.senders):
        forged = stolen.sign(sender, roles=("service",), ttl_s=60)
        yield sender, f"{sender} itself", bearer(forged)
        yield sender, f"{sender} for a player", handed_on(forged, keys.player_token(PLAYER))
        yield sender, f"a player, by the real {sender}", handed_on(keys.service_token(sender), player)
    yield thief, "a player", handed_on(own, player)
    operator = stolen.sign("olga", roles=("operator",), ttl_s=60)
    yield "operator", "an operator", bearer(operator)
    both = stolen.sign(thief, roles=("operator", "service"), ttl_s=60)
    yield thief, "itself, and an operator", bearer(both)


@pytest.mark.parametrize("thief", THIEVES)
async def test_its_key_is_nobody_elses(cluster: Cluster, keys: Keys, thief: str) -> None:
    """Not the gateway's, not an engine's, no player's, no operator's: not even with the right certificate."""
    for method in INTERNAL:
        for certificate, what, metadata in thefts(keys, thief, method):
            async with inside(cluster, method, certificate) as channel:
                answer = await method.answer(channel, metadata)
            assert answer is not None, (method.path, what)
            assert (answer.code, answer.reason in BAD) == (grpc.StatusCode.UNAUTHENTICATED, True), (what, answer)


@pytest.mark.parametrize("thief", [*THIEVES, "engine", "matchmaking", "operator"])
async def test_no_players_token_is_made_but_by_the_gateway(cluster: Cluster, keys: Keys, thief: str) -> None:
    refresh = next(one for one in methods() if one.name == "RefreshToken")
    credentials = credentials_of(certificates_of(cluster).certificate("public-ca"))
    async with client_of(cluster) as ann, grpc.aio.secure_channel(cluster.gateway_address, credentials) as channel:
        signed_in = await ann.sign_in_guest("Ann")
        player = signed_in.name.removeprefix("players/")
        forged = keys.ring(thief).sign(player, name="Ann", roles=("player",), ttl_s=60)
        answer: Told | None = await refresh.answer(channel, bearer(forged))
        assert answer is not None
        assert (answer.code, answer.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")
        assert await refresh.answer(channel, bearer(keys.player_token(player))) is None, "the gateway's own is taken"


def files_of(process: ServiceProcess) -> set[Path]:
    """The files that a process was told of, folders opened."""
    pid = (process.folder / "pid").read_text()
    environ = Path(f"/proc/{pid}/environ").read_text().split("\0")
    told = [entry.partition("=")[2] for entry in environ if entry.startswith("LUDOLOG_")]
    paths = [Path(part) for value in told for part in value.split(",") if part.startswith("/")]
    return {one for path in paths for one in ([path] if path.is_file() else path.rglob("*")) if one.is_file()}


def test_a_process_is_told_of_its_own_secrets_alone(cluster: Cluster, keys: Keys) -> None:
    certificates = certificates_of(cluster)
    for process in cluster.processes:
        allowed = {keys.private(process.service), certificates.key(process.service)}
        if process.service == "rng":
            allowed.add(keys.rng)
        if process.service in SECRET:
            allowed.add(keys.house_secret)
        if process.service in ("gateway", "web"):
            allowed.add(certificates.key("public"))
        secret = {
            path for path in files_of(process) if b"PRIVATE" in path.read_bytes() or not path.stat().st_mode & 0o77
        }
        assert secret == allowed, process.name
    told = {process.service for process in cluster.processes if keys.private("gateway") in files_of(process)}
    assert told == {"gateway"}, "nobody else can say who a player is"


def renewed(keys: Keys, signer: str) -> None:
    """A new key for who signs, listed beside the old one; it is signed with from the next start on."""
    staged = keys.folder / "staged.pem"
    write_secret(staged, new_private())
    (keys.trusted / f"{signer}.new.pub").write_bytes(public_half(staged))
    staged.rename(keys.private(signer))


def dropped(keys: Keys, signer: str) -> None:
    """The old key isn't trusted any more."""
    (keys.trusted / f"{signer}.new.pub").rename(keys.trusted / f"{signer}.pub")


async def restarted(process: ServiceProcess) -> None:
    """Stopped in order and started again, with the key that is there now."""
    await asyncio.to_thread(process.stop)
    await asyncio.to_thread(process.start)


async def played(client: Client) -> str:
    """A match with house players, from its table to its end; its name."""
    async with asyncio.timeout(MATCH_S):
        match = await match_of(client, await new_table(client, 3, 2))
        assert (await play(client, match, 1)).ended
    return match


async def export(client: Client, match: str, path: Path) -> None:
    """Export the record, once the seed is revealed and the archive has heard of it."""
    for tries in range(EXPORT_TRIES):
        try:
            await client.replays.export(match, path)
        except (Refused, Unavailable):
            assert tries + 1 < EXPORT_TRIES
            await asyncio.sleep(0.1)
        else:
            return


async def test_the_gateways_key_is_rotated_while_the_others_run(cluster: Cluster, keys: Keys) -> None:
    async with client_of(cluster) as ann, client_of(cluster) as bea:
        await ann.sign_in_guest("Ann")
        renewed(keys, "gateway")
        await restarted(cluster.gateways[0])
        await bea.sign_in_guest("Bea")
        for client in (ann, bea):
            await played(client)
        dropped(keys, "gateway")
        async with asyncio.timeout(MATCH_S):
            with contextlib.suppress(NotSignedIn):
                while True:
                    await ann.get_player()
                    await asyncio.sleep(0.2)
        # House players had tokens of the old key: they sign in anew.
        await played(bea)


async def test_the_rngs_key_is_rotated_and_old_promises_count(cluster: Cluster, keys: Keys, tmp_path: Path) -> None:
    record = tmp_path / "match.ludolog"
    old = keys.ring("rng").signer.public_key().public_bytes_raw()
    async with client_of(cluster) as ann:
        await ann.sign_in_guest("Ann")
        table = await new_table(ann, 3, 2)
        (keys.trusted / "receipts.old.pub").write_bytes((keys.trusted / "rng.pub").read_bytes())
        renewed(keys, "rng")
        await restarted(cluster.rng)
        dropped(keys, "rng")
        async with asyncio.timeout(MATCH_S):
            match = await match_of(ann, table)
            assert (await play(ann, match, 1)).ended
        await export(ann, match, record)
        verified = await ann.replays.verify(match)
    assert verified.holds, verified.checks
    new = keys.ring("rng").signer.public_key().public_bytes_raw()
    head = keys.ring("replay").signer.public_key().public_bytes_raw()
    receipt = read_record(record.read_bytes()).header.receipt
    assert receipt is not None
    assert receipt.public_key == old.hex() != new.hex()
    assert any(f"signed by {old.hex()[:16]}" in check.detail for check in verified.checks), "it says which"
    assert any(f"signed by {head.hex()[:16]}" in check.detail for check in verified.checks)
    assert ludolog(["verify", str(record), "--public-key", old.hex(), "--public-key", head.hex()]) == 0
    assert not verify(record.read_bytes(), public_keys=[new, head]).holds
    assert not verify(record.read_bytes(), public_keys=[old, new]).holds


async def test_an_engine_with_a_new_key_plays_beside_one_with_the_old(cluster: Cluster, keys: Keys) -> None:
    async with client_of(cluster) as ann:
        await ann.sign_in_guest("Ann")
        renewed(keys, "engine")
        await restarted(cluster.engines[0])
        for _ in range(3):
            await played(ann)
        await asyncio.gather(*map(restarted, cluster.engines[1:]))
        dropped(keys, "engine")


def test_a_process_whose_key_isnt_listed_doesnt_start(cluster: Cluster, keys: Keys, tmp_path: Path) -> None:
    """It would be a service that nobody lets in: better not at all, and it says why."""
    spare = ServiceProcess(tmp_path / "spectator", "spectator", {}, outlive_us=False)
    told = cluster.spectators[0].environment()
    ports = {f"LUDOLOG_{name.upper()}" for name in spare.port_names}
    spare.tell({name: value for name, value in told.items() if name.startswith("LUDOLOG_") and name not in ports})
    spare.tell({"LUDOLOG_IDENTITY_KEY_FILE": str(keys.private("web"))})
    with pytest.raises(StartFailed, match=r"web\.pem isn't in .* as spectator\.pub"):
        spare.start()
