"""The processes behind the fixtures: they don't outlive whoever started them, and come back where they were."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.dev.process import StartFailed, wait_until
from deploy.dev.servers import Redis
from tests.infra.provide import provided

OWNER = """
import os, signal, sys
from pathlib import Path
from deploy.dev.servers import Redis
Redis(Path(sys.argv[1])).start()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_server_dies_with_its_owner_also_by_kill_minus_9(tmp_path: Path) -> None:
    with provided(Redis(tmp_path)):
        pass  # skips where there is no Redis
    owner = subprocess.run([sys.executable, "-c", OWNER, str(tmp_path)], check=False)
    assert owner.returncode == -signal.SIGKILL
    wait_until(lambda: not Redis(tmp_path).is_running(), timeout_s=10)


def test_a_second_object_on_the_folder_finds_the_server_and_may_stop_it(tmp_path: Path) -> None:
    with provided(Redis(tmp_path)) as first:
        second = Redis(tmp_path)
        second.start()
        assert second.port == first.port
        second.stop()
        assert not first.is_running()


def test_a_server_that_ends_at_once_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with provided(Redis(tmp_path)):
        pass
    broken = Redis(tmp_path)
    monkeypatch.setattr(broken, "command", lambda: [sys.executable, "-c", "raise SystemExit('no such luck')"])
    with pytest.raises(StartFailed, match="no such luck"):
        broken.start()
