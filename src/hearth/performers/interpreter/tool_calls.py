"""What the code of one interpreter asks for by `hearth_tools`, brought to whoever answers it."""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from hearth.core.vocabulary import reports as r
from hearth.performers.cell_tools.answers import NOT_AVAILABLE, problem
from hearth.performers.cell_tools.calling import Answered, Calling, Used
from hearth.performers.cell_tools.listening import Listening
from hearth.performers.interpreter.inside.tools import SOCKET
from hearth.performers.interpreter.running_cell import cell_of

if TYPE_CHECKING:
    from hearth.core.vocabulary.ids import CellId
    from hearth.core.vocabulary.permitting import Judged
    from hearth.performers.interpreter.worker import Worker

MOST_CALLS: Final = 10_000
"""Of one cell: each is in the log."""
_said = logging.getLogger(__name__)


class CellTools(Protocol):
    """Answers what code asks about tools."""

    async def answer(self, calling: Calling, question: Mapping[str, Any]) -> bytes:
        """Answer one question. Never raises."""


class ToolCalls:
    """The ear that one worker has for its code."""

    def __init__(self, worker: "Worker", tools: CellTools) -> None:
        self._worker = worker
        self._tools = tools
        self._listening: Listening | None = None
        self._counted: tuple[CellId | None, int] = (None, 0)
        self._asked: dict[str, asyncio.Future[Answered]] = {}
        """What a person is asked, by its name; each is waited for by one call."""

    def open(self) -> None:
        """Listen to it, if that can be; it lives without tools otherwise."""
        if self._listening is not None:
            return
        worker = self._worker
        try:
            key = str(worker.folder.connection()["key"])
            listening = Listening(worker.folder.inside / SOCKET, key, self._answer)
            listening.open()
        except (OSError, ValueError, KeyError) as trouble:
            _said.warning("%s has no tools for its code: %s", worker.folder.path, trouble)
            return
        self._listening = listening

    def close(self) -> None:
        """Listen no more."""
        if self._listening is not None:
            self._listening.close()

    def answered(self, ask: str, answer: Answered) -> None:
        """A person has answered; nobody need wait for it any more."""
        waiting = self._asked.get(ask)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def _answer(self, question: dict[str, Any]) -> bytes:
        worker = self._worker
        if worker.record.session is None:
            return problem(NOT_AVAILABLE, "this interpreter belongs to no session yet")
        running, claimed = worker.running, cell_of(str(question.get("cell") or ""))
        cell = claimed if running is not None and running.cell == claimed else None
        if question.get("ask") == "call" and not self._has_room(cell):
            return problem(NOT_AVAILABLE, f"one cell may call {MOST_CALLS} tools, and this one has")
        generation = worker.generation

        def tell(used: Used) -> None:
            worker.tell(
                r.ToolUsed(
                    generation=generation,
                    name=used.name,
                    verdict=used.verdict,
                    cell=cell,
                    arguments=used.arguments,
                    by=used.by,
                    duration=used.duration,
                    error=used.error,
                    ask=used.ask,
                )
            )

        async def ask(used: Used, arguments: str, judged: "tuple[Judged, ...]") -> Answered:
            if cell is None:
                return Answered(allowed=False)
            used.ask = secrets.token_hex(16)
            waiting: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
            self._asked[used.ask] = waiting
            try:
                worker.tell(r.ToolAsked(generation, cell, used.ask, used.name, arguments, judged))
                return await waiting
            finally:
                del self._asked[used.ask]

        contained = worker.record.walls.contained
        return await self._tools.answer(
            Calling(worker.record.session, cell, contained, tell, ask), question
        )

    def _has_room(self, cell: "CellId | None") -> bool:
        counted, so_far = self._counted
        so_far = so_far if counted == cell else 0
        self._counted = (cell, so_far + 1)
        return so_far < MOST_CALLS
