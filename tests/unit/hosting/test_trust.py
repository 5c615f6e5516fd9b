"""What a key may say is decided by what its public half is listed under."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path

import pytest

from deploy.dev.keys import Keys, new_private, public_half, write_secret
from ludolog.hosting import Keyring, Unauthenticated
from ludolog.hosting.callers import SERVICE_KEY, Callers
from ludolog.hosting.identity import BAD_SERVICE_TOKEN, load_keyring
from ludolog.hosting.settings import Settings
from ludolog.hosting.trust import LOOK_AGAIN_S, READ_AGAIN_S, RECEIPTS, SERVICES, SIGNERS
from tests.unit.hosting.test_identity import Simulated

ANN = "p-" + "a" * 26
CLAIMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a player": (ANN, ("player",)),
    "a house player": (ANN, ("player", "house")),
    "somebody without a role": (ANN, ()),
    "a player named as a service": ("engine", ("player",)),
    "an operator": ("olga", ("operator",)),
    "an operator who is a player": (ANN, ("operator", "player")),
    "an operator who is the gateway": ("gateway", ("operator", "service")),
    "a service that is a player": ("gateway", ("player", "service")),
    "a service that there isn't": ("nonsense", ("service",)),
    "the operator as a service": ("operator", ("service",)),
    "former receipts as a service": (RECEIPTS, ("service",)),
    **{f"the service {name}": (name, ("service",)) for name in SERVICES},
}
"""What a token may say: (subject, roles)."""
MAY_SAY = {
    ("gateway", "a player"),
    ("gateway", "a house player"),
    ("gateway", "somebody without a role"),
    ("gateway", "a player named as a service"),
    ("operator", "an operator"),
    *((name, f"the service {name}") for name in SERVICES),
}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    made = Keys(tmp_path_factory.mktemp("keys"))
    made.make()
    write_secret(made.private(RECEIPTS), new_private())
    (made.trusted / f"{RECEIPTS}.2025.pub").write_bytes(public_half(made.private(RECEIPTS)))
    return made


class Shown:
    """A call's context, as far as callers look at it."""

    def __init__(self, *metadata: tuple[str, str]) -> None:
        self._metadata = metadata

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata


def ring(keys: Keys, signer: str, clock: Simulated) -> Keyring:
    return load_keyring(keys.private(signer), clock, trusted=keys.trusted)


@pytest.fixture
def clock() -> Simulated:
    return Simulated()


@pytest.mark.parametrize(("signer", "claim"), list(itertools.product((*sorted(SIGNERS), RECEIPTS), CLAIMS)))
async def test_a_key_says_what_it_is_listed_for_and_nothing_else(
    keys: Keys, clock: Simulated, signer: str, claim: str
) -> None:
    subject, roles = CLAIMS[claim]
    token = ring(keys, signer, clock).sign(subject, roles=roles, ttl_s=60)
    callers = Callers(ring(keys, "spectator", clock), Settings(), public=False)
    alone, handing_on = Shown(("authorization", f"Bearer {token}")), Shown((SERVICE_KEY, f"Bearer {token}"))
    if (signer, claim) in MAY_SAY:
        found = await callers.of(alone)
        assert subject in (found.player_id, found.service, found.display_name)
        assert found.roles == set(roles)
    else:
        with pytest.raises(Unauthenticated) as caught:
            await callers.of(alone)
        assert caught.value.reason == "BAD_TOKEN"
    if (signer, claim) in MAY_SAY and roles == ("service",):
        assert (await callers.of(handing_on)).via == subject
    else:
        with pytest.raises(Unauthenticated) as caught:
            await callers.of(handing_on)
        assert caught.value.reason == BAD_SERVICE_TOKEN


def test_a_key_that_is_listed_twice_is_good_for_both(tmp_path: Path, clock: Simulated) -> None:
    keys = Keys(tmp_path)
    keys.make()
    (keys.trusted / "rng.pub").write_bytes(public_half(keys.private("replay")))
    both = ring(keys, "replay", clock)
    for service in ("replay", "rng"):
        assert ring(keys, "engine", clock).verify(both.sign(service, roles=("service",), ttl_s=60)).service == service
        assert both.may_sign_for(service)
    assert not both.may_sign_for("engine")


