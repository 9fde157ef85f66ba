import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.tools.staging import SESSION, Heard, Pretended, call

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.effects import StopWorker
from hearth.core.vocabulary.ids import CallId, SessionId
from hearth.core.vocabulary.modelling import SpillResult, StopTool, ToolReturned
from hearth.core.vocabulary.reports import EffectFailed
from hearth.performers.tools.performer import STOPPED, Tools
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Outcome, Scene

TAKES = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
LIMIT = 30


class Slow:
    """A tool that says when it runs, and ends when it is let."""

    def __init__(self, *, stubborn: bool = False) -> None:
        self.runs = asyncio.Event()
        self.may_end = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.stubborn = stubborn
        self.count = 0

    async def __call__(self, _arguments: dict[str, Any], scene: Scene) -> Outcome:
        self.count += 1
        scene.show("begun")
        self.runs.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            if not self.stubborn:
                raise
            await self.may_end.wait()
            scene.show("too late")
        return Outcome("ended")


@pytest.fixture
async def slow() -> AsyncIterator[Slow]:
    one = Slow()
    yield one
    one.may_end.set()


async def returned(tool: Pretended, **wishes: Any) -> ToolReturned:
    heard = Heard()
    tools = Tools(Registry([tool]))
    async with asyncio.timeout(LIMIT):
        await tools.perform(SESSION, call(**wishes), heard)
        await tools.close()
    return heard.returned


