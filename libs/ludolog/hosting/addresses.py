"""Where a call from outside comes from: the peer, or what a proxy that is trusted says of it."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import unquote

LOCAL = "local"
SITE_BITS = 64
"""What one IPv6 customer has at least: single addresses of it are no limit to anybody."""
Network = IPv4Network | IPv6Network


def peer_address(peer: str) -> str:
    """Address of gRPC's "ipv4:1.2.3.4:567" or "ipv6:%5B::1%5D:567", no port; "" for calls inside the process."""
    if peer.startswith((LOCAL, "unix:")):
        return ""
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """The client's address. `forwarded` is X-Forwarded-For, believed from the right as far as proxies are trusted."""
    address = peer
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    while hops and _within(address, trusted):
        address = hops.pop()
    return address if _parsed(address) else peer


def limited_by(address: str) -> str:
    """What limits count by: the address, of IPv6 its /64 network."""
    found = _parsed(address)
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((found, SITE_BITS), strict=False))


def _within(address: str, networks: Sequence[Network]) -> bool:
    found = _parsed(address)
    return found is not None and any(found in network for network in networks)


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address.partition("%")[0])
    except ValueError:
        return None
