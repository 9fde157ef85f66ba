"""All interpreters of one home: those we speak with, those that are ending, those left behind."""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from typing import Any

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.signalling import is_alive
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import Runtime, WorkerFolder, WorkerRecord

_said = logging.getLogger(__name__)


class Workers:
    """Knows which interpreter is whose, and lets none be left over."""

    def __init__(self, runtime: Runtime, launching: Launching) -> None:
        self._runtime = runtime
        self._launching = launching
        self._by_session: dict[SessionId, Worker] = {}
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

    def add(self, session: SessionId, worker: Worker) -> None:
        """From now on this is the session's; it is forgotten when it ends by itself."""
        worker.lost = self._forget
        self._by_session[session] = worker

    async def end(self, session: SessionId, generation: int) -> None:
        """End a session's interpreter of this generation, and what older ones left."""
        worker = self.current(session, generation)
        if worker is not None:
            del self._by_session[session]
            await self._end(worker, politely=True)
        for folder, record in self._left(session):
            if record.generation <= generation:
                self.end_left(folder)

    def end_soon(self, session: SessionId) -> None:
        """Whatever the session has: it must not be left beside a new one."""
        if (worker := self._by_session.pop(session, None)) is not None:
            self._later(self._end(worker, politely=False))
        for folder, _ in self._left(session):
            self.end_left(folder)

    async def end_all(self) -> None:
        """End every interpreter of this home that is a session's."""
        workers = tuple(self._by_session.values())
        self._by_session.clear()
        await asyncio.gather(*(self._end(worker, politely=True) for worker in workers))
        for folder in await asyncio.to_thread(list, self._runtime.workers()):
            if (record := folder.record()) is not None and record.session is not None:
                self.end_left(folder)
        await self.ended()

    def end_left(self, folder: WorkerFolder) -> None:
        """End what an earlier daemon left in this folder, and remove it."""
        self._later(self._end_folder(folder))

    async def ended(self) -> None:
        """Wait until everything that is being ended has ended."""
        await asyncio.gather(*self._ending, return_exceptions=True)

    def let_go(self) -> None:
        """Speak with none any more; they live on."""
        for worker in self._by_session.values():
            worker.close()
        self._by_session.clear()

    def left_by_another(self, session: SessionId, generation: int) -> Worker | None:
        """What an earlier daemon left of this session, if it is there, whole and of this time."""
        found = None
        for folder, record in self._left(session):
            if record.generation == generation and record.prepared and found is None:
                found = self._connected(folder, record)
            else:
                self.end_left(folder)
        return found

    def _connected(self, folder: WorkerFolder, record: WorkerRecord) -> Worker | None:
        guardian = folder.guardian()
        worker = self._made(folder, record)
        if worker is None or guardian is None or not is_alive(guardian.guardian):
            if worker is not None:
                worker.close()
            self.end_left(folder)
            return None
        worker.process.begin(guardian.guardian)
        worker.connection.open()
        return worker

    def _made(self, folder: WorkerFolder, record: WorkerRecord) -> Worker | None:
        try:
            return self._launching.worker(folder, record)
        except (OSError, ValueError, KeyError) as broken:
            _said.warning("%s is damaged: %s", folder.path, broken)
            return None

    def _left(self, session: SessionId) -> Iterator[tuple[WorkerFolder, WorkerRecord]]:
        """The folders of this session that no worker of ours speaks for."""
        ours = self._by_session.get(session)
        for folder in self._runtime.workers():
            record = folder.record()
            if record is None or record.session != session or folder.name in self._leaving:
                continue
            if ours is None or ours.folder.name != folder.name:
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

    def _forget(self, worker: Worker) -> None:
        """It ended by itself."""
        session = worker.record.session
        if session is not None and self._by_session.get(session) is worker:
            del self._by_session[session]
        self._later(self._end(worker, politely=False))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
