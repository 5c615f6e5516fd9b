"""The Kafka broker's jars: where they are, and how they get there (`python -m deploy.dev.jars`).

They live outside the checkout, one folder per version, in $XDG_CACHE_HOME/ludolog, by default ~/.cache/ludolog.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

POM = Path(__file__).resolve().parent / "kafka" / "pom.xml"


def folder() -> Path:
    """The folder of the jars of the version that pom.xml names, whether it is there or not."""
    version = ET.parse(POM).findtext(".//{*}kafka.version")  # noqa: S314 - our own file
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "ludolog" / f"kafka-{version}"


def install() -> None:
    """Have Maven fetch the jars, if they aren't there yet. Raises CalledProcessError, or OSError without Maven."""
    target = folder()
    if target.is_dir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as half_done:
        # Maven writes a `target` folder beside the pom: keep it out of the checkout.
        shutil.copy(POM, half_done)
        goal = ["dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
        subprocess.run(["mvn", "-q", "-B", "-Dstyle.color=never", *goal], cwd=half_done, check=True)
        # Renamed when complete, so that a folder that is there is whole.
        (Path(half_done) / "lib").rename(target)


if __name__ == "__main__":
    install()
    print(folder(), file=sys.stderr)
