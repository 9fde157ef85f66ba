"""What the code of one interpreter asks for by `hearth_tools`, brought to whoever answers it."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from hearth.core.vocabulary import reports as r
from hearth.performers.cell_tools.answers import NOT_AVAILABLE, problem
from hearth.performers.cell_tools.calling import Calling, Used
from hearth.performers.cell_tools.listening import Listening
from hearth.performers.interpreter.inside.tools import SOCKET
from hearth.performers.interpreter.running_cell import cell_of

if TYPE_CHECKING:
    from hearth.core.vocabulary.ids import CellId
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
                )
            )

        contained = worker.record.walls.contained
        return await self._tools.answer(
            Calling(worker.record.session, cell, contained, tell), question
        )

    def _has_room(self, cell: "CellId | None") -> bool:
        counted, so_far = self._counted
        so_far = so_far if counted == cell else 0
        self._counted = (cell, so_far + 1)
        return so_far < MOST_CALLS
