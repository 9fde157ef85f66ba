"""Brings an interpreter up for a session: planned, started, prepared, and reported."""

import asyncio
import logging
import time
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.failures import Failure, WarmUpFailed
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.progress import WarmUpStep
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.planning import Plan, Planning
from hearth.performers.interpreter.project.rebuilding import rebuild, sync_command
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.worker import Worker

_said = logging.getLogger(__name__)

PYTHON: Final = "python"
RESET: Final = 15.0
"""An interpreter that cannot be emptied within this time is replaced."""


class WarmUpStopped(Exception):
    """The interpreter could not be made ready; `failure` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


class Warming:
    """Starts and prepares interpreters."""

    def __init__(self, launching: Launching, planning: Planning) -> None:
        self._launching = launching
        self._planning = planning

    async def start(
        self, session: SessionId, effect: fx.StartWorker | fx.ResetWorker, stage: Stage
    ) -> tuple[Worker, r.WorkerReady]:
        """A worker that is ready for cells, and what is to be said then. WarmUpStopped."""
        began = time.monotonic()
        plan = await self._plan(effect)
        if isinstance(effect, fx.StartWorker) and effect.rebuild:
            await _rebuild(plan, stage)
            plan = await self._plan(effect)  # the environment may be another one now
        worker = await self._started(effect, plan)
        try:
            worker.claim(session, effect.generation, stage)
            return worker, await self._prepare(worker, plan, began)
        except BaseException:
            # Also when it is cancelled: nobody would ever end it.
            await asyncio.shield(worker.end(politely=False))
            raise

    async def reset(
        self, worker: Worker, effect: fx.ResetWorker, stage: Stage
    ) -> r.WorkerReady | None:
        """Empty the interpreter and prepare it anew; None if it has to be replaced."""
        began = time.monotonic()
        plan = await self._plan(effect)
        if not worker.asking.is_ours or _python(effect, plan) != worker.record.python:
            return None
        if self._launching.wanted(plan.preferences) != worker.preferences:
            return None
        if plan.walls != worker.record.walls:
            return None
        emptied = await worker.asking.ask("reset", {}, where="main", patience=RESET)
        if emptied is None or worker.record.session is None:
            return None
        worker.known.forget()
        worker.claim(worker.record.session, effect.generation, stage)
        try:
            return await self._prepare(worker, plan, began)
        except WarmUpStopped:
            return None

    async def _plan(self, effect: fx.StartWorker | fx.ResetWorker) -> Plan:
        plan = await self._planning.plan(effect.config)
        if not isinstance(plan, Plan):
            raise WarmUpStopped(plan)
        return plan

    async def _started(self, effect: fx.StartWorker | fx.ResetWorker, plan: Plan) -> Worker:
        name = effect.config.interpreter
        try:
            if (python := _python(effect, plan)) is not None:
                return await self._launching.take(python, plan.preferences, plan.ground)
            return await self._launching.foreign(
                name, plan.directory, plan.preferences, plan.ground
            )
        except CannotStart as trouble:
            raise WarmUpStopped(WarmUpFailed(str(trouble))) from trouble
        except OSError as error:
            told = f"no interpreter could be started: {error.strerror}: {error.filename}"
            raise WarmUpStopped(WarmUpFailed(told)) from error

    async def _prepare(self, worker: Worker, plan: Plan, began: float) -> r.WorkerReady:
        errors: tuple[str, ...] = ()
        modules: tuple[str, ...] = ()
        if worker.asking.is_ours:
            prepared = await self._prepared(worker, plan)
            errors, modules = _texts(prepared.get("errors")), _texts(prepared.get("imported"))
            worker.see_environment(prepared.get("environment"))
        found = Surroundings(
            root=plan.root or plan.directory,
            source=plan.source,
            name=plan.name,
            projects=tuple(map(str, plan.projects)),
            python=worker.record.python,
            language=worker.language,
            version=worker.language_version,
            modules=modules,
            notices=plan.notices,
        )
        worker.record = replace(
            worker.record, root=plan.root or plan.directory, prepared=True, surroundings=found
        )
        worker.folder.write_record(worker.record)
        _said.info("%s works in %s (%s)", worker.record.session, found.root, found.source)
        return r.WorkerReady(worker.generation, time.monotonic() - began, errors, found)

    async def _prepared(self, worker: Worker, plan: Plan) -> dict[str, Any]:
        """What came of the preparation. WarmUpStopped if it did not come to its end."""
        content = {"ask": "prepare", "args": plan.as_asked()}
        request = worker.asking.begin("hearth_request", content)
        worker.publishing.warm_up = request
        patience = worker.preferences.warm_up
        reply = await worker.asking.answer_to(request, patience)
        answer = (reply or {}).get("answer")
        if isinstance(answer, dict):
            return answer
        if worker.process.is_over:
            end = worker.process.exit()
            told = f"the interpreter ended during its preparation: {end.message}"
            raise WarmUpStopped(WarmUpFailed(told, end.traceback))
        if reply is None:
            raise WarmUpStopped(WarmUpFailed(f"its preparation took over {patience:g} s"))
        raise WarmUpStopped(WarmUpFailed(f"{reply.get('ename')}: {reply.get('evalue')}"))


def _python(effect: fx.StartWorker | fx.ResetWorker, plan: Plan) -> str | None:
    """The Python that is wanted: the project's, or the one at a path. None: another language."""
    name = effect.config.interpreter
    if name == PYTHON:
        return plan.python
    return name if "/" in name else None


async def _rebuild(plan: Plan, stage: Stage) -> None:
    """Bring the project's environment up to date. WarmUpStopped if that fails."""
    if plan.environment is None:
        return  # a bare session has no environment of its own
    command = sync_command(Path(plan.root), plan.environment)
    if isinstance(command, str):
        stage.show(WarmUpStep(command))
        return
    problem = await rebuild(
        command, lambda line: stage.show(WarmUpStep(line)), keep=plan.walls.keep
    )
    if problem:
        raise WarmUpStopped(WarmUpFailed(problem))


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, list) else ()
