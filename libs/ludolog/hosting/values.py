"""How the environment's texts become values. Each raises ValueError, which says what the text must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://[^\s]*|[^\s:/]+|\[[0-9a-fA-F:]+\]):\d{1,5}|unix:[^\s]+|[a-z]+:///[^\s]+")

Parser = Callable[[str], Any]


def whole(minimum: int, maximum: int) -> Parser:
    """A whole number."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,18}", text) or not minimum <= int(text) <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return int(text)

    return parse


def seconds(minimum: float, maximum: float) -> Parser:
    """A number of seconds."""

    def parse(text: str) -> float:
        if not re.fullmatch(r"\d{1,12}(\.\d{1,6})?", text) or not minimum <= float(text) <= maximum:
            raise ValueError(f"must be a number of seconds from {minimum:g} to {maximum:g}")
        return float(text)

    return parse


def one_of(*choices: str) -> Parser:
    """One of these words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return parse


def url(*schemes: str) -> Parser:
    """A URL of one of these schemes, or nothing."""

    def parse(text: str) -> str:
        if text and not text.startswith(tuple(f"{scheme}://" for scheme in schemes)):
            raise ValueError(f"must start with {' or '.join(scheme + '://' for scheme in schemes)}")
        return text

    return parse


def address(text: str) -> str:
    """An address or a gRPC target, or nothing."""
    if text and not ADDRESS.fullmatch(text):
        raise ValueError("must be HOST:PORT or a gRPC target such as dns:///HOST:PORT")
    return text


def addresses(text: str) -> tuple[str, ...]:
    """Addresses, separated by commas."""
    return tuple(address(part.strip()) for part in text.split(",") if part.strip())


def engines(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Addresses by rulebook."""
    entries = []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        rulebook, found, targets = part.partition("=")
        if not found or not re.fullmatch(r"[a-z][a-z0-9_]*", rulebook) or not addresses(targets):
            raise ValueError("must be RULEBOOK=HOST:PORT[,HOST:PORT…][;RULEBOOK=…]")
        entries.append((rulebook, addresses(targets)))
    return tuple(entries)


def path(text: str) -> Path | None:
    """A file or folder, or nothing."""
    return Path(text).expanduser() if text else None


def paths(text: str) -> tuple[Path, ...]:
    """Files, separated by commas."""
    return tuple(Path(part.strip()).expanduser() for part in text.split(",") if part.strip())


def jwks(text: str) -> str:
    """Where keys are: a file, or a URL that nobody can change on the way."""
    local = re.match(r"http://(localhost|127\.0\.0\.1|\[::1\])[:/]", text)
    if "://" in text and not text.startswith("https://") and not local:
        raise ValueError("must be an https URL or a file")
    return text


def networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Networks, separated by commas."""
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError:
        raise ValueError("must be networks, as 10.0.0.0/8,fd00::/8") from None


def text(text: str) -> str:
    """Any text."""
    return text
