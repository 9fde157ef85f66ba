"""What goes wrong between hearth and a provider, each fault on each wire.

One report says what it was, nothing of the answer is kept, a broken connection is given up, and the
same request can be made again.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from tests.performers.language_model.held import (
    CLAUDE,
    GPT,
    KEY,
    PATIENCE,
    Audience,
    Held,
    S,
    answered,
    asked_by,
    keys_for,
)
from tests.providers.script import (
    Call,
    Cut,
    Fault,
    Garbage,
    Overflow,
    Reply,
    Say,
    Silence,
    Status,
    StreamError,
    Think,
)
from tests.providers.server import Dialect, provider

from hearth.core.rules.calling import wire_id
from hearth.core.rules.retrying import pause
from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.ids import CallId
from hearth.core.vocabulary.lines import Dialect as Wire
from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.modelling import ModelAnswered, ModelFailed, Trouble, Written
from hearth.core.vocabulary.progress import TextDelta

HEARD = "grüße"
SAID = (Think("Let me see."), Say(f"Many {HEARD} to all of you"), Call("run_code", {"code": "1"}))

NONSENSE: dict[Dialect, str] = {
    "anthropic": 'event: content_block_delta\ndata: {"type":"content_block_delta","index":77}\n\n',
    "responses": 'event: response.completed\ndata: {"type":"response.completed"}\n\n',
    "chat": 'data: {"choices":7}\n\n',
    "deepseek": 'data: {"choices":[{"delta":[]}]}\n\n',
}
"""JSON, but not as the protocol has it."""


class Provider(NamedTuple):
    """A provider and a model of it."""

    dialect: Dialect
    choice: ModelChoice


PROVIDERS = [
    Provider("anthropic", CLAUDE),
    Provider("responses", GPT),
    Provider("chat", ModelChoice("openai", "gpt-4.1", Wire.CHAT, 128_000, 8_000)),
    Provider("deepseek", ModelChoice("deepseek", "deepseek-reasoner", Wire.CHAT, 128_000, 8_000)),
]
each_wire = pytest.mark.parametrize("one", PROVIDERS, ids=[one.dialect for one in PROVIDERS])


def each_fault(*faults: Fault) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fault", faults)


def conversation(one: Provider) -> Held:
    held = Held()
    held.choice = one.choice
    held.begin()
    held.user("hello")
    return held


async def fails(
    one: Provider, fault: Fault, trouble: Trouble, *, breaks: bool = True, idle: float = PATIENCE
) -> ModelFailed:
    """Meet the fault, then ask once more. What is the same for every fault is asserted here.

    Where nothing breaks, the answer ends as HTTP wants it, and the connection may be used again.
    """
    held = conversation(one)
    replies = [Reply(SAID, fault=fault), Reply((Say("There."),))]
    async with (
        provider(one.dialect, replies, key=KEY) as fake,
        asked_by(held, keys_for(fake.url), idle=idle) as models,
    ):
        audience = Audience()
        await models.perform(S, held.ask(), audience)
        failed = await audience.told(ModelFailed)
        assert failed.trouble is trouble, failed
        assert one.choice.name in failed.message
        assert KEY not in failed.message
        await fake.received(1)
        if breaks:
            await fake.left_alone()
        models._requesting.idle = PATIENCE
        report = await answered(models, held.ask(), ModelAnswered)
        assert audience.reports == [failed], "one report, however long one waits"
        assert report.written == (Written("There."),)
        first, second = fake.requests
        assert second.body == first.body, "the attempt that failed left nothing behind"
        assert not fake.refusals
        assert fake.connections == 1
    return failed


def worth_another(failed: ModelFailed) -> bool:
    """Whether the rules make another attempt."""
    return pause(failed.trouble, 1, 5, failed.retry_after) is not None


@each_wire
@each_fault(
    Status(429, {"Retry-After": "7"}, message="Slower, please."),
    Status(
        429,
        {"retry-after": "Thu, 01 Jan 2026 12:00:07 GMT", "date": "Thu, 01 Jan 2026 12:00:00 GMT"},
    ),
    Status(429, {"retry-after-ms": "7000", "retry-after": "9"}),
    Status(429, {"retry-after": "7"}, body="<html>Too many requests</html>"),
)
async def test_a_rate_limit_says_how_long_to_wait(one: Provider, fault: Status) -> None:
    failed = await fails(one, fault, Trouble.RATE_LIMITED, breaks=False)
    assert (failed.status, failed.retry_after) == (429, 7.0)
    assert pause(failed.trouble, 1, 5, failed.retry_after) == 7.0


@each_wire
async def test_a_key_without_money_is_not_waited_for(one: Provider) -> None:
    said = "You exceeded your current quota: your credit balance is too low."
    fault = Status(429, {"retry-after": "7"}, message=said, code="insufficient_quota")
    if one.dialect == "anthropic":
        fault = Status(400, message="Your credit balance is too low to access the Anthropic API.")
    assert not worth_another(await fails(one, fault, Trouble.CREDENTIALS, breaks=False))


@each_wire
async def test_a_provider_that_has_too_much_to_do_is_overloaded(one: Provider) -> None:
    own = Status(529 if one.dialect == "anthropic" else 503, message="Overloaded")
    failed = await fails(one, own, Trouble.OVERLOADED, breaks=False)
    assert (failed.status, failed.retry_after) == (own.status, None)
    assert worth_another(failed)


@each_wire
async def test_what_stands_before_a_provider_may_have_too_much_to_do_as_well(one: Provider) -> None:
    fault = Status(503, {"retry-after": "3"}, body="<html>Service Unavailable</html>")
    failed = await fails(one, fault, Trouble.OVERLOADED, breaks=False)
    assert (failed.status, failed.retry_after) == (503, 3.0)
    assert worth_another(failed)


@each_wire
@each_fault(Status(500), Status(502, body="<html>Bad gateway</html>"), Status(504, body=""))
async def test_a_provider_in_trouble_is_no_fault_of_the_request(
    one: Provider, fault: Status
) -> None:
    failed = await fails(one, fault, Trouble.SERVER, breaks=False)
    assert (failed.status, failed.retry_after) == (fault.status, None)
    assert worth_another(failed)


@each_wire
@each_fault(Cut(), Cut(at=HEARD), Cut(at="run_code"), Cut(1, "ü"))
async def test_a_connection_that_breaks_is_the_network(one: Provider, fault: Cut) -> None:
    failed = await fails(one, fault, Trouble.NETWORK)
    assert failed.status is None
    assert worth_another(failed)


@each_wire
@each_fault(*[Cut(each.after, each.at, politely=True) for each in (Cut(), Cut(at=HEARD))])
async def test_a_stream_that_ends_before_the_answer_does_is_the_network(
    one: Provider, fault: Cut
) -> None:
    assert worth_another(await fails(one, fault, Trouble.NETWORK, breaks=False))


@each_wire
async def test_a_stream_that_ends_inside_a_character_is_the_network(one: Provider) -> None:
    fault = Cut(1, "ü", politely=True)
    assert worth_another(await fails(one, fault, Trouble.NETWORK, breaks=False))


@each_wire
async def test_a_stream_that_is_cut_inside_every_character_is_understood(one: Provider) -> None:
    held, audience, whole = conversation(one), Audience(), f"Many {HEARD} to all of you"
    async with (
        provider(one.dialect, [Reply(SAID, split=1)]) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        await models.perform(S, held.ask(), audience)
        report = await audience.told(ModelAnswered)
    assert whole in [piece.text for piece in report.written]
    assert "".join(one.text for one in audience.shown if isinstance(one, TextDelta)) == whole


@each_wire
@each_fault(Silence(), Silence(at=HEARD), Silence(1, "ü"))
async def test_a_provider_that_falls_silent_is_given_up(one: Provider, fault: Silence) -> None:
    failed = await fails(one, fault, Trouble.SILENT, idle=0.2)
    assert failed.status is None
    assert worth_another(failed)


@each_wire
@each_fault(Garbage(at=HEARD), Garbage(at=HEARD, data="data: [1, 2]\n\n"))
async def test_a_stream_of_something_else_is_malformed(one: Provider, fault: Garbage) -> None:
    assert worth_another(await fails(one, fault, Trouble.MALFORMED))


@each_wire
async def test_an_event_that_makes_no_sense_is_malformed(one: Provider) -> None:
    fault = Garbage(at=HEARD, data=NONSENSE[one.dialect])
    assert worth_another(await fails(one, fault, Trouble.MALFORMED))


@each_wire
async def test_an_error_in_the_middle_of_a_stream_is_told(one: Provider) -> None:
    own = "overloaded_error" if one.dialect == "anthropic" else "server_is_overloaded"
    fault = StreamError(at=HEARD, kind=own, message="Overloaded")
    failed = await fails(one, fault, Trouble.OVERLOADED, breaks=False)
    assert "Overloaded" in failed.message
    assert worth_another(failed)


@each_wire
async def test_a_conversation_that_is_too_long_overflows(one: Provider) -> None:
    failed = await fails(one, Overflow(), Trouble.OVERFLOW, breaks=False)
    assert failed.status == 400
    assert not worth_another(failed)


@each_wire
async def test_a_wrong_key_is_told_without_it(one: Provider) -> None:
    held, wrong = conversation(one), "sk-wrong-0123456789"
    async with (
        provider(one.dialect, [], key=KEY) as fake,
        asked_by(held, keys_for(fake.url, wrong)) as models,
    ):
        failed = await answered(models, held.ask(), ModelFailed)
    assert (failed.trouble, failed.status) == (Trouble.CREDENTIALS, 401)
    assert wrong not in failed.message
    assert not worth_another(failed)
    assert len(fake.requests) == 1


@each_wire
async def test_a_request_that_is_not_accepted_says_why(one: Provider) -> None:
    fault = Status(400, message="messages: this will not do")
    failed = await fails(one, fault, Trouble.REJECTED, breaks=False)
    assert failed.status == 400
    assert "this will not do" in failed.message
    assert not worth_another(failed)


@each_wire
async def test_a_model_that_the_provider_does_not_know_is_told(one: Provider) -> None:
    said = f"The model `{one.choice.model}` does not exist or you do not have access to it."
    fault = Status(404, message=said, code="model_not_found")
    if one.dialect == "anthropic":
        fault = Status(404, message=f"model: {one.choice.model}")
    failed = await fails(one, fault, Trouble.UNKNOWN_MODEL, breaks=False)
    assert failed.status == 404
    assert not worth_another(failed)


@each_wire
async def test_an_address_at_which_nobody_listens_is_the_network(one: Provider) -> None:
    held = conversation(one)
    async with provider(one.dialect, []) as fake:
        pass
    async with asked_by(held, keys_for(fake.url)) as models:
        failed = await answered(models, held.ask(), ModelFailed)
    assert (failed.trouble, failed.status) == (Trouble.NETWORK, None)
    assert worth_another(failed)


@each_wire
async def test_a_refusal_is_an_answer(one: Provider) -> None:
    held = conversation(one)
    async with (
        provider(one.dialect, [Reply((Say("I will not."),), stop="refusal")]) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        report = await answered(models, held.ask(), ModelAnswered)
    assert report.stop is StopReason.REFUSAL
    assert not any(piece.name for piece in report.written)


def seal(held: Held, written: Sequence[Written], step: int) -> list[str]:
    """Seal an answer with the names that the rules give to its calls, each with a result."""
    named: list[str] = []
    renamed: list[Written] = []
    for piece in written:
        if piece.name:
            call = CallId(f"k{step}0{len(named)}")
            named.append(wire_id(piece.wire_id, call, S))
            renamed.append(Written(piece.text, name=piece.name, wire_id=named[-1]))
        else:
            renamed.append(piece)
    held.wrote(renamed, step=step, result="no such thing")
    return named


@each_wire
async def test_arguments_that_are_no_json_are_kept_as_they_came_and_can_be_sent_back(
    one: Provider,
) -> None:
    held, broken = conversation(one), '{"code": "1 +'
    replies = [Reply((Think("Hm."), Call("run_code", broken))), Reply((Say("Sorry."),))]
    async with (
        provider(one.dialect, replies) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        report = await answered(models, held.ask(), ModelAnswered)
        assert [piece.text for piece in report.written if piece.name] == [broken]
        seal(held, report.written, 1)
        await answered(models, held.ask(), ModelAnswered)
        assert not fake.refusals
    assert "1 +" in fake.requests[1].body.decode()


@each_wire
async def test_ids_that_come_twice_or_have_odd_characters_are_sent_once_and_plain(
    one: Provider,
) -> None:
    held = conversation(one)
    names = ("the_same_id_twice", "the_same_id_twice", "a.b/c:d é and more", "long" * 30)
    replies = [
        Reply(tuple(Call("run_code", {}, name) for name in names)),
        Reply((Say("Done."),)),
    ]
    async with (
        provider(one.dialect, replies) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        report = await answered(models, held.ask(), ModelAnswered)
        assert len([piece for piece in report.written if piece.name]) == 4, "none is lost"
        named = seal(held, report.written, 1)
        assert len(set(named)) == 4
        await answered(models, held.ask(), ModelAnswered)
        assert not fake.refusals


@each_wire
async def test_ids_that_reach_the_wire_as_they_came_are_made_plain_there(one: Provider) -> None:
    held = conversation(one)
    names = ("a.b/c:d é and more", "a.b/c:d ü and more", "long" * 30)
    replies = [
        Reply(tuple(Call("run_code", {}, name) for name in names)),
        Reply((Say("Done."),)),
    ]
    async with (
        provider(one.dialect, replies) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        report = await answered(models, held.ask(), ModelAnswered)
        held.wrote(report.written, step=1)
        await answered(models, held.ask(), ModelAnswered)
        assert not fake.refusals


@each_wire
async def test_a_strict_provider_accepts_every_step_and_each_begins_with_the_one_before(
    one: Provider,
) -> None:
    held = conversation(one)
    replies = [Reply(SAID, repeat=5), Reply((Think("So."), Say("Done."))), Reply((Say("Yes."),))]
    async with (
        provider(one.dialect, replies) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        for step in range(1, 7):
            report = await answered(models, held.ask(), ModelAnswered)
            held.wrote(report.written, step=step)
        held.user("and now?")
        await answered(models, held.ask(), ModelAnswered)
        assert not fake.refusals
        assert [shares.stability for shares in fake.shares] == [1.0] * 7
        for before, shares in zip(fake.shares, fake.shares[1:], strict=False):
            assert shares.readable >= before.size * 0.99, "all that was sent before is read"
