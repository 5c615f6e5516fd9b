"""Between services nobody is let in without a service's certificate, and none of the platform's secrets gets out."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.dev.certificates import Certificates
from deploy.dev.keys import Keys
from deploy.dev.platform import Cluster, ServiceProcess
from deploy.dev.process import LOCALHOST
from ludolog.api.rng.v1 import rng_pb2
from ludolog.hosting.callers import certified_name
from ludolog.hosting.errors import told
from ludolog.hosting.trust import SIGNERS
from tests.integration.cluster.conftest import certificates_of, client_of

TIMEOUT_S = 10.0
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


@pytest.fixture
def keys(cluster: Cluster) -> Keys:
    """What the cluster's tokens are signed with."""
    return cluster.keys


def health_of(process: ServiceProcess, credentials: grpc.ChannelCredentials | None) -> str:
    """What a port between services says to whoever has these credentials: a status, or the code of its refusal."""
    options = (("grpc.ssl_target_name_override", certified_name(process.service)),)
    if credentials is None:
        channel = grpc.insecure_channel(process.address)
    else:
        channel = grpc.secure_channel(process.address, credentials, options)
    with channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
        except grpc.RpcError as error:
            return str(error.code().name)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def test_every_port_between_services_takes_their_certificates_only(cluster: Cluster, tmp_path: Path) -> None:
    ours = certificates_of(cluster)
    foreign = Certificates(tmp_path / "foreign")
    foreign.make()
    authority = ours.certificate("services-ca").read_bytes()

    def shown(key: Path, certificate: Path) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(authority, key.read_bytes(), certificate.read_bytes())

    public = shown(ours.key("public"), ours.certificate("public"))
    strangers = {
        "no encryption": None,
        "no certificate": grpc.ssl_channel_credentials(authority),
        "a foreign authority's": shown(foreign.key("engine"), foreign.certificate("engine")),
        "the public port's": public,
    }
    for process in cluster.processes:
        for who, credentials in strangers.items():
            assert health_of(process, credentials) == "UNAVAILABLE", (process.name, who)
        assert health_of(process, ours.credentials("engine")) == "SERVING", process.name


def block_of(cluster: Cluster, certificate: str, token: str) -> str:
    """Why the rng refuses a block to a process with this certificate and this service's token."""
    options = (("grpc.ssl_target_name_override", certified_name("rng")),)
    credentials = certificates_of(cluster).credentials(certificate)
    with grpc.secure_channel(cluster.rng.address, credentials, options) as channel:
        get_block: Any = channel.unary_unary(
            "/ludolog.api.rng.v1.RngService/GetBlock", rng_pb2.GetBlockRequest.SerializeToString
        )
        try:
            get_block(rng_pb2.GetBlockRequest(), metadata=(("authorization", f"Bearer {token}"),), timeout=TIMEOUT_S)
        except grpc.RpcError as error:
            return told(error).reason  # type: ignore[arg-type]
    return ""


def test_only_an_engine_gets_blocks_whatever_token_got_out(cluster: Cluster, keys: Keys) -> None:
    """Even an engine's own token is nothing without an engine's certificate."""
    tokens = {name: keys.service_token(name) for name in ("engine", "gateway", "bots")}
    assert block_of(cluster, "engine", tokens["engine"]) == "INVALID_FIELD"
    for certificate in ("gateway", "bots", "web", "matchmaking", "operator"):
        assert block_of(cluster, certificate, tokens["engine"]) == "WRONG_CERTIFICATE"
    for certificate in ("gateway", "bots"):
        assert block_of(cluster, certificate, tokens[certificate]) == "NOT_A_SERVICE"


async def test_the_page_is_encrypted_and_hands_on(cluster: Cluster) -> None:
    context = ssl.create_default_context(cafile=certificates_of(cluster).certificate("public-ca"))
    method = f"{cluster.web_address}/api/PlayerService/SignInGuest"
    async with aiohttp.ClientSession() as session:
        async with session.post(method, json={"display_name": "Ann"}, ssl=context) as answer:
            assert (await answer.json())["player"]["display_name"] == "Ann"
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.post(method, json={"display_name": "Ann"})


def arguments_of(process: ServiceProcess) -> str:
    """What everybody on the machine can see of a process."""
    pid = (process.folder / "pid").read_text()
    return Path(f"/proc/{pid}/cmdline").read_text()


async def printed(cluster: Cluster) -> AsyncIterator[tuple[str, str]]:
    """(where, text) of everything that the processes let out: logs, metrics, arguments."""
    async with aiohttp.ClientSession() as session:
        for process in cluster.processes:
            yield f"log of {process.name}", process.log.read_text(errors="replace")
            yield f"arguments of {process.name}", arguments_of(process)
            async with session.get(f"http://{LOCALHOST}:{process.ports['metrics_port']}/metrics") as answer:
                yield f"metrics of {process.name}", await answer.text()


async def test_no_secret_is_in_logs_metrics_or_arguments(cluster: Cluster) -> None:
    secrets = {path.name: path.read_text().strip() for path in cluster.keys.folder.iterdir() if path.is_file()}
    secrets["rng.keys"] = secrets["rng.keys"].split()[-1]
    for signer in SIGNERS:
        secrets[f"{signer}.pem"] = secrets[f"{signer}.pem"].splitlines()[1]
    async with client_of(cluster) as ann:
        await ann.sign_in_guest("Ann")
        secrets["a token"] = ann.token
        table = await ann.tables.create("tempel_des_schreckens", 3)
        await ann.tables.join(table)
    secrets["any token"] = "eyJ"
    async for where, text in printed(cluster):
        for name, secret in secrets.items():
            assert secret not in text, f"{name} is in {where}"
