"""The Python SDK: `async with Client(address) as client`. Needs the generated API and grpc, no server's code."""

from ludolog.client.client import Client
from ludolog.client.errors import (
    ApiError,
    BrokenPromise,
    InvalidField,
    NotAllowed,
    NotFound,
    NotSignedIn,
    OutOfRange,
    Refused,
    TooMuch,
    Unavailable,
)
from ludolog.client.messages import fill, pack, unpack
from ludolog.client.playing import Seat, new_command_id

__all__ = [
    "ApiError",
    "BrokenPromise",
    "Client",
    "InvalidField",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "OutOfRange",
    "Refused",
    "Seat",
    "TooMuch",
    "Unavailable",
    "fill",
    "new_command_id",
    "pack",
    "unpack",
]
