"""What the online commands share: where the platform is, who plays, errors in one line, JSON for machines."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message

from ludolog.cli.program import FAILED, USAGE, UsageError, called
from ludolog.client import ApiError, Client
from ludolog.client.errors import BrokenPromise, InvalidField, NotSignedIn, Unavailable

DEFAULT_ADDRESS = "127.0.0.1:7400"
UNREACHABLE = 3
CALL_S = 8.0


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what every online command takes."""
    parser.add_argument("--address", default=DEFAULT_ADDRESS, metavar="HOST:PORT", help="the gateway (%(default)s)")
    parser.add_argument("--ca", metavar="FILE", type=Path, help="TLS, with this authority's certificate (PEM)")
    parser.add_argument("--tls", action="store_true", help="TLS, with the usual authorities")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line, for programs")


def run(options: argparse.Namespace, work: Callable[[Client, argparse.Namespace], Awaitable[int]]) -> int:
    """Connect and do the work.

    What goes wrong becomes one line: exit code 1, 2 for what can't be asked like that, 3 where nobody answers.
    """
    try:
        return asyncio.run(_connected(options, work))
    except ApiError as error:
        return complain(options, error)
    except BrokenPromise as error:
        print(f"ludolog: {error}", file=sys.stderr)
        return FAILED


async def _connected(options: argparse.Namespace, work: Callable[[Client, argparse.Namespace], Awaitable[int]]) -> int:
    async with connect(options) as client:
        return await work(client, options)


def connect(options: argparse.Namespace, token: str = "") -> Client:
    """A client of the platform that the options name. UsageError where the authority's file can't be used."""
    credentials = grpc.ssl_channel_credentials() if options.tls else None
    try:
        return Client(options.address, token=token, timeout_s=CALL_S, ca_file=options.ca, credentials=credentials)
    except OSError as error:
        raise UsageError(f"{options.ca} can't be read: {error.strerror}") from error


def complain(options: argparse.Namespace, error: ApiError) -> int:
    """Print an error; return its exit code."""
    away = isinstance(error, Unavailable)
    text = f"{options.address} doesn't answer: {error.message}" if away else str(error)
    if options.json:
        emit({"error": {"code": error.code.name, "reason": error.reason, "message": error.message}})
    else:
        print(f"ludolog: {text}", file=sys.stderr)
        if away:
            print("Is the platform running? `make run` starts one; --address names another.", file=sys.stderr)
    return UNREACHABLE if away else USAGE if isinstance(error, InvalidField) else FAILED


def command(options: argparse.Namespace, *words: str) -> str:
    """A command line to copy: this program with the words, on the same platform."""
    elsewhere = [] if options.address == DEFAULT_ADDRESS else ["--address", options.address]
    elsewhere += ["--ca", str(options.ca)] if options.ca else ["--tls"] if options.tls else []
    return shlex.join((called(), *words, *elsewhere))


def emit(value: dict[str, Any]) -> None:
    """Print one JSON object on a line."""
    print(json.dumps(value), flush=True)


def as_json(message: Message) -> dict[str, Any]:
    """A message as proto-JSON, names as in the .proto files."""
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


class Profile:
    """Who you are on each platform: tokens in a file of your own, mode 0600, so that you can come back to a match."""

    def __init__(self, folder: Path | None = None) -> None:
        home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        self._folder = folder or home / "ludolog"
        self._path = self._folder / "players.json"

    def token(self, address: str) -> str:
        """The token kept for a platform; "" for none."""
        return str(self._read().get(address, ""))

    def keep(self, address: str, token: str) -> None:
        """Keep a token. UsageError where the file can't be written."""
        known = {**self._read(), address: token}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            staged = self._path.with_suffix(".new")
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                json.dump(known, file)
            staged.replace(self._path)
        except OSError as error:
            raise UsageError(f"{self._path} can't be written: {error.strerror}") from error

    def receipt(self, match_id: str) -> Path:
        """Where the promise of a match's seed is kept."""
        return self._folder / "receipts" / f"{match_id}.json"

    def keep_receipt(self, match_id: str, receipt: str) -> None:
        """Keep a promise; the first one that was seen stays. UsageError where it can't be written."""
        path = self.receipt(match_id)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with contextlib.suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
                file.write(receipt)
        except OSError as error:
            raise UsageError(f"{path} can't be written: {error.strerror}") from error

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}


async def sign_in(client: Client, options: argparse.Namespace, profile: Profile) -> None:
    """Be the player of last time, or a new guest; a new name makes a new guest."""
    address, name = options.address, options.name
    token = profile.token(address)
    if token:
        async with connect(options, token) as known:
            try:
                player = await known.get_player()
            except NotSignedIn:
                player = None
            except ApiError as error:
                if error.code is not grpc.StatusCode.NOT_FOUND:
                    raise
                player = None
        if player is not None and name in ("", player.display_name):
            client.use_token(token)
            await client.get_player()
            return
    await client.sign_in_guest(name or os.environ.get("USER") or "Guest")
    profile.keep(address, client.token)
