"""RulebookService: the catalogue, on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format

from ludolog.api.gateway.v1 import rulebooks_pb2, rulebooks_pb2_grpc
from ludolog.hosting import NotFound, Settings, names
from ludolog.kernel import BadInput, Rulebook
from ludolog.rulebooks import catalogue

PAGE = 50
LARGEST_PAGE = 100


class Rulebooks(rulebooks_pb2_grpc.RulebookServiceServicer):
    """The games that can be played here."""

    def __init__(self, rulebooks: Mapping[str, Rulebook[Any]]) -> None:
        self._rulebooks = rulebooks
        self._messages = {name: _message(rulebooks[name]) for name in sorted(rulebooks)}
        self._whole = {
            (name, edition.content_digest): _whole(edition)
            for name, rulebook in rulebooks.items()
            for edition in (rulebook, *rulebook.earlier.values())
        }

    async def ListRulebooks(
        self, request: rulebooks_pb2.ListRulebooksRequest, context: Any
    ) -> rulebooks_pb2.ListRulebooksResponse:
        """By name; the page token is the last name of the page before."""
        if not 0 <= request.page_size <= LARGEST_PAGE:
            raise BadInput("page_size", f"must be 0 to {LARGEST_PAGE}")
        size = request.page_size or PAGE
        rest = [name for name in self._messages if name > request.page_token]
        token = rest[size - 1] if len(rest) > size else ""
        page = [self._messages[name] for name in rest[:size]]
        return rulebooks_pb2.ListRulebooksResponse(rulebooks=page, next_page_token=token)

    async def GetRulebook(self, request: rulebooks_pb2.GetRulebookRequest, context: Any) -> rulebooks_pb2.Rulebook:
        """One, with the content of new matches or with an earlier one."""
        found = self._rulebooks.get(names.rulebook_of(request.name))
        if found is None:
            raise NotFound(f"there is no {request.name}", reason="NO_SUCH_RULEBOOK")
        return self._whole[found.name, found.edition(request.content_digest).content_digest]


def load(settings: Settings) -> dict[str, Rulebook[Any]]:
    """Every rulebook of the catalogue, with the content that new matches are played with and earlier ones were."""
    return catalogue.build_all(settings.content_dir)


def _whole(rulebook: Rulebook[Any]) -> rulebooks_pb2.Rulebook:
    message, printed = _message(rulebook), rulebook.printed
    message.how_to_play = rulebook.how_to_play
    if printed is not None:
        message.printed = json_format.MessageToJson(printed, preserving_proto_field_name=True, indent=None)
    return message


def _message(rulebook: Rulebook[Any]) -> rulebooks_pb2.Rulebook:
    message = rulebooks_pb2.Rulebook(
        name=f"rulebooks/{rulebook.name}",
        title=rulebook.title,
        summary=rulebook.summary,
        minimum_seats=rulebook.seats[0],
        maximum_seats=rulebook.seats[-1],
        options_schema=json.dumps(rulebook.options_schema, sort_keys=True),
        options_type=rulebook.options_type.DESCRIPTOR.full_name,
        rules_version=rulebook.rules_version,
        content_digest=rulebook.content_digest,
        bots=list(rulebook.bots),
    )
    for component in rulebook.components:
        message.components.add(
            key=component.key,
            title=component.title,
            count=component.count,
            source=component.source,
            reference=component.reference,
        )
    message.default_decision_time.FromMilliseconds(rulebook.default_decision_ms or 0)
    return message
