"""Carries tool calls out: each comes back exactly once, whatever happens in between."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import CallId, SessionId
from hearth.core.vocabulary.judging import EndJobs
from hearth.core.vocabulary.modelling import RunTool, SpillResult, StopTool, ToolReturned
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import ToolOutput
from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.spilling import Shown, shown, spill, spill_file
from hearth.performers.tools.tool import (
    Keep,
    Outcome,
    Scene,
    Tool,
    directory_of,
    root_of,
    unkept,
)

Fetch: TypeAlias = Callable[[str], Awaitable[bytes]]
EndSession: TypeAlias = Callable[[SessionId], Awaitable[None]]

GRACE: Final = 2.0
"""Seconds that a tool has to end after it was cancelled; then nobody waits for it any more."""
MOST_FILES: Final = 200
DIFF: Final = "text/x-diff"
STOPPED: Final = "It was stopped before it ended. What it did until then is not undone."

_said = logging.getLogger(__name__)


@dataclass(slots=True)
class _Running:
    """A call that has not come back yet."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False


class Tools:
    """Carries out RunTool, StopTool, SpillResult and EndJobs.

    `fetch` gets what is kept as a blob; without it such a text is told as missing. `keep` keeps
    what was in a file before a tool changed it. `end_session` ends what tools of a session left
    running. `clean` takes out of a result, and of a diff that is kept, what nobody may see.
    """

    effects: frozenset[type[fx.Effect]] = frozenset({RunTool, StopTool, SpillResult, EndJobs})

    def __init__(  # noqa: PLR0913 - each is a part of its own, by keyword
        self,
        registry: Registry,
        *,
        fetch: Fetch | None = None,
        keep: Keep = unkept,
        end_session: EndSession | None = None,
        clean: Callable[[str], str] = str,
        grace: float = GRACE,
    ) -> None:
        self._registry = registry
        self._fetch = fetch
        self._keep = keep
        self._end_session = end_session
        self._clean = clean
        self._grace = grace
        self._running: dict[tuple[SessionId, CallId], _Running] = {}
        self._tasks: set[asyncio.Task[Outcome]] = set()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Run a tool to its end, or stop one. Never raises."""
        match effect:
            case RunTool():
                await self._run(session, effect, stage)
            case StopTool():
                running = self._running.get((session, effect.call))
                if running is not None:
                    running.stop.set()
            case SpillResult():
                await self._spill(effect)
            case EndJobs():
                await self._end(session)
            case _:
                stage.report(r.EffectFailed(effect, "this is not a call of a tool"))

    async def close(self) -> None:
        """Cancel whatever runs."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            # One that will not be cancelled must not keep the daemon from its end.
            await asyncio.wait(tasks, timeout=self._grace)

    async def _run(self, session: SessionId, effect: RunTool, stage: Stage) -> None:
        key = (session, effect.call)
        if key in self._running:
            return  # it runs, and comes back once
        running = self._running[key] = _Running()
        try:
            outcome = await self._outcome(session, effect, stage, running)
            running.is_over = True
            stage.report(await self._returned(session, effect, outcome))
        except Exception as defect:  # noqa: BLE001 - a call comes back, whatever happens
            _said.exception("the result of %s in %s could not be told", effect.name, session)
            stage.report(ToolReturned(effect.call, _failed(effect.name, defect), is_error=True))
        finally:
            running.is_over = True
            del self._running[key]

    async def _outcome(
        self, session: SessionId, effect: RunTool, stage: Stage, running: _Running
    ) -> Outcome:
        def show(text: str) -> None:
            if not running.is_over:
                stage.show(ToolOutput(effect.call, text.encode("utf-8", "replace").decode()))

        task = asyncio.create_task(self._guarded(session, effect, show))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        stopping = asyncio.create_task(running.stop.wait())
        try:
            await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                running.is_over = True
                task.cancel()
                await asyncio.wait({task}, timeout=self._grace)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            stopping.cancel()
        if task.done() and not task.cancelled():
            return task.result()
        return Outcome(STOPPED, is_error=True)

    async def _guarded(
        self, session: SessionId, effect: RunTool, show: Callable[[str], None]
    ) -> Outcome:
        """What the tool answers, or the sentence that says why there is no answer."""
        try:
            found = await asyncio.to_thread(self._found, session, effect, show)
            if isinstance(found, Outcome):
                return found
            tool, scene = found
            said = await self._text(effect.arguments)
            return await tool.run(parsed(said, tool.input_schema), scene)
        except NotValid as wrong:
            text = f"The arguments of {effect.name} are not valid: {wrong}. Nothing was run."
            return Outcome(text, is_error=True)
        except Exception as defect:  # noqa: BLE001 - what a tool does wrong is its result
            _said.exception("%s of %s went wrong", effect.name, session)
            return Outcome(_failed(effect.name, defect), is_error=True)

    def _found(
        self, session: SessionId, effect: RunTool, show: Callable[[str], None]
    ) -> tuple[Tool, Scene] | Outcome:
        """The tool and where it is run. May wait for the disk."""
        scene = Scene(
            session=session,
            directory=directory_of(effect.config),
            root=root_of(effect.config),
            show=show,
            call=effect.call,
            agent=effect.agent,
            needs=effect.needs,
            keep=self._kept,
        )
        tool = self._registry.tool(effect.name, scene)
        if tool is not None and self._registry.offers(tool, scene):
            return tool, scene
        names = ", ".join(self._registry.offered(scene).names)
        text = f"There is no tool {effect.name[:100]} here. There are: {names}."
        return Outcome(text, is_error=True)

    async def _kept(self, content: bytes, media_type: str) -> Blob:
        """Keep content as it is, for it may be gone back to; a diff is there to be seen."""
        if media_type == DIFF:
            text = content.decode("utf-8", "replace")
            content = (await asyncio.to_thread(self._clean, text)).encode("utf-8", "replace")
        return await self._keep(content, media_type)

    async def _end(self, session: SessionId) -> None:
        try:
            if self._end_session is not None:
                await self._end_session(session)
        except Exception:  # noqa: BLE001 - a performer never raises
            _said.exception("the jobs of %s could not be ended", session)

    async def _spill(self, effect: SpillResult) -> None:
        try:
            text = await self._text(effect.text)
            await asyncio.to_thread(spill, Path(effect.path), text)
        except Exception:  # noqa: BLE001 - a performer never raises
            # Nobody waits for it, and head and tail are in the log.
            _said.exception("a long result could not be written to %s", effect.path)

    async def _returned(
        self, session: SessionId, effect: RunTool, outcome: Outcome
    ) -> ToolReturned:
        file = spill_file(effect.spill_folder, session, effect.call)

        def told() -> Shown:
            # First without secrets, then shorter: half of one could not be found any more.
            return shown(self._clean(outcome.text), effect.result_chars, file)

        is_short = len(outcome.text) <= effect.result_chars
        result = told() if is_short else await asyncio.to_thread(told)
        files = tuple(one.encode("utf-8", "replace").decode() for one in outcome.files)
        return ToolReturned(
            call=effect.call,
            result=result.text,
            is_error=outcome.is_error,
            spilled=result.spilled,
            files=files[:MOST_FILES],
            changes=outcome.changes,
            pictures=outcome.pictures,
        )

    async def _text(self, text: Text) -> str:
        if not isinstance(text, Blob):
            return text
        if self._fetch is None:
            raise LookupError("it is kept elsewhere and cannot be fetched")
        return (await self._fetch(text.sha256)).decode("utf-8", "replace")


def _failed(name: str, defect: Exception) -> str:
    """For the model: what went wrong, without our insides."""
    return f"{name} failed: {type(defect).__name__}: {defect}"[:2000]
