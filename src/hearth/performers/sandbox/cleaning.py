"""Has what another performer says cleaned of secrets, in order and without holding anyone up."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import RichData
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.modelling import ToolReturned
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import (
    DisplayShown,
    OutputChunk,
    OutputCleared,
    Progress,
    ToolOutput,
    WarmUpStep,
)
from hearth.core.vocabulary.reports import Report
from hearth.performers.sandbox.redacting import Redactor

LARGE: Final = 256 * 1024
"""Characters; more of them are looked at in a thread, so that nobody else waits for it."""
_Passed: TypeAlias = list[Callable[[], None]]
"""What is said instead of what came, in order."""

_said = logging.getLogger(__name__)


class RedactingPerformer:
    """A performer whose reports and progress have no secrets in them.

    What is large is cleaned in a thread; what is said behind it in the same session waits for it.
    """

    def __init__(self, performer: Performer, redactor: Redactor) -> None:
        self._performer = performer
        self._redactor = redactor
        self._held: dict[tuple[SessionId, str, str], str] = {}
        """By what is being written: an end that could be the beginning of a secret."""
        self._waiting: dict[SessionId, deque[Callable[[], _Passed]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def effects(self) -> frozenset[type[Effect]]:
        """The kinds it carries out."""
        return self._performer.effects

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Carry out one effect. Never raises."""
        cleaned = _Stage(
            session, stage, self._redactor, self._held, partial(self._in_turn, session)
        )
        await self._performer.perform(session, effect, cleaned)

    async def close(self) -> None:
        """Let go of everything held in this process."""
        await self._performer.close()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _in_turn(self, session: SessionId, said: object, clean: Callable[[], _Passed]) -> None:
        """Pass on what was said: now if it is small and nothing is before it."""
        if (waiting := self._waiting.get(session)) is not None:
            waiting.append(clean)
        elif _is_large(said):
            self._waiting[session] = deque([clean])
            task = asyncio.create_task(self._pass_on(session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            for pass_on in clean():
                pass_on()

    async def _pass_on(self, session: SessionId) -> None:
        waiting = self._waiting[session]
        while waiting:
            try:
                for pass_on in await asyncio.to_thread(waiting.popleft()):
                    pass_on()
            except Exception:  # noqa: BLE001 - what cannot be cleaned is not shown, and keeps nobody waiting
                _said.exception("something that was shown in %s could not be cleaned", session)
        del self._waiting[session]


class _Stage:
    """Passes on what is said, cleaned."""

    def __init__(
        self,
        session: SessionId,
        stage: Stage,
        redactor: Redactor,
        held: dict[tuple[SessionId, str, str], str],
        in_turn: Callable[[object, Callable[[], _Passed]], None],
    ) -> None:
        self._session = session
        self._stage = stage
        self._redactor = redactor
        self._held = held
        self._in_turn = in_turn

    def report(self, report: Report) -> None:
        self._in_turn(report, partial(self._of_report, report))

    def show(self, progress: Progress) -> None:
        self._in_turn(progress, partial(self._of_progress, progress))

    def _of_report(self, report: Report) -> _Passed:
        before: list[Progress] = []
        match report:
            # Its end is in the log in full, so that nobody misses what is held back.
            case r.CellEnded(cell=cell):
                self._forget(cell)
            case ToolReturned(call=call):
                self._forget(call)
            case r.InputAsked(cell=cell):
                before = self._let_go(cell)
            case _:
                pass
        cleaned = self._redactor.report(report)
        return [*self._showing(before), partial(self._stage.report, cleaned)]

    def _of_progress(self, progress: Progress) -> _Passed:
        match progress:
            case OutputChunk():
                text = self._next(progress.cell, progress.stream, progress.text)
                chunk = OutputChunk(progress.cell, progress.stream, text)
                return self._showing([chunk] if text else [])
            case ToolOutput():
                text = self._next(progress.call, "", progress.text)
                return self._showing([ToolOutput(progress.call, text)] if text else [])
            case DisplayShown():
                data = RichData(
                    self._redactor.bundle(progress.data.bundle), progress.data.is_result
                )
                shown = DisplayShown(progress.cell, data, progress.display)
                return self._showing([*self._let_go(progress.cell), shown])
            case OutputCleared():
                self._forget(progress.cell)
                return self._showing([progress])
            case WarmUpStep():
                return self._showing([WarmUpStep(self._redactor.text(progress.message))])
            case _:
                return self._showing([progress])

    def _showing(self, shown: Iterable[Progress]) -> _Passed:
        return [partial(self._stage.show, one) for one in shown]

    def _next(self, whose: str, stream: str, text: str) -> str:
        """What may be shown now: a secret may come in two pieces, so its beginning waits."""
        key = (self._session, whose, stream)
        cleaned = self._redactor.text(self._held.pop(key, "") + text)
        begun = self._redactor.forms.begun_at_end(cleaned)
        if begun:
            self._held[key] = cleaned[-begun:]
        return cleaned[: len(cleaned) - begun]

    def _let_go(self, cell: CellId) -> list[Progress]:
        """What was held back: something else comes, so it was no secret."""
        streams: tuple[Literal["stdout", "stderr"], ...] = ("stdout", "stderr")
        held = ((one, self._held.pop((self._session, cell, one), "")) for one in streams)
        return [OutputChunk(cell, stream, text) for stream, text in held if text]

    def _forget(self, whose: str) -> None:
        for stream in ("stdout", "stderr", ""):
            self._held.pop((self._session, whose, stream), None)


def _is_large(said: object) -> bool:
    """Whether there is so much text in it that looking at it takes a while."""
    left, room = [said], LARGE
    while left and room >= 0:
        match left.pop():
            case str() as text:
                room -= len(text)
            case msgspec.Struct() as word:
                left += (getattr(word, name) for name in word.__struct_fields__)
            case tuple() | list() as items:
                left += items
            case dict() as named:
                left += (*named, *named.values())
            case _:
                pass
    return room < 0
