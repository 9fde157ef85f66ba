"""Models are asked over real wires: what they write is shown, and each request has one report."""

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.performers.language_model.held import (
    CLAUDE,
    GPT,
    KEY,
    LOCAL,
    PATIENCE,
    Audience,
    Held,
    S,
    answered,
    asked_by,
    keys_for,
)
from tests.providers.script import Call, Reply, Say, Silence, Status, Think
from tests.providers.server import provider

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.ids import RequestId, SessionId
from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.modelling import (
    AskModel,
    ModelAnswered,
    ModelFailed,
    ModelStopped,
    StopAsking,
    SummaryMade,
    Trouble,
    Written,
)
from hearth.core.vocabulary.progress import TextDelta, ThinkingDelta, ToolCallForming
from hearth.core.vocabulary.reports import EffectFailed
from hearth.log.event_log import CorruptRow
from hearth.performers.language_model.performer import Models

WIRES: list[Any] = [
    pytest.param("anthropic", CLAUDE, id="anthropic"),
    pytest.param("responses", GPT, id="responses"),
    pytest.param("chat", LOCAL, id="chat"),
]
LONG = " ".join(f"word{number} and 字{number}" for number in range(400))
RUN = Call("run_code", {"code": "1 + 1"})


def held_with(choice: ModelChoice, text: str = "hello") -> Held:
    held = Held()
    held.choice = choice
    held.begin()
    held.user(text)
    return held


@pytest.mark.parametrize(("dialect", "choice"), WIRES)
@pytest.mark.promise("LK-EMIT-03")
async def test_an_answer_is_shown_while_it_is_written_and_reported_once(
    dialect: Any, choice: ModelChoice
) -> None:
    held, audience, ticks = held_with(choice), Audience(), iter(range(10, 99, 3))
    reply = Reply((Think("Hm."), Say(LONG), RUN), split=701)
    async with provider(dialect, [reply]) as fake:
        async with asked_by(held, keys_for(fake.url), clock=lambda: next(ticks)) as models:
            await models.perform(S, held.ask(), audience)
            report = await audience.told(ModelAnswered)
        assert not fake.refusals
    assert report.stop is StopReason.TOOLS
    assert report.duration == 3
    assert report.usage.input > 0
    assert report.usage.output > 0
    assert report.wire.size > 0
    texts = {place: one for place, one in enumerate(report.written) if not one.name}
    shown: dict[int, str] = {}
    for delta in audience.shown:
        if isinstance(delta, TextDelta | ThinkingDelta):
            assert delta.offset == len(shown.get(delta.place, ""))
            shown[delta.place] = shown.get(delta.place, "") + delta.text
    assert shown == {place: one.text for place, one in texts.items() if one.text}
    assert LONG in shown.values()
    assert [one.name for one in audience.shown if isinstance(one, ToolCallForming)] == ["run_code"]
    (call,) = [one for one in report.written if one.name]
    assert json.loads(str(call.text)) == {"code": "1 + 1"}


@pytest.mark.parametrize(("dialect", "choice"), WIRES)
@pytest.mark.promise("DP-WIRE-02", "DP-WIRE-07")
async def test_many_steps_over_turns_and_restarts_are_accepted_and_read_from_the_cache(
    dialect: Any, choice: ModelChoice
) -> None:
    held = held_with(choice)
    replies = [
        Reply((Think(f"Step {step}."), Say(f"I run {step}."), RUN, Call("run_code", {"code": "2"})))
        for step in range(12)
    ]
    async with AsyncExitStack() as stack:
        fake = await stack.enter_async_context(provider(dialect, replies))
        models = await stack.enter_async_context(asked_by(held, keys_for(fake.url)))
        for step in range(1, 13):
            if step == 6:  # another daemon goes on
                models = await stack.enter_async_context(asked_by(held, keys_for(fake.url)))
            report = await answered(models, held.ask(step=step), ModelAnswered)
            if step > 1:
                assert report.wire.differs_at == ""
                assert report.wire.shared > 0
            held.wrote(report.written, step=step)
            if step in {4, 8}:
                held.user("and on")
        assert not fake.refusals
        for share in fake.shares[1:]:
            assert share.stability == 1.0
            assert share.readable_share > 0.9
        names = {_conversation(one.json) for one in fake.requests}
        assert len(names) == 1


def _conversation(body: dict[str, Any]) -> str:
    return str(body.get("prompt_cache_key") or body.get("metadata"))


