"""The scripted model is asked as every other one, and needs neither key nor network."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.performers.language_model.held import (
    SCRIPTED,
    SYSTEM,
    Audience,
    Held,
    S,
    answered,
    asked_by,
    keys_for,
)

from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.modelling import (
    ModelAnswered,
    ModelFailed,
    ModelStopped,
    StopAsking,
    SummaryMade,
    Trouble,
    Written,
)
from hearth.core.vocabulary.progress import TextDelta, ThinkingDelta, ToolCallForming
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.performer import Models
from hearth.performers.language_model.scripted import ScriptedVoice


def held_by(choice: ModelChoice = SCRIPTED, text: str = "run: 6 * 7") -> Held:
    held = Held()
    held.choice = choice
    held.begin()
    held.user(text)
    return held


def playing(tmp_path: Path, *steps: Any) -> ModelChoice:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(steps))
    return ModelChoice("scripted", str(path), Dialect.SCRIPTED, 200_000, 32_000)


async def test_the_companion_runs_code_and_tells_its_result_without_any_key() -> None:
    held = held_by()
    async with asked_by(held, keys_for(None, None)) as models:
        first = await answered(models, held.ask(step=1), ModelAnswered)
        assert first.stop is StopReason.TOOLS
        (call,) = [one for one in first.written if one.name]
        assert (call.name, call.text) == ("run_code", '{"code": "6 * 7"}')
        held.wrote(first.written, step=1, result="Out: 42")
        second = await answered(models, held.ask(step=2), ModelAnswered)
        assert second.stop is StopReason.END
        assert "Out: 42" in str(second.written[0].text)
        held.wrote(second.written, step=2)
        held.user("thanks", S)
        third = await answered(models, held.ask(step=3), ModelAnswered)
        assert "thanks" in str(third.written[0].text)


async def test_a_script_is_played_word_by_word_and_the_same_each_time(tmp_path: Path) -> None:
    choice = playing(
        tmp_path,
        {"thinking": "Let me see.", "text": "I run  it.\nNow", "calls": [{"name": "run_code"}]},
    )
    reports = []
    for _ in range(2):
        held, audience = held_by(choice), Audience()
        async with asked_by(held) as models:
            await models.perform(S, held.ask(), audience)
            reports.append(await audience.told(ModelAnswered))
        texts = [one.text for one in audience.shown if isinstance(one, TextDelta)]
        thoughts = [one.text for one in audience.shown if isinstance(one, ThinkingDelta)]
        assert texts == ["I ", "run  ", "it.\n", "Now"]
        assert thoughts == ["Let ", "me ", "see."]
        assert isinstance(audience.shown[-1], ToolCallForming)
    first, second = reports
    assert first.written == second.written
    thinking, text, call = first.written
    assert (thinking.text, thinking.thinking) == ("Let me see.", True)
    assert json.loads(str(thinking.native)) == {"thinking": "Let me see."}
    assert text == Written("I run  it.\nNow")
    assert call == Written("{}", name="run_code", wire_id="call_0_0")


async def test_what_it_costs_is_counted_by_bytes_with_a_cache_that_is_real() -> None:
    held = held_by()
    async with asked_by(held) as models:
        first = await answered(models, held.ask(step=1), ModelAnswered)
        assert first.usage.cache_read == 0
        assert first.usage.input == first.wire.size // 4
        assert first.usage.input > len(SYSTEM) // 4
        held.wrote(first.written, step=1)
        second = await answered(models, held.ask(step=2), ModelAnswered)
    assert second.usage.cache_read == first.wire.size // 4
    assert second.usage.cache_write == second.wire.size // 4 - second.usage.cache_read
    assert second.usage.output > 0


async def test_it_takes_the_time_that_the_script_says_and_is_stopped_in_between(
    tmp_path: Path,
) -> None:
    choice = playing(tmp_path, {"text": "one two three", "delay": 2.5})
    held, audience, pauses = held_by(choice), Audience(), list[float]()
    ask = held.ask()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            await models.perform(S, StopAsking(ask.request), audience)

    async with asked_by(held, pause=pause) as models:
        await models.perform(S, ask, audience)
        report = await audience.told(ModelStopped)
    assert pauses == [2.5, 2.5, 2.5]
    assert report.written == (Written("one two "),)


async def test_a_script_that_cannot_be_played_is_told(tmp_path: Path) -> None:
    held = held_by(playing(tmp_path, {"txt": "x"}))
    async with asked_by(held) as models:
        report = await answered(models, held.ask(), ModelFailed)
    assert report.trouble is Trouble.REJECTED
    assert "unknown field `txt`" in report.message


async def test_a_relative_path_begins_where_the_session_works(tmp_path: Path) -> None:
    playing(tmp_path, {"text": "here"})
    held = held_by(ModelChoice("scripted", "script.json", Dialect.SCRIPTED, 1, 1))
    keys = Keys(lambda _: {}, {}, directory_of=lambda _: str(tmp_path))
    models = Models(held.read, held.fetch, keys)
    report = await answered(models, held.ask(), ModelAnswered)
    assert report.written == (Written("here"),)
    await models.close()


async def test_it_sums_up() -> None:
    held = held_by(text="weave")
    async with asked_by(held) as models:
        report = await answered(models, held.ask(purpose="summary"), SummaryMade)
    assert "- weave" in str(report.summary)
    assert report.usage.output > 0


async def test_a_daemon_that_goes_on_plays_the_step_that_is_next(tmp_path: Path) -> None:
    choice = playing(tmp_path, {"text": "one"}, {"text": "two"}, {"text": "three"})
    held = held_by(choice)
    said = []
    for step in range(1, 4):
        async with asked_by(held) as models:
            report = await answered(models, held.ask(step=step), ModelAnswered)
        said.append(report.written[0].text)
        held.wrote(report.written, step=step)
        held.user("on")
    assert said == ["one", "two", "three"]


def test_nothing_was_said_before_it_began() -> None:
    assert ScriptedVoice("", "").partial() == ()


@pytest.mark.parametrize("model", ["", "scripted", "companion"])
async def test_the_companion_has_several_names(model: str) -> None:
    held = held_by(ModelChoice("scripted", model, Dialect.SCRIPTED, 1, 1), "hello")
    async with asked_by(held) as models:
        report = await answered(models, held.ask(), ModelAnswered)
    assert "scripted model" in str(report.written[0].text)