def test_a_file_may_hold_several_keys(tmp_path: Path, clock: Simulated) -> None:
    keys = Keys(tmp_path)
    keys.make()
    write_secret(keys.private("second"), new_private())
    both = b"the first\n" + public_half(keys.private("rng")) + b"the second\n" + public_half(keys.private("second"))
    (keys.trusted / "rng.pub").write_bytes(both)
    for name in ("rng", "second"):
        token = ring(keys, name, clock).sign("rng", roles=("service",), ttl_s=60)
        assert ring(keys, "engine", clock).verify(token).service == "rng"
    assert len(ring(keys, "engine", clock).public_keys("rng")) == 2


def test_a_key_is_rotated_while_the_others_run(tmp_path: Path, clock: Simulated) -> None:
    keys = Keys(tmp_path)
    keys.make()
    engine, old = ring(keys, "engine", clock), ring(keys, "gateway", clock)
    write_secret(keys.private("new"), new_private())
    new = ring(keys, "new", clock)
    before, after = (one.sign(ANN, roles=("player",), ttl_s=600) for one in (old, new))
    assert engine.verify(before).player_id == ANN
    with pytest.raises(Unauthenticated):
        engine.verify(after)
    (keys.trusted / "gateway.new.pub").write_bytes(public_half(keys.private("new")))
    assert not engine.made(after), "the folder isn't read for each call"
    clock.seconds += LOOK_AGAIN_S
    assert engine.made(after)
    assert engine.verify(after).player_id == engine.verify(before).player_id == ANN
    (keys.trusted / "gateway.pub").unlink()
    clock.seconds += READ_AGAIN_S
    with pytest.raises(Unauthenticated):
        engine.verify(before)
    assert engine.verify(after).player_id == ANN


def test_a_folder_that_cant_be_read_changes_nothing(
    tmp_path: Path, clock: Simulated, caplog: pytest.LogCaptureFixture
) -> None:
    keys = Keys(tmp_path)
    keys.make()
    engine = ring(keys, "engine", clock)
    token = ring(keys, "gateway", clock).sign(ANN, ttl_s=600)
    (keys.trusted / "gateway.pub").write_text("half a fi")
    clock.seconds += READ_AGAIN_S
    with caplog.at_level(logging.ERROR):
        assert engine.verify(token).player_id == ANN
    assert "gateway.pub: no public key in PEM" in caplog.text


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("gatway.pub", "", r"gatway\.pub: 'gatway' is none of bots, engine"),
        ("identity.pub", "", r"identity\.pub: 'identity' is none of"),
        ("rng.pub", "", r"rng\.pub: no public key in PEM"),
        ("rng.old.pub", "private", r"rng\.old\.pub: not a public key in PEM"),
    ],
)
def test_a_file_that_is_none_is_named(keys: Keys, tmp_path: Path, name: str, content: str, problem: str) -> None:
    text = keys.private("rng").read_text() if content else ""
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=problem):
        load_keyring(keys.private("engine"), Simulated(), trusted=tmp_path)


def test_other_files_may_lie_there(keys: Keys, tmp_path: Path) -> None:
    (tmp_path / "README").write_text("public halves")
    (tmp_path / "engine.pub").write_bytes(public_half(keys.private("engine")))
    assert load_keyring(keys.private("engine"), Simulated(), trusted=tmp_path).may_sign_for("engine")


def test_a_broken_file_keeps_no_other_key_trusted(
    tmp_path: Path, clock: Simulated, caplog: pytest.LogCaptureFixture
) -> None:
    keys = Keys(tmp_path)
    keys.make()
    engine = ring(keys, "engine", clock)
    leaked = ring(keys, "gateway", clock).sign(ANN, ttl_s=600)
    web = ring(keys, "web", clock).sign("web", roles=("service",), ttl_s=600)
    (keys.trusted / "web.pub").write_text("half a fi")
    (keys.trusted / "gateway.pub").unlink()
    clock.seconds += READ_AGAIN_S
    with pytest.raises(Unauthenticated):
        engine.verify(leaked)
    assert engine.verify(web).service == "web"
    assert "web.pub" in caplog.text
    (keys.trusted / "web.pub").unlink()
    clock.seconds += READ_AGAIN_S
    with pytest.raises(Unauthenticated):
        engine.verify(web)
