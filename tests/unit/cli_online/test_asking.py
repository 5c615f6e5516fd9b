"""Parameters of every domain are asked for until they fit; options are parsed."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from ludolog.api.games.tempel_des_schreckens.v1 import tempel_des_schreckens_pb2 as tempel
from ludolog.api.match.v1 import match_pb2
from ludolog.cli.asking import Asker, Cancelled, Left, Lines, options_message
from tests.unit.cli_online.terminal import Typed, plain_console

FIELD = descriptor_pb2.FieldDescriptorProto
Parameter = match_pb2.Parameter


def gift_type() -> Any:
    """Command {Gift gift}; Gift has a field for every domain."""
    file = descriptor_pb2.FileDescriptorProto(name="gift.proto", package="asking", syntax="proto3")
    colours = file.enum_type.add(name="Colour")
    for number, name in enumerate(("COLOUR_UNSPECIFIED", "COLOUR_RED", "COLOUR_BLUE")):
        colours.value.add(name=name, number=number)
    item = file.message_type.add(name="Item")
    item.field.add(name="id", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    item.field.add(name="count", number=2, type=FIELD.TYPE_INT32, label=FIELD.LABEL_OPTIONAL)
    gift = file.message_type.add(name="Gift")
    gift.field.add(name="number", number=1, type=FIELD.TYPE_INT32, label=FIELD.LABEL_OPTIONAL)
    gift.field.add(name="note", number=2, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    gift.field.add(name="slots", number=3, type=FIELD.TYPE_INT32, label=FIELD.LABEL_REPEATED)
    gift.field.add(
        name="colour", number=4, type=FIELD.TYPE_ENUM, type_name=".asking.Colour", label=FIELD.LABEL_OPTIONAL
    )
    gift.field.add(
        name="goods", number=5, type=FIELD.TYPE_MESSAGE, type_name=".asking.Item", label=FIELD.LABEL_REPEATED
    )
    command = file.message_type.add(name="Command")
    command.field.add(
        name="gift", number=1, type=FIELD.TYPE_MESSAGE, type_name=".asking.Gift", label=FIELD.LABEL_OPTIONAL
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("asking.Command"))


Command = gift_type()


async def filled(parameter: match_pb2.Parameter, *typed: str) -> tuple[Any, str]:
    """The gift after the person's lines, all of which must be used; and what was printed."""
    console, printed = plain_console()
    lines = Typed(typed)
    command: Any = await Asker(console, lines).fill(Command(), match_pb2.LegalCommand(parameters=[parameter]))
    assert lines.left == []
    return command.gift, printed.getvalue()


def choices(path: str, ids: list[str], least: int, most: int, *, optional: bool = False) -> match_pb2.Parameter:
    offered = Parameter.Choices(minimum=least, maximum=most)
    for one in ids:
        offered.choices.add(id=one)
    return Parameter(path=path, choices=offered, optional=optional)


@pytest.mark.parametrize("wrong", ["", "x", "0", "6", "-1", "--3", "²", "3.0", "99999999999999999999"])
async def test_a_number_out_of_range_is_asked_for_again(wrong: str) -> None:
    number = Parameter(path="gift.number", range=Parameter.IntegerRange(minimum=1, maximum=5))
    gift, printed = await filled(number, wrong, "5")
    assert gift.number == 5
    assert "from 1 to 5, please" in printed


async def test_a_negative_number() -> None:
    number = Parameter(path="gift.number", range=Parameter.IntegerRange(minimum=-3, maximum=0))
    assert (await filled(number, "-3"))[0].number == -3


async def test_what_is_optional_may_stay_empty() -> None:
    optional = Parameter(path="gift.number", range=Parameter.IntegerRange(minimum=1, maximum=5), optional=True)
    gift, printed = await filled(optional, "")
    assert gift.number == 0
    assert "empty: none" in printed
    colours = choices("gift.colour", ["COLOUR_RED"], 1, 1, optional=True)
    assert (await filled(colours, ""))[0].colour == 0


@pytest.mark.parametrize("wrong", ["", "1", "1 1", "1 2 3", "0 1", "1 4", "a b", "1 ²"])
async def test_choices_must_be_different_and_as_many_as_asked_for(wrong: str) -> None:
    gift, _ = await filled(choices("gift.slots", ["10", "20", "30"], 2, 2), wrong, "3 1")
    assert list(gift.slots) == [30, 10]


async def test_an_enum_is_chosen_by_name() -> None:
    gift, _ = await filled(choices("gift.colour", ["COLOUR_RED", "COLOUR_BLUE"], 1, 1), "2")
    assert gift.colour == 2


async def test_counts_are_asked_for_again_until_their_sum_fits() -> None:
    goods = Parameter.Multiset(minimum_sum=2, maximum_sum=3)
    goods.items.add(id="wood", maximum=3)
    goods.items.add(id="iron", maximum=3)
    parameter = Parameter(path="gift.goods", multiset=goods)
    gift, printed = await filled(parameter, "0", "1", "3", "3", "0", "2")
    assert [(item.id, item.count) for item in gift.goods] == [("iron", 2)]
    assert printed.count("Together they must be 2 to 3") == 2


async def test_a_text_keeps_to_its_limit() -> None:
    gift, printed = await filled(
        Parameter(path="gift.note", text=Parameter.TextLimit(maximum_characters=3)), "four", "two"
    )
    assert gift.note == "two"
    assert "At most 3 characters" in printed


async def test_q_gives_up_and_the_end_of_the_input_leaves() -> None:
    number = Parameter(path="gift.number", range=Parameter.IntegerRange(minimum=1, maximum=5))
    with pytest.raises(Cancelled):
        await filled(number, "q")
    with pytest.raises(Left):
        await filled(number, "7")


async def test_lines_come_from_standard_input_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(" one \n\ntwo"))
    lines = Lines()
    assert [await lines.next() for _ in range(3)] == ["one", "", "two"]
    for _ in range(2):
        with pytest.raises(Left):
            await lines.next()


def test_options_are_parsed() -> None:
    options = options_message(tempel.Options(), {"starting_player": "3", "memory_mode": "Yes"})
    assert options == tempel.Options(starting_player=3, memory_mode=True)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"nothing": "1"}, "there is no option 'nothing'; there are starting_player, memory_mode"),
        ({"starting_player": "x"}, "starting_player can't be 'x'"),
        ({"starting_player": "99999999999"}, "starting_player can't be '99999999999'"),
        ({"memory_mode": "perhaps"}, "memory_mode can't be 'perhaps'"),
    ],
)
def test_options_that_cannot_be(settings: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        options_message(tempel.Options(), settings)


class Slow(Lines):
    """A person who thinks for a while."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def next(self) -> str:
        """What they come up with."""
        return await self.answer


async def test_a_question_is_asked_again_when_something_else_was_printed() -> None:
    console, printed = plain_console()
    asker = Asker(console, Typed([]))
    assert not asker.ask_again()
    lines = Slow()
    asker = Asker(console, lines)
    command: Any = Command()
    parameter = choices("gift.colour", ["COLOUR_RED", "COLOUR_BLUE"], 1, 1)
    filling = asyncio.create_task(asker.fill(command, match_pb2.LegalCommand(parameters=[parameter])))
    await asyncio.sleep(0)
    console.print("Ada plays.")
    assert asker.ask_again()
    before, after = printed.getvalue().split("Ada plays.\n")
    assert before == after == "    1  COLOUR_RED\n    2  COLOUR_BLUE\n (a number): "
    lines.answer.set_result("2")
    await filling
    assert command.gift.colour == 2
    assert not asker.ask_again()