@pytest.mark.promise("LK-CANC-01")
@pytest.mark.parametrize(("dialect", "choice"), WIRES)
async def test_stopping_reports_at_once_what_was_written_and_closes_the_connection(
    dialect: Any, choice: ModelChoice
) -> None:
    held, audience = held_with(choice), Audience()
    reply = Reply((Say("first second third"), RUN), fault=Silence(at="second"), split=50)
    async with provider(dialect, [reply]) as fake, asked_by(held, keys_for(fake.url)) as models:
        ask = held.ask()
        await models.perform(S, ask, audience)
        await audience.until(lambda: bool(audience.shown))
        await models.perform(S, StopAsking(ask.request), audience)
        # It is there already: nobody waits for the network.
        (report,) = audience.reports
        assert isinstance(report, ModelStopped)
        assert report.request == ask.request
        (one,) = report.written
        assert "first second third".startswith(str(one.text))
        assert one.text
        await fake.left_alone()
        assert audience.reports == [report]


async def test_what_is_stopped_before_it_began_wrote_nothing() -> None:
    held, audience = held_with(CLAUDE), Audience()
    async with asked_by(held) as models:
        ask = held.ask()
        await models.perform(S, ask, audience)
        await models.perform(S, StopAsking(ask.request), audience)
        assert audience.reports == [ModelStopped(ask.request)]
    assert audience.reports == [ModelStopped(ask.request)]


async def test_a_request_that_nobody_knows_is_stopped_at_once() -> None:
    audience = Audience()
    async with asked_by(Held()) as models:
        await models.perform(S, StopAsking(RequestId("r9")), audience)
    assert audience.reports == [ModelStopped(RequestId("r9"))]


async def test_closing_gives_everything_up_without_a_word() -> None:
    held, audience = held_with(CLAUDE), Audience()
    reply = Reply((Say("one two three"),), fault=Silence(at="two"))
    async with provider("anthropic", [reply]) as fake:
        async with asked_by(held, keys_for(fake.url)) as models:
            await models.perform(S, held.ask(), audience)
            await audience.until(lambda: bool(audience.shown))
        await fake.left_alone()
    assert audience.reports == []


@pytest.mark.promise("DP-WIRE-16")
async def test_calls_are_reported_and_never_run_and_an_error_has_its_status() -> None:
    held = held_with(CLAUDE)
    replies = [Reply((RUN,)), Reply(fault=Status(503, {"retry-after": "7"}))]
    async with provider("anthropic", replies) as fake, asked_by(held, keys_for(fake.url)) as models:
        report = await answered(models, held.ask(), ModelAnswered)
        assert [one.name for one in report.written] == ["run_code"]
        assert len(fake.requests) == 1, "nobody answered the call"
        failed = await answered(models, held.ask(), ModelFailed)
    assert failed.trouble in {Trouble.OVERLOADED, Trouble.SERVER}
    assert (failed.status, failed.retry_after) == (503, 7)


async def test_connections_are_used_again() -> None:
    held = held_with(CLAUDE)
    replies = [Reply((Say("yes"),))] * 5
    async with provider("anthropic", replies) as fake, asked_by(held, keys_for(fake.url)) as models:
        for step in range(1, 6):
            await answered(models, held.ask(step=step), ModelAnswered)
            await models_idle(models)
            assert fake.connections == 1


async def models_idle(models: Models) -> None:
    """Wait until answers were read to their ends."""
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(task for _, task in models._asking.values()))


@pytest.mark.promise("DL-COMP-01")
async def test_a_summary_is_reported_with_what_it_leaves_and_shown_to_nobody() -> None:
    held, audience = held_with(CLAUDE, "long ago"), Audience()
    held.says("indeed")
    newest = held.user("the newest")
    summary = Reply((Think("Hm."), Say("It was nice."), RUN))
    async with (
        provider("anthropic", [summary]) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        ask = held.ask(purpose="summary", keep_recent_tokens=3, focus="looms")
        await models.perform(S, ask, audience)
        report = await audience.told(SummaryMade)
        assert not fake.refusals
        (received,) = fake.requests
    assert (report.summary, report.keeps) == ("It was nice.", f"b{newest}")
    assert report.usage.output > 0
    assert audience.shown == []
    assert b"looms" in received.body
    assert b"the newest" not in received.body
    assert [one["name"] for one in received.json["tools"]] == ["run_code"]


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (Reply((RUN,)), Trouble.MALFORMED),
        (Reply((Say("No."),), stop="refusal"), Trouble.REJECTED),
    ],
)
async def test_no_summary_is_told_as_one(reply: Reply, trouble: Trouble) -> None:
    held = held_with(CLAUDE)
    async with provider("anthropic", [reply]) as fake, asked_by(held, keys_for(fake.url)) as models:
        report = await answered(models, held.ask(purpose="summary"), ModelFailed)
    assert report.trouble is trouble


