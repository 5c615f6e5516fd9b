"""The public API's methods, by their names over HTTP; read off the descriptors: a new method needs nothing here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from google.protobuf import message_factory
from google.protobuf.message import Message

from ludolog.api.gateway.v1 import play_pb2, players_pb2, replays_pb2, rulebooks_pb2, tables_pb2

FILES = (play_pb2, players_pb2, replays_pb2, rulebooks_pb2, tables_pb2)
NOT_FOR_PAGES = frozenset({"SignInHousePlayer"})
"""Methods that no page has any business with."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method; `path` is gRPC's."""

    path: str
    request: type[Message]
    response: type[Message]
    streams: bool


def methods() -> Mapping[str, Method]:
    """All unary and server-streaming methods by name, as in PlayService/SubmitCommand."""
    found = {}
    for file in FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                if method.client_streaming or method.name in NOT_FOR_PAGES:
                    continue
                found[f"{service.name}/{method.name}"] = Method(
                    path=f"/{service.full_name}/{method.name}",
                    request=message_factory.GetMessageClass(method.input_type),
                    response=message_factory.GetMessageClass(method.output_type),
                    streams=method.server_streaming,
                )
    return found