async def test_a_tool_is_run_where_its_session_works(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    seen: list[tuple[dict[str, Any], Scene]] = []

    async def act(arguments: dict[str, Any], scene: Scene) -> Outcome:
        seen.append((arguments, scene))
        return Outcome("yes", files=("a.py",))

    tool = Pretended(act=act, input_schema=TAKES)
    here = str(tmp_path / "below")
    found = await returned(tool, arguments='{"text": "x"}', directory=here)
    assert found == ToolReturned(CallId("k1"), "yes", files=("a.py",))
    [(arguments, scene)] = seen
    assert arguments == {"text": "x"}
    assert (scene.session, scene.directory, scene.root) == (SESSION, here, str(tmp_path))


async def test_a_tool_is_run_in_the_project_that_is_there_when_it_is_called(
    tmp_path: Path,
) -> None:
    (tmp_path / "below").mkdir()
    seen: list[str] = []

    async def act(_arguments: dict[str, Any], scene: Scene) -> Outcome:
        seen.append(scene.root)
        return Outcome("yes")

    tools = Tools(Registry([Pretended(act=act)]))
    here = str(tmp_path / "below")
    await tools.perform(SESSION, call(directory=here), Heard())
    (tmp_path / ".git").mkdir()
    await tools.perform(SESSION, call(directory=here), Heard())
    assert seen == [here, str(tmp_path)]


async def test_what_a_tool_shows_is_progress() -> None:
    async def act(_arguments: dict[str, Any], scene: Scene) -> Outcome:
        scene.show("half")
        scene.show("whole\ud800")
        return Outcome("done")

    heard = Heard()
    await Tools(Registry([Pretended(act=act)])).perform(SESSION, call(), heard)
    assert heard.shown == ["half", "whole?"]


@pytest.mark.parametrize(
    "arguments", ["{", "[]", "{}", '{"text": 5}', '{"text": "x", "other": 1}', '{"text": null}']
)
async def test_what_is_not_valid_is_never_run(arguments: str) -> None:
    async def act(_arguments: dict[str, Any], _scene: Scene) -> Outcome:
        raise AssertionError("it was run")

    found = await returned(Pretended(act=act, input_schema=TAKES), arguments=arguments)
    assert found.is_error
    assert isinstance(found.result, str)
    assert found.result.startswith("The arguments of pretend are not valid: ")
    assert found.result.endswith(". Nothing was run.")


async def test_a_tool_that_is_not_there_or_not_offered_is_told_with_those_that_are() -> None:
    hidden = Pretended(offers=lambda _: False)
    for name in ("pretend", "unknown"):
        found = await returned(hidden, name=name)
        assert found.is_error
        assert found.result == (
            f"There is no tool {name} here. There are: check_code, compact_conversation, inspect, "
            "keep_variant, run_code, tasks, try_code, undo_code."
        )


async def test_what_a_tool_raises_is_its_result_and_no_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def act(_arguments: dict[str, Any], _scene: Scene) -> Outcome:
        raise RuntimeError("the disk is gone")

    with caplog.at_level(logging.ERROR):
        found = await returned(Pretended(act=act))
    assert found.is_error
    assert found.result == "pretend failed: RuntimeError: the disk is gone"
    assert "pretend of session-1 went wrong" in caplog.text


@pytest.mark.promise("DP-TOOL-06")
async def test_a_long_result_is_shortened_and_kept(tmp_path: Path) -> None:
    async def act(_arguments: dict[str, Any], _scene: Scene) -> Outcome:
        return Outcome("x" * 5000, files=tuple(f"{number}" for number in range(1000)))

    found = await returned(Pretended(act=act), most=100, folder=str(tmp_path))
    file = tmp_path / SESSION / "k1.txt"
    assert found.spilled == str(file)
    assert isinstance(found.result, str)
    assert f"in {file}" in found.result
    assert len(found.result) < 400
    assert file.read_text() == "x" * 5000
    assert len(found.files) == 200


async def test_a_tool_that_is_stopped_is_cancelled_and_comes_back_once(slow: Slow) -> None:
    heard = Heard()
    tools = Tools(Registry([Pretended(act=slow)]))
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(tools.perform(SESSION, call(), heard))
        await slow.runs.wait()
        # Of another session, or another call: not meant.
        await tools.perform(SessionId("other"), StopTool(CallId("k1")), heard)
        await tools.perform(SESSION, StopTool(CallId("k2")), heard)
        assert not slow.cancelled.is_set()
        await tools.perform(SESSION, StopTool(CallId("k1")), heard)
        await running
        await tools.perform(SESSION, StopTool(CallId("k1")), heard)
    assert slow.cancelled.is_set()
    assert heard.returned == ToolReturned(CallId("k1"), STOPPED, is_error=True)


async def test_a_tool_that_will_not_be_stopped_is_waited_for_no_longer() -> None:
    slow = Slow(stubborn=True)  # and it goes on after its end
    heard = Heard()
    tools = Tools(Registry([Pretended(act=slow)]), grace=0.0)
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(tools.perform(SESSION, call(), heard))
        await slow.runs.wait()
        await tools.perform(SESSION, StopTool(CallId("k1")), heard)
        await running
        assert heard.returned.result == STOPPED
        slow.may_end.set()
        await asyncio.wait(asyncio.all_tasks() - {running, asyncio.current_task()})
    assert len(heard.reports) == 1
    assert heard.shown == ["begun"], "what it shows after its end is nobody's"
    await tools.close()


@pytest.mark.promise("DP-TOOL-04")
async def test_a_call_that_is_asked_for_twice_runs_once_and_comes_back_once(slow: Slow) -> None:
    heard = Heard()
    tools = Tools(Registry([Pretended(act=slow)]))
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(tools.perform(SESSION, call(), heard))
        await slow.runs.wait()
        await tools.perform(SESSION, call(), heard)
        slow.may_end.set()
        await running
    assert slow.count == 1
    assert heard.returned.result == "ended"


@pytest.mark.promise("DP-TOOL-04")
async def test_many_calls_at_once_come_back_once_each() -> None:
    heard = Heard()
    tools = Tools(Registry([Pretended()]))
    async with asyncio.timeout(LIMIT):
        await asyncio.gather(
            *(tools.perform(SESSION, call(number=f"k{one}"), heard) for one in range(40))
        )
    calls = [one.call for one in heard.reports if isinstance(one, ToolReturned)]
    assert sorted(calls) == sorted(f"k{one}" for one in range(40))


async def test_closing_ends_what_runs(slow: Slow) -> None:
    heard = Heard()
    tools = Tools(Registry([Pretended(act=slow)]))
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(tools.perform(SESSION, call(), heard))
        await slow.runs.wait()
        await tools.close()
        await running
    assert slow.cancelled.is_set()
    assert len(heard.reports) == 1


async def test_whoever_is_cancelled_leaves_no_tool_behind(slow: Slow) -> None:
    heard = Heard()
    tools = Tools(Registry([Pretended(act=slow)]))
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(tools.perform(SESSION, call(), heard))
        await slow.runs.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await slow.cancelled.wait()
    assert heard.reports == [], "the daemon ends; what is open is told by the next one"


async def test_a_result_that_rules_made_is_written_down(tmp_path: Path) -> None:
    heard = Heard()
    file = tmp_path / "s" / "k1.txt"
    tools = Tools(Registry())
    await tools.perform(SESSION, SpillResult(str(file), "all of it"), heard)
    assert file.read_text() == "all of it"
    assert heard.reports == []


async def test_what_is_kept_as_a_blob_is_fetched(tmp_path: Path) -> None:
    async def fetch(digest: str) -> bytes:
        return {"a": b"all of it", "b": b'{"text": "x"}'}[digest]

    heard = Heard()
    tool = Pretended(input_schema=TAKES)
    tools = Tools(Registry([tool]), fetch=fetch)
    file = tmp_path / "k1.txt"
    await tools.perform(SESSION, SpillResult(str(file), Blob("a", 9)), heard)
    assert file.read_text() == "all of it"
    await tools.perform(SESSION, call(arguments=Blob("b", 13)), heard)
    assert heard.returned.result == "done"
    lacking = Heard()
    await Tools(Registry([tool])).perform(SESSION, call(arguments=Blob("b", 13)), lacking)
    assert lacking.returned.is_error


async def test_what_cannot_be_written_down_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    heard = Heard()
    with caplog.at_level(logging.ERROR):
        await Tools(Registry()).perform(
            SESSION, SpillResult(str(tmp_path / "file" / "x"), "all"), heard
        )
    assert "could not be written" in caplog.text
    assert heard.reports == []


async def test_what_is_no_call_is_told_as_such() -> None:
    heard = Heard()
    await Tools(Registry()).perform(SESSION, StopWorker(1), heard)
    [report] = heard.reports
    assert isinstance(report, EffectFailed)


async def test_a_diff_is_kept_without_secrets_and_what_was_there_as_it_was() -> None:
    kept: dict[str, bytes] = {}

    async def keep(content: bytes, media_type: str) -> Blob:
        kept[media_type] = content
        return Blob("a", len(content), media_type)

    async def act(_: dict[str, Any], scene: Scene) -> Outcome:
        await scene.keep(b"key: hunter2", "text/plain")
        await scene.keep(b"-key: hunter2", "text/x-diff")
        return Outcome("key: hunter2")

    tools = Tools(
        Registry([Pretended(act=act)]), keep=keep, clean=lambda text: text.replace("hunter2", "…")
    )
    heard = Heard()
    await tools.perform(SESSION, call(), heard)
    assert heard.returned.result == "key: …"
    assert kept == {"text/plain": b"key: hunter2", "text/x-diff": "-key: …".encode()}
