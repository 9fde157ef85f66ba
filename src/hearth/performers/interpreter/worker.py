"""One live interpreter process of one session: what it is asked, and what it says."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

import zmq.asyncio
from msgspec.structs import replace

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.cells import NO_COPIES, Copies
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.reports import Report
from hearth.performers.cell_tools.calling import Answered
from hearth.performers.interpreter.answers_inside import sources_taken
from hearth.performers.interpreter.asking import Asking
from hearth.performers.interpreter.collecting import Collected
from hearth.performers.interpreter.connection import Connection, Message, Request
from hearth.performers.interpreter.copies import FOREIGN, KeptCopies
from hearth.performers.interpreter.knowing import Known
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.process_watch import ProcessWatch
from hearth.performers.interpreter.publishing import PUBLISHED, Publishing
from hearth.performers.interpreter.reverting import take_back
from hearth.performers.interpreter.running_cell import RunningCell, cell_of, cell_request
from hearth.performers.interpreter.stopping import climb
from hearth.performers.interpreter.tool_calls import CellTools, ToolCalls
from hearth.performers.interpreter.worker_folder import WorkerFolder, WorkerRecord

IDLE_PATIENCE: Final = 2.0
"""Some kernels reply and never say that they are idle again."""
FAREWELL: Final = 5.0
"""So long one may end by itself. Ours does what code asked for at its end, for 3 s at most."""


class Worker:
    """Speaks with one interpreter process. `lost` is called once if it ends by itself."""

    def __init__(
        self,
        folder: WorkerFolder,
        record: WorkerRecord,
        context: zmq.asyncio.Context,
        preferences: Preferences,
        tools: CellTools | None = None,
    ) -> None:
        """`tools` answers what its code asks for by `hearth_tools`; without it, nobody does."""
        self.folder = folder
        self.record = record
        self.preferences = preferences
        self.stage: Stage | None = None
        self.running: RunningCell | None = None
        self.known = Known()
        self.language = record.language
        self.language_version = ""
        self.lost: Callable[[Worker], None] = lambda _: None
        self.connection = Connection(folder, folder.connection(), context, self._hear)
        self.asking = Asking(self)
        self.copies = KeptCopies(folder, preferences.copies, preferences.copy_bytes)
        self.process = ProcessWatch(folder, self._ended_by_itself)
        self.publishing = Publishing(folder, preferences, self.tell, self._show)
        if record.kind == "python":
            self.publishing.follow(self.connection.sequence)
        self._tool_calls = ToolCalls(self, tools) if tools and record.kind == "python" else None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def generation(self) -> int:
        """Which interpreter of its session this is."""
        return self.record.generation

    def tell(self, report: Report) -> None:
        """Report, if there is a session to report to."""
        if self.stage is not None and not self._closed:
            self.stage.report(report)

    def claim(self, session: SessionId, generation: int, stage: Stage) -> None:
        """From now on this is a session's interpreter."""
        self.record = replace(
            self.record, session=session, generation=generation, trial=None, variant=0, variants=0
        )
        self.folder.write_record(self.record)
        self.stage = stage
        self.listen()

    def listen(self) -> None:
        """Hear what its code asks for by `hearth_tools`."""
        if self._tool_calls is not None and not self._closed:
            self._tool_calls.open()

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Do something beside, as long as this worker is there."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def beside(self, work: Coroutine[Any, Any, None]) -> None:
        """The same, for what nobody waits for."""
        self._tasks.add(self.spawn(work))

    # -- cells ----------------------------------------------------------------------------------

    def execute(
        self, effect: fx.ExecuteInWorker | fx.LoadInWorker, code: str, script: str | None = None
    ) -> RunningCell | None:
        """Give it a cell; None if it is at another one."""
        if self.running is not None:
            busy = r.Raised(Interrupted(f"the interpreter is at {self.running.cell}"))
            self.tell(r.CellEnded(self.generation, effect.cell, busy, 0.0))
            return None
        running = self._begin(effect.cell, code, effect.time_limit)
        running.undoes = isinstance(effect, fx.ExecuteInWorker) and effect.on_error == "undo"
        self.copies.begin(effect.cell)
        self.known.begin(effect.cell)
        if effect.copy and not self.asking.is_ours:
            foreign = FOREIGN.format(language=self.language or self.record.python)
            self.tell(r.CopyMissed(self.generation, effect.cell, (foreign,)))
        self.connection.send(cell_request(effect, code, script, self.preferences.output))
        self._limit(running, effect.time_limit)
        if self.connection.sequence.has_much_behind:
            # A cell is only begun when the last is saved: what came before it is in the log.
            self.beside(self.connection.sequence.forget())
        return running

    def stop(self, cell: CellId) -> None:
        """Stop the running cell if it is this one; asked again, hurry."""
        running = self.running
        if running is None or running.cell != cell or running.is_ending:
            return
        if running.climbing is not None:
            running.cancelled = True
            running.hurry.set()
            return
        running.cancelled = True
        running.climbing = self.spawn(climb(self, running))

    def answer(self, cell: CellId, text: str) -> None:
        """Give the running cell what it waits for."""
        if self.running is not None and self.running.cell == cell:
            self.connection.send(Request("stdin", "input_reply", {"value": text, "status": "ok"}))

    def allow(self, effect: fx.AnswerToolInWorker) -> None:
        """Tell code that called a tool whether a person allows it."""
        if self._tool_calls is not None:
            self._tool_calls.answered(effect.ask, Answered(effect.allowed, effect.why))

    def _begin(self, cell: CellId, code: str, limit: float | None) -> RunningCell:
        wanted = self.preferences
        collected = Collected(cell, wanted.output, wanted.displays)
        self.running = RunningCell(cell, collected, code, limit)
        return self.running

    def _limit(self, running: RunningCell, seconds: float | None) -> None:
        if seconds is not None:
            loop = asyncio.get_running_loop()
            running.timer = loop.call_later(seconds, self._overdue, running)

    def _overdue(self, running: RunningCell) -> None:
        if self.running is running and not running.is_ending:
            running.overdue = True
            running.climbing = running.climbing or self.spawn(climb(self, running))

    def _end(self) -> None:
        running = self.running
        if running is None or running.is_ending:
            return
        # One that takes itself back may have done so with the last copy, before a daemon ended.
        if running.undoes or self.copies.any_file():
            running.is_ending = True
            self.beside(self._end_with_copies(running))
        else:
            self._ended(running)

    async def _end_with_copies(self, running: RunningCell) -> None:
        """Before it is told that a cell has ended, it is taken back, or the copies are weighed."""
        if running.climbing is not None:
            running.climbing.cancel()
        undone = running.undoes and running.failed and await take_back(self, running)
        kept, why = await asyncio.to_thread(self.copies.bound)
        if why:
            self.tell(r.CopiesGone(self.generation, kept, why))
        self._ended(running, kept, undone=undone)
        if self.copies.due:
            self.beside(self._weigh())

    async def _weigh(self) -> None:
        """It walks all memory of all copies: no cell waits for it."""
        kept, why = await asyncio.to_thread(self.copies.weigh)
        if why:
            self.tell(r.CopiesGone(self.generation, kept, why))

    def _ended(
        self, running: RunningCell, kept: Copies = NO_COPIES, *, undone: bool = False
    ) -> None:
        if self.running is not running:
            return  # the interpreter was lost meanwhile, and the cell with it
        self.running = None
        running.close()
        told = (running.reply or {}).get("hearth")
        if isinstance(told, dict) and not undone:
            self._learn(told)
        if not running.failed:
            self.known.remember(running.code)
        self.publishing.ended(running.cell, self.generation)
        ended = running.report(self.generation)
        self.tell(replace(ended, kept=kept, undone=undone))
        self.publishing.mark()

    def _learn(self, told: dict[str, Any]) -> None:
        """What a reply says beside the cell's own end."""
        known = told.get("known")
        if isinstance(known, dict):  # otherwise they are those that were told before
            self.known.tell(known)
        self.see_environment(told.get("environment"))
        if isinstance(told.get("reloaded"), dict):
            self.tell(sources_taken(InputId(""), told["reloaded"]))

    def see_environment(self, found: Any) -> None:
        """Report what is loaded, if the interpreter told it."""
        if isinstance(found, dict) and isinstance(found.get("parts"), dict):
            parts = {str(name): str(digest) for name, digest in found["parts"].items()}
            fingerprint = str(found.get("fingerprint") or "")
            self.tell(r.EnvironmentSeen(self.generation, fingerprint, parts))

    # -- what it says -----------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        running = self.running
        mine = running is not None and message.parent == running.request
        if mine and running is not None:
            running.heard_of = True
        kind, content = message.type, message.content
        if kind == "status":
            if mine and running is not None and content.get("execution_state") == "idle":
                running.idle = True
                self._maybe_end()
        elif kind == "execute_reply":
            if mine and running is not None:
                running.reply = content
                self._maybe_end()
        elif kind in PUBLISHED:
            self.publishing.hear(message, running, self.generation)
        elif kind == "input_request":
            self._input_asked(message)
        elif kind == "hearth_copy":
            self._copy_told(message)
        else:
            self.asking.hear(message)

    def _maybe_end(self) -> None:
        running = self.running
        if running is None or running.reply is None:
            return
        if running.idle:
            self._end()
        else:
            asyncio.get_running_loop().call_later(IDLE_PATIENCE, self._end_anyway, running)

    def _end_anyway(self, running: RunningCell) -> None:
        if self.running is not running or self._closed:
            return
        if self.asking.is_ours:
            self.beside(self.connection.sequence.catch_up())  # the journal knows of its end
        else:
            self._end()

    def _show(self, progress: Any) -> None:
        if self.stage is not None and not self._closed:
            self.stage.show(progress)

    def _input_asked(self, message: Message) -> None:
        cell = cell_of(message.parent)
        if cell is not None:
            prompt = str(message.content.get("prompt") or "")
            hidden = bool(message.content.get("password"))
            self.tell(r.InputAsked(self.generation, cell, prompt, hidden))

    def _copy_told(self, message: Message) -> None:
        """Whether a copy could be made before a cell."""
        cell = cell_of(message.parent)
        if cell is None or message.content.get("kept") or not self.publishing.is_news():
            return
        found = message.content.get("obstacles")
        obstacles = tuple(map(str, found)) if isinstance(found, list) else ()
        self.tell(r.CopyMissed(self.generation, cell, obstacles))
        self.publishing.mark()

    # -- taking up, and the end ------------------------------------------------------------------

    async def take_up(self, effect: fx.AttachWorker) -> None:
        """Go on with an interpreter that an earlier daemon left, and with the cell it ran."""
        self.publishing.take_up()
        self.listen()
        running = None
        if effect.cell is not None:
            running = self._begin(effect.cell, "", effect.time_limit)
            running.undoes = effect.on_error == "undo"
            self._limit(running, effect.time_left)
        await self.connection.sequence.catch_up()
        if running is not None and self.running is running:
            self.beside(self.asking.follow(running))
            if not running.heard_of:
                self.beside(self._close_unheard(running))

    async def _close_unheard(self, running: RunningCell) -> None:
        """Requests are taken in order: if it knows nothing of the cell by then, it never came."""
        await self.asking.round_trip()
        if self.running is running and not running.heard_of and not self._closed:
            self.running = None
            running.close()
            missed = r.Raised(Interrupted("the interpreter never heard of this cell"))
            self.tell(r.CellEnded(self.generation, running.cell, missed, 0.0))

    def _ended_by_itself(self) -> None:
        if not self._closed:
            self.beside(self._tell_loss())

    async def _tell_loss(self) -> None:
        """The process is gone: what it still said comes first, then its end."""
        if self.record.kind == "python":
            await self.connection.sequence.catch_up()
        self.publishing.flush(self.generation)
        running, self.running = self.running, None
        if running is not None:
            running.hear_unsent(self.folder)
        end = self.process.exit()
        lost = r.WorkerLost(
            generation=self.generation,
            exit=end.exit,
            message=end.message,
            traceback=end.traceback,
            names=tuple(sorted(self.known.names)),
        )
        self.tell(lost if running is None else running.cut_off(lost))
        if running is not None:
            running.close()
        self.lost(self)

    def close(self) -> None:
        """Let go of it, without ending it."""
        if self._closed:
            return
        self._closed = True
        self.publishing.close()
        if self._tool_calls is not None:
            self._tool_calls.close()
        if self.running is not None:
            self.running.close()
        self.asking.close()
        self.connection.close()
        self.process.close()
        for task in tuple(self._tasks):
            if task is not asyncio.current_task():
                task.cancel()

    async def end(self, *, politely: bool) -> None:
        """End the process and all it started, and leave nothing behind. Says nothing."""
        was_running, self.stage = self.running is not None, None
        if politely and not was_running and not self._closed:
            self.connection.send(Request("control", "shutdown_request", {"restart": False}))
            await self.process.gone(FAREWELL)
        await self.process.end()
        self.close()
        await asyncio.to_thread(self.folder.remove)
