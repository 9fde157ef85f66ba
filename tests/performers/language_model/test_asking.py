"""One request has one report, whatever its voice does."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.performers.language_model.held import CLAUDE, KEY, T1, Audience, Held, S

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import (
    ModelAnswered,
    ModelFailed,
    ModelStopped,
    SummaryMade,
    Trouble,
    Written,
)
from hearth.core.vocabulary.progress import TextDelta
from hearth.performers.language_model.anthropic import AnthropicCodec
from hearth.performers.language_model.asking import Asking
from hearth.performers.language_model.codec import Answer, TextHeard, WireTrouble
from hearth.performers.language_model.key_texts import KeyMissing
from hearth.performers.language_model.reading import Reading
from hearth.performers.language_model.tape import Encoding, Tapes
from hearth.performers.language_model.voices import Listener, Request
from hearth.performers.language_model.wires import WireEncoding

YES = Answer((Written("Yes."),), StopReason.END, Usage(fresh=3, output=1))
Says = Callable[[Listener], Awaitable[None]]


class Spoken:
    """A voice that does what it is told."""

    def __init__(self, says: Says) -> None:
        self.encoding: Encoding = WireEncoding(AnthropicCodec())
        self.secrets: tuple[str, ...] = (KEY,)
        self._says = says

    async def answer(self, request: Request, listener: Listener) -> None:
        assert request.body
        await self._says(listener)

    def partial(self) -> tuple[Written, ...]:
        return (Written("half"),)


class Asked:
    """A request that is about to be made."""

    def __init__(self, says: Says, **other: Any) -> None:
        self.held = Held()
        self.held.begin()
        self.held.user("hello")
        self.audience = Audience()
        self.tapes = Tapes(Reading(self.held.read, self.held.fetch))
        self.ask = self.held.ask(**other)
        ticks = iter((5.0, 7.5))
        self.asking = Asking(
            S, self.ask, self.audience, self.tapes, Spoken(says), clock=lambda: next(ticks)
        )


async def test_an_answer_is_reported_with_how_long_it_took_and_how_like_it_was() -> None:
    async def says(listener: Listener) -> None:
        listener.began()
        listener.hear((TextHeard(0, "Yes."),))
        listener.done(YES)

    asked = Asked(says)
    await asked.asking.run()
    (report,) = asked.audience.reports
    assert isinstance(report, ModelAnswered)
    assert (report.written, report.stop, report.usage) == (YES.written, YES.stop, YES.usage)
    assert report.duration == 2.5
    assert report.wire.why == "first"
    assert asked.audience.shown == [TextDelta(T1, 1, 0, 0, "Yes.")]
    again = await asked.tapes.draft(S, asked.held.ask(), WireEncoding(AnthropicCodec()))
    assert again.note.shared == again.note.size, "the request was taken, and is the one before"


async def test_what_comes_after_the_report_is_not_told() -> None:
    async def says(listener: Listener) -> None:
        listener.done(YES)
        listener.done(YES)
        listener.hear((TextHeard(0, "more"),))
        raise WireTrouble(Trouble.NETWORK, "cut off")

    asked = Asked(says)
    await asked.asking.run()
    asked.asking.stop()
    assert [type(one) for one in asked.audience.reports] == [ModelAnswered]
    assert asked.audience.shown == []


async def test_what_is_stopped_is_not_answered_any_more() -> None:
    async def says(listener: Listener) -> None:
        asked.asking.stop()
        listener.hear((TextHeard(0, "more"),))
        listener.done(YES)

    asked = Asked(says)
    await asked.asking.run()
    assert asked.audience.reports == [ModelStopped(asked.ask.request, (Written("half"),))]
    assert asked.audience.shown == []


async def test_nothing_is_kept_of_a_summary_that_is_stopped() -> None:
    async def says(_: Listener) -> None:
        asked.asking.stop()

    asked = Asked(says, purpose="summary")
    await asked.asking.run()
    assert asked.audience.reports == [ModelStopped(asked.ask.request)]


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (WireTrouble(Trouble.RATE_LIMITED, f"slow down, {KEY}", 429, 2.5), Trouble.RATE_LIMITED),
        (KeyMissing(f"no key like {KEY}"), Trouble.CREDENTIALS),
        (ZeroDivisionError(f"defect with {KEY}"), Trouble.MALFORMED),
        (None, Trouble.MALFORMED),
    ],
)
async def test_whatever_goes_wrong_is_a_report_without_a_key(
    error: Exception | None, trouble: Trouble, caplog: pytest.LogCaptureFixture
) -> None:
    async def says(_: Listener) -> None:
        if error is not None:
            raise error

    asked = Asked(says)
    await asked.asking.run()
    (report,) = asked.audience.reports
    assert isinstance(report, ModelFailed)
    assert report.trouble is trouble
    assert report.message.startswith(f"{CLAUDE.name}: ")
    assert KEY not in report.message
    assert KEY not in caplog.text
    assert report.message in caplog.text
    if isinstance(error, WireTrouble):
        assert (report.status, report.retry_after) == (429, 2.5)
    if isinstance(error, ZeroDivisionError):
        assert "Traceback" in caplog.text


@pytest.mark.promise("DP-WIRE-16")
async def test_calls_in_a_summary_are_left_out() -> None:
    async def says(listener: Listener) -> None:
        written = (
            Written("Hm.", thinking=True),
            Written("It was"),
            Written("{}", name="run_code", wire_id="x"),
            Written("nice."),
        )
        listener.hear((TextHeard(0, "It was"),))
        listener.done(Answer(written, StopReason.TOOLS, Usage(output=9)))

    asked = Asked(says, purpose="summary")
    await asked.asking.run()
    summary = SummaryMade(asked.ask.request, "It was\n\nnice.", "", Usage(output=9))  # type: ignore[arg-type] # no block
    assert asked.audience.reports == [summary]
    assert asked.audience.shown == []