@pytest.mark.promise("DP-CRED-05")
async def test_without_a_key_the_model_and_its_address_are_named_and_nobody_is_asked() -> None:
    held = held_with(CLAUDE)
    async with provider("anthropic", [Reply()]) as fake:
        async with asked_by(held, keys_for(fake.url, None)) as models:
            report = await answered(models, held.ask(), ModelFailed)
        assert fake.requests == []
        assert report.trouble is Trouble.CREDENTIALS
        assert CLAUDE.name in report.message
        assert fake.url in report.message
        assert "ANTHROPIC_API_KEY" in report.message


async def test_a_log_that_cannot_be_read_is_told() -> None:
    held = held_with(CLAUDE)
    ask = held.ask()
    held.down = OSError("disk gone")
    async with asked_by(held) as models:
        report = await answered(models, ask, ModelFailed)
    assert report.trouble is Trouble.UNREADABLE
    assert "disk gone" in report.message


async def test_a_log_that_is_damaged_is_not_waited_for() -> None:
    held = held_with(CLAUDE)
    ask = held.ask()
    held.down = CorruptRow("event 3 is not what it was")
    async with asked_by(held) as models:
        report = await answered(models, ask, ModelFailed)
    assert report.trouble is Trouble.REJECTED
    assert "event 3 is not what it was" in report.message


async def test_an_empty_conversation_is_told() -> None:
    held = Held()
    held.begin()
    async with asked_by(held) as models:
        report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble is Trouble.REJECTED


async def test_nobody_there_is_a_matter_of_the_network() -> None:
    held = held_with(CLAUDE)
    async with asked_by(held, keys_for("http://127.0.0.1:9")) as models:
        report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble is Trouble.NETWORK
    assert "127.0.0.1:9" in report.message


async def test_a_provider_that_says_nothing_is_given_up_on() -> None:
    held = held_with(CLAUDE)
    reply = Reply((Say("one two"),), fault=Silence(at="two"))
    async with (
        provider("anthropic", [reply]) as fake,
        asked_by(held, keys_for(fake.url), idle=0.1) as models,
    ):
        report = await answered(models, held.ask(), ModelFailed)
        await fake.left_alone()
    assert report.trouble is Trouble.SILENT


@pytest.mark.promise("DP-CRED-01")
async def test_a_key_that_a_provider_repeats_is_neither_reported_nor_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    key = "qwertyuiop-1234"  # of no shape that anybody knows
    held = held_with(CLAUDE)
    refusal = Status(401, body=json.dumps({"error": {"message": f"{key} is no key"}}))
    async with (
        provider("anthropic", [Reply(fault=refusal)]) as fake,
        asked_by(held, keys_for(fake.url, key)) as models,
    ):
        report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble is Trouble.CREDENTIALS
    assert report.status == 401
    assert "[a key] is no key" in report.message
    assert key not in caplog.text
    assert caplog.text


@pytest.mark.parametrize("where", ["opening", "piece", "reader", "headers"])
async def test_a_defect_of_a_codec_is_a_report_too_and_tells_no_key(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            if name == where:
                raise RuntimeError(f"defect with {KEY}")
            real = __import__("hearth.performers.language_model.anthropic", fromlist=["x"])
            return getattr(real.AnthropicCodec(), name)

    held = held_with(CLAUDE)
    async with provider("anthropic", [Reply((Say("yes"),))]) as fake:
        keys = keys_for(fake.url)
        async with asked_by(held, keys, codecs=lambda _: Broken()) as models:
            report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble in {Trouble.MALFORMED, Trouble.REJECTED}
    assert "RuntimeError" in report.message
    if where in {"reader", "headers"}:  # before, no key was known
        assert KEY not in report.message
        assert KEY not in caplog.text


async def test_a_dialect_that_cannot_be_spoken_is_told() -> None:
    def none(_: object) -> Any:
        raise ImportError("no such module")

    held = held_with(CLAUDE)
    async with asked_by(held, codecs=none) as models:
        report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble is Trouble.REJECTED


async def test_an_effect_of_somebody_else_is_refused() -> None:
    audience = Audience()
    effect = fx.StopWorker(1)
    async with asked_by(Held()) as models:
        assert models.effects == {AskModel, StopAsking}
        await models.perform(S, effect, audience)
    assert audience.reports == [EffectFailed(effect, "nobody here can do this")]


async def test_two_conversations_are_held_at_once() -> None:
    held = held_with(CLAUDE)
    other = SessionId("session-two")
    held.rows[other] = held.rows[S]
    async with (
        provider("anthropic", [Reply((Say("yes"),))] * 2) as fake,
        asked_by(held, keys_for(fake.url)) as models,
    ):
        ask, first, second = held.ask(), Audience(), Audience()
        await models.perform(S, ask, first)
        await models.perform(other, ask, second)
        one, two = await first.told(ModelAnswered), await second.told(ModelAnswered)
    assert one.written == two.written == (Written("yes"),)
