"""All interpreters of one home: those we speak with, those that are ending, those left behind."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from itertools import chain
from typing import Any

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.signalling import is_alive
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import WorkerFolder, WorkerRecord

_said = logging.getLogger(__name__)


class Workers:
    """Knows which interpreter is whose, and lets none be left over."""

    def __init__(self, runtime: Runtime, launching: Launching) -> None:
        self._runtime = runtime
        self._launching = launching
        self._by_session: dict[SessionId, Worker] = {}
        self._tried: dict[SessionId, list[Worker]] = {}
        """Branches in which variants are tried, or were and wait to be kept."""
        self._ending: set[asyncio.Task[None]] = set()
        self._leaving: set[str] = set()
        """The names of workers that are being ended."""

    def of(self, session: SessionId) -> Worker | None:
        """The interpreter of a session."""
        return self._by_session.get(session)

    def current(self, session: SessionId, generation: int) -> Worker | None:
        """The interpreter of a session, if it is of this generation."""
        worker = self._by_session.get(session)
        return worker if worker is not None and worker.generation == generation else None

    def at_work(self, session: SessionId, generation: int, stage: Stage) -> Worker | None:
        """The same, for something that is told on this stage; one that is not there is lost."""
        worker = self.current(session, generation)
        if worker is None:
            why = "there is no such interpreter"
            stage.report(r.WorkerLost(generation, r.Exit.VANISHED, why))
        else:
            worker.stage = stage
        return worker

    def add(self, session: SessionId, worker: Worker) -> None:
        """From now on this is the session's; it is forgotten when it ends by itself."""
        worker.lost = self._forget
        self._by_session[session] = worker

    async def end(self, session: SessionId, generation: int) -> None:
        """End a session's interpreter of this generation, and what older ones left."""
        worker = self.current(session, generation)
        self.end_tried(session)
        if worker is not None:
            del self._by_session[session]
            await self._end(worker, politely=True)
        for folder, record in self._left(session):
            if record.generation <= generation:
                self.end_left(folder)

    def end_soon(self, session: SessionId) -> None:
        """Whatever the session has: it must not be left beside a new one."""
        if (worker := self._by_session.pop(session, None)) is not None:
            self._end_soon(worker)
        self.end_tried(session)
        self.end_older(session)

    def end_older(self, session: SessionId) -> None:
        """What is left of a session beside the one that we speak with, and what it tries."""
        for folder, _ in self._left(session):
            self.end_left(folder)

    async def end_all(self) -> None:
        """End every interpreter of this home that is a session's."""
        for session in tuple(self._tried):
            self.end_tried(session)
        workers = tuple(self._by_session.values())
        self._by_session.clear()
        await asyncio.gather(*(self._end(worker, politely=True) for worker in workers))
        for folder in await asyncio.to_thread(list, self._runtime.workers()):
            record = folder.record()
            is_ours = record is not None and record.session is not None
            if is_ours and folder.name not in self._leaving:
                self.end_left(folder)
        await self.ended()

    def end_left(self, folder: WorkerFolder) -> None:
        """End what an earlier daemon left in this folder, and remove it."""
        self._leaving.add(folder.name)
        self._later(self._end_folder(folder))

    async def ended(self) -> None:
        """Wait until everything that is being ended has ended."""
        await asyncio.gather(*self._ending, return_exceptions=True)

    def let_go(self) -> None:
        """Speak with none any more; they live on."""
        for worker in (*self._by_session.values(), *chain.from_iterable(self._tried.values())):
            worker.close()
        self._by_session.clear()
        self._tried.clear()

    def left_by_another(self, session: SessionId, *generations: int) -> Worker | None:
        """What an earlier daemon left of this session, if it is there and whole; all else ends.

        Of the first of these generations of which there is one.
        """
        left = list(self._left(session))
        for generation in generations:
            for folder, record in left:
                if record.generation == generation and record.prepared:
                    found = self._connected(folder, record)
                    if found is not None:
                        self._end_but(found, left)
                        return found
        self._end_but(None, left)
        return None

    def _end_but(self, kept: Worker | None, left: list[tuple[WorkerFolder, WorkerRecord]]) -> None:
        for folder, _ in left:
            if folder.name not in self._leaving and (
                kept is None or folder.name != kept.folder.name
            ):
                self.end_left(folder)

    # -- what is tried ----------------------------------------------------------------------------

    def add_tried(self, session: SessionId, worker: Worker) -> None:
        """In this branch a variant is tried."""
        worker.lost = lambda lost: self._tried_is_lost(session, lost)
        self._tried.setdefault(session, []).append(worker)

    def trying(self, session: SessionId) -> list[Worker]:
        """The branches of a session that we speak with."""
        return list(self._tried.get(session, ()))

    def tried(self, session: SessionId, cell: CellId) -> list[Worker]:
        """The branches of a trial, also those that an earlier daemon left."""
        known = {one.folder.name for one in self.trying(session)}
        for folder, record in self._folders(session):
            if record.trial == cell and folder.name not in known:
                worker = self._connected(folder, record)
                if worker is not None:
                    self.add_tried(session, worker)
        return [one for one in self.trying(session) if one.record.trial == cell]

    def adopt(self, session: SessionId, worker: Worker) -> None:
        """One of them is the session's from now on; the one it was tried in ends."""
        self._tried[session].remove(worker)
        if (older := self._by_session.pop(session, None)) is not None:
            self._end_soon(older)

    def end_tried(self, session: SessionId, but: CellId | None = None) -> None:
        """End all that is tried in a session, but for the variants of one trial."""
        staying = [one for one in self.trying(session) if one.record.trial == but]
        for worker in self._tried.pop(session, ()):
            if worker not in staying:
                self._end_soon(worker)
        if staying:
            self._tried[session] = staying
        for folder, record in self._folders(session):
            if record.trial not in {None, but}:
                self.end_left(folder)

    def _tried_is_lost(self, session: SessionId, worker: Worker) -> None:
        if worker in self._tried.get(session, ()):
            self._tried[session].remove(worker)
        self._end_soon(worker)

    def _connected(self, folder: WorkerFolder, record: WorkerRecord) -> Worker | None:
        guardian = folder.guardian()
        worker = self._made(folder, record)
        if worker is None or guardian is None or not is_alive(guardian.guardian):
            if worker is not None:
                worker.close()
            self.end_left(folder)
            return None
        worker.process.begin(guardian.guardian)
        worker.publishing.take_up()
        worker.connection.open()
        return worker

    def _made(self, folder: WorkerFolder, record: WorkerRecord) -> Worker | None:
        try:
            return self._launching.worker(folder, record)
        except (OSError, ValueError, KeyError) as broken:
            _said.warning("%s is damaged: %s", folder.path, broken)
            return None

    def _left(self, session: SessionId) -> Iterator[tuple[WorkerFolder, WorkerRecord]]:
        """The folders of this session that no worker of ours speaks for, and in none is tried."""
        ours = self._by_session.get(session)
        for folder, record in self._folders(session):
            if record.trial is None and (ours is None or ours.folder.name != folder.name):
                yield folder, record

    def _folders(self, session: SessionId) -> Iterator[tuple[WorkerFolder, WorkerRecord]]:
        """Every folder of this session but those that are going."""
        for folder in self._runtime.workers():
            record = folder.record()
            is_going = folder.name in self._leaving
            if record is not None and record.session == session and not is_going:
                yield folder, record

    async def _end(self, worker: Worker, *, politely: bool) -> None:
        self._leaving.add(worker.folder.name)
        try:
            await worker.end(politely=politely)
        finally:
            self._leaving.discard(worker.folder.name)

    async def _end_folder(self, folder: WorkerFolder) -> None:
        record, guardian = folder.record(), folder.guardian()
        if record is not None and guardian is not None and is_alive(guardian.guardian):
            worker = self._made(folder, record)
            if worker is not None:
                worker.process.begin(guardian.guardian)
                await self._end(worker, politely=False)
        await asyncio.to_thread(folder.remove)
        self._leaving.discard(folder.name)

    def _forget(self, worker: Worker) -> None:
        """It ended by itself."""
        session = worker.record.session
        if session is not None and self._by_session.get(session) is worker:
            del self._by_session[session]
            self.end_tried(session)
        self._end_soon(worker)

    def _end_soon(self, worker: Worker) -> None:
        # Named at once: until it begins to end, nobody is to take it for one that was left.
        self._leaving.add(worker.folder.name)
        self._later(self._end(worker, politely=False))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
