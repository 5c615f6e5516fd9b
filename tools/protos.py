"""Generate `libs/ludolog/api` from `protos/`.

    python -m tools.protos             generate, if a .proto or a generator changed since the last time
    python -m tools.protos lint        buf lint
    python -m tools.protos breaking    buf breaking, against the contracts as they last landed
    python -m tools.protos baseline    take the contracts as landed: adds what is new, refuses what breaks

Made, and never committed:
    libs/ludolog/api/         messages, gRPC stubs (asyncio only), their types, __init__.py and py.typed
    .build/googleapis/        the google/api and google/rpc sources, where buf finds them (buf.yaml)
Committed:
    tests/golden/protos.binpb the contracts as they last landed
"""

import fcntl
import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "protos"
TARGET = ROOT / "libs" / "ludolog" / "api"
BUILD = ROOT / ".build"
GOOGLEAPIS = BUILD / "googleapis"
STAMP = BUILD / "protos.stamp"
BASELINE = ROOT / "tests" / "golden" / "protos.binpb"
GENERATORS = ("grpcio-tools", "mypy-protobuf", "googleapis-common-protos")


def main(arguments: list[str]) -> int:
    """Do what the first argument names, see the module's docstring. Returns the exit code."""
    commands = {"generate": generate, "lint": lint, "breaking": breaking, "baseline": baseline}
    command = commands.get(arguments[0] if arguments else "generate")
    if command is None or len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    with only_one():
        return command()


def generate() -> int:
    """Make everything that is generated, unless the stamp says that it is up to date."""
    protos = sorted(str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.proto"))
    fingerprint = digest(protos)
    if not protos:
        print("protos: no .proto file yet", file=sys.stderr)
        return 0
    if STAMP.is_file() and STAMP.read_text() == fingerprint and TARGET.is_dir():
        return 0
    staged = BUILD / "protos"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    copy_googleapis()
    code = run_protoc(staged, protos)
    if code == 0:
        complete_packages(staged / "ludolog" / "api")
        # Swapped in whole, so that what was renamed or deleted in protos/ is gone here too.
        shutil.rmtree(TARGET, ignore_errors=True)
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        (staged / "ludolog" / "api").rename(TARGET)
        STAMP.write_text(fingerprint)
        print(f"protos: generated {len(protos)} files into {TARGET.relative_to(ROOT)}", file=sys.stderr)
    return code


def lint() -> int:
    """`buf lint` with the rules of buf.yaml."""
    return generate() or buf("lint")


def breaking() -> int:
    """`buf breaking` against the baseline; without one there is nothing to break, which is said."""
    if not BASELINE.is_file():
        print("protos: no contracts have landed yet (make protos-baseline), so nothing can be broken", file=sys.stderr)
        return 0
    return generate() or buf("breaking", "--against", str(BASELINE))


def baseline() -> int:
    """Write the baseline from the present contracts. Fails if they break the one before."""
    if code := breaking():
        print("protos: the baseline was not touched: deleted names and numbers must be reserved", file=sys.stderr)
        return code
    BASELINE.parent.mkdir(parents=True, exist_ok=True)
    return generate() or buf("build", "--exclude-source-info", "-o", str(BASELINE))


def run_protoc(staged: Path, protos: list[str]) -> int:
    """Run protoc over all files at once. Its complaints go to stderr; returns its exit code."""
    options = "readable_stubs,quiet"
    return subprocess.run(
        [
            *(sys.executable, "-m", "grpc_tools.protoc"),
            f"--plugin=protoc-gen-mypy={beside_python('protoc-gen-mypy')}",
            f"--plugin=protoc-gen-mypy_grpc={beside_python('protoc-gen-mypy_grpc')}",
            *(f"-I{SOURCES}", f"-I{GOOGLEAPIS}"),
            *(f"--python_out={staged}", f"--mypy_out={options}:{staged}"),
            *(f"--grpc_python_out={staged}", f"--mypy_grpc_out={options},only_async:{staged}"),
            *protos,
        ],
        check=False,
    ).returncode


def complete_packages(package: Path) -> None:
    """Make real, typed packages of the generated folders, and drop gRPC files of protos without a service."""
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").touch()
    (package / "py.typed").touch()
    for stub in package.rglob("*_pb2_grpc.py"):
        if "Servicer" not in stub.read_text():
            stub.unlink()
            stub.with_suffix(".pyi").unlink(missing_ok=True)


def copy_googleapis() -> None:
    """Copy the google/api and google/rpc sources out of the installed package to where buf.yaml points."""
    shutil.rmtree(GOOGLEAPIS, ignore_errors=True)
    for package in ("google.api", "google.rpc"):
        folder = GOOGLEAPIS / package.replace(".", "/")
        folder.mkdir(parents=True)
        for source in files(package).iterdir():
            if source.name.endswith(".proto"):
                (folder / source.name).write_bytes(source.read_bytes())


def buf(verb: str, *options: str) -> int:
    """Run buf on `protos/` as buf.yaml describes it. Returns its exit code."""
    return subprocess.run([beside_python("buf"), verb, SOURCES.name, *options], cwd=ROOT, check=False).returncode


def beside_python(program: str) -> str:
    """The path of a program of this venv, also where the venv isn't activated."""
    return str(Path(sys.executable).parent / program)


def digest(protos: list[str]) -> str:
    """What the generated code depends on: the sources, the generators and this script."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for name in protos:
        digest.update(f"\0{name}\0".encode() + (SOURCES / name).read_bytes())
    for generator in GENERATORS:
        digest.update(f"\0{generator}={importlib.metadata.version(generator)}".encode())
    return digest.hexdigest()


@contextmanager
def only_one() -> Iterator[None]:
    """Keep two runs in one checkout from generating into each other."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "protos.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
