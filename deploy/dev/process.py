"""A server as a local process: started on free ports with its data in a folder, killed, and started again on both.

Not in this module: which servers there are (servers.py).
"""

import fcntl
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.dev.keeper import keeper

LOCALHOST = "127.0.0.1"
# Below the kernel's range for outgoing connections, so that a stopped server finds its port free again.
PORTS = range(20_000, 32_000)


class Missing(Exception):
    """A program isn't installed here; the message says which, and how to get it."""


class StartFailed(Exception):
    """A server didn't come up; the message holds the end of its log."""


class Server(ABC):
    """One server process with its folder and ports.

    The folder remembers the ports, and a lock in it is held as long as the process or a child of it lives. So a second
    object on the same folder, in another process too, finds the same addresses, and may stop what the first started.
    """

    name: str
    port_names: tuple[str, ...] = ("port",)
    start_timeout_s = 60.0
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path, *, outlive_us: bool = False) -> None:
        """Describe a server with its data in `folder`; nothing is started.

        `outlive_us`: leave it running when this process ends; else it dies with us, even if we are killed.
        """
        self.folder = folder
        self._outlive_us = outlive_us
        self._ports: dict[str, int] = {}

    @abstractmethod
    def prepare(self) -> None:
        """Write configuration and format the data folder, if that hasn't been done. Raises Missing."""

    @abstractmethod
    def command(self) -> list[str]:
        """The command that runs the server in the foreground. Raises Missing."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers. Raises OSError while it doesn't."""

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        return self.ports["port"]

    @property
    def ports(self) -> dict[str, int]:
        """Its ports by name: chosen at the first look, then kept in the folder."""
        remembered = self.folder / "ports.json"
        if not self._ports and remembered.is_file():
            self._ports = json.loads(remembered.read_text())
        if not self._ports:
            self._ports = dict(zip(self.port_names, free_ports(len(self.port_names)), strict=True))
            self.folder.mkdir(parents=True, exist_ok=True)
            remembered.write_text(json.dumps(self._ports))
        return self._ports

    @property
    def log(self) -> Path:
        """What the server printed, over all its starts."""
        return self.folder / "server.log"

    def environment(self) -> Mapping[str, str]:
        """The environment of the command: ours, unless a server says otherwise."""
        return os.environ

    def start(self) -> None:
        """Start it on its ports and data, and return when it answers. Nothing happens if it runs.

        Raises Missing, and StartFailed if it ends or doesn't answer in time.
        """
        started = self.launch()
        try:
            self.wait_until_ready()
        except BaseException:
            if started:
                self.kill()
            raise

    def launch(self) -> bool:
        """Start it, and return at once. False if it runs already. Raises Missing, StartFailed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            try:
                self.prepare()
            except subprocess.CalledProcessError as error:
                raise StartFailed(f"{self.name}: {error}:\n{self._end_of_log()}") from error
            with self.log.open("ab") as log:
                process = subprocess.Popen(
                    self.command(),
                    cwd=self.folder,
                    env=self.environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    # The process inherits the lock, and a group of its own, so that nothing of it survives a kill.
                    pass_fds=[lock.fileno()],
                    start_new_session=True,
                )
        (self.folder / "pid").write_text(str(process.pid))
        if not self._outlive_us:
            keeper().watch(process.pid)
        threading.Thread(target=self._reap, args=[process], name=f"reap {self.name}", daemon=True).start()
        return True

    def stop(self) -> None:
        """Ask it to end, wait, and kill what doesn't. Nothing happens if it doesn't run."""
        if self.is_running():
            self._signal(self.stop_signal)
            try:
                wait_until(self._has_ended, timeout_s=15)
            except TimeoutError:
                self.kill()

    def kill(self) -> None:
        """End it like a power cut (SIGKILL to all its processes), and return when it is gone."""
        if self.is_running():
            self._signal(signal.SIGKILL)
            wait_until(self._has_ended, timeout_s=15)

    def restart(self) -> None:
        """Kill it and start it again on the same ports and data."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """Freeze all its processes (SIGSTOP); connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after `pause`."""
        self._signal(signal.SIGCONT)

    def is_running(self) -> bool:
        """Whether the process, or one that it started, lives: someone then holds the lock."""
        if not (self.folder / "lock").exists():
            return False
        with (self.folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def wait_until_ready(self) -> None:
        """Return when it answers. Raises StartFailed if it has ended or takes too long."""

        def ready_or_ended() -> bool:
            if self._has_ended():
                raise StartFailed(f"{self.name} has ended:\n{self._end_of_log()}")
            return self.is_ready()

        try:
            wait_until(ready_or_ended, timeout_s=self.start_timeout_s)
        except TimeoutError:
            raise StartFailed(f"{self.name} doesn't answer:\n{self._end_of_log()}") from None

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Stop it."""
        self.stop()

    def _signal(self, number: signal.Signals) -> None:
        group = int((self.folder / "pid").read_text())
        if number in {signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT}:
            os.killpg(group, number)
        else:
            os.kill(group, number)

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for its end, whoever brings it about: another object on the same folder may."""
        process.wait()
        if not self._outlive_us:
            keeper().forget(process.pid)

    def _has_ended(self) -> bool:
        return not self.is_running()

    def _end_of_log(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])


def stop_together(servers: Sequence[Server]) -> None:
    """Stop all of them at the same time, and return when the last has ended."""
    with ThreadPoolExecutor(max_workers=len(servers)) as threads:
        list(threads.map(lambda server: server.stop(), servers))


def wait_until(condition: Callable[[], bool], *, timeout_s: float, poll_s: float = 0.02) -> None:
    """Return as soon as `condition` holds; an OSError from it means "not yet". Raises TimeoutError."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(poll_s)
    raise TimeoutError


def free_ports(count: int) -> list[int]:
    """That many ports on which nobody listens here, and which no other process gets from here while this one lives.

    A port is chosen long before its server opens it, so looking at who listens isn't enough: two servers of a cluster,
    or of two test runs side by side, would get the same one.
    """
    found: list[int] = []
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        if port in _given or not _is_closed(port) or not _reserve(port):
            continue
        _given.add(port)
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"no {count} free ports between {PORTS.start} and {PORTS.stop}")


_given: set[int] = set()


def _is_closed(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOCALHOST, port))
        except OSError:
            return False
    return True


def _reserve(port: int) -> bool:
    """Lock the port's byte of a file that all processes of this user share, until we end. False if another has it."""
    try:
        fcntl.lockf(_reservations(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except BlockingIOError:
        return False
    return True


@cache
def _reservations() -> int:
    """The shared file, opened once: closing any descriptor of it would give up all locks of this process."""
    path = Path(tempfile.gettempdir()) / f"ludolog-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def find_program(name: str, *, package: str, folders: str = "") -> str:
    """The path of a program, looked for in PATH and in `folders` (a glob; the last match wins). Raises Missing."""
    matches = sorted(Path("/").glob(f"{folders.lstrip('/')}/{name}")) if folders else []
    if found := shutil.which(name) or (str(matches[-1]) if matches else None):
        return found
    raise Missing(f"{name} isn't installed (Debian: apt-get install {package}; or make servers)")
