"""Copies a live interpreter into a second one that lives on its own: a branch."""

from typing import Any, Final

from msgspec.structs import replace

from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.performers.interpreter.copies import FOREIGN
from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.worker import Worker
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder, WorkerRecord

PATIENCE: Final = 30.0
CONTAINED: Final = "the interpreter is contained in a sandbox"
CELL: Final = "a cell is running"
NO_TURN: Final = "the interpreter lets nobody else have a turn"
ENDED: Final = "the interpreter has ended"


class CannotBranch(CannotStart):
    """An interpreter cannot be copied; `obstacles` says what is in the way, each in a sentence."""

    def __init__(self, *obstacles: str) -> None:
        super().__init__("; ".join(obstacles))
        self.obstacles = obstacles


def waiting_record(source: Worker) -> WorkerRecord:
    """Of a branch that no session has come for yet: the next daemon ends it."""
    return replace(source.record, name="", session=None, generation=0)


def trial_record(
    source: Worker, session: SessionId, cell: CellId, place: tuple[int, int]
) -> WorkerRecord:
    """Of a branch in which a variant is tried: which one of how many."""
    variant, variants = place
    return replace(
        source.record, name="", session=session, trial=cell, variant=variant, variants=variants
    )


async def branch(launching: Launching, source: Worker, record: WorkerRecord) -> Worker:
    """A second interpreter with everything the first one holds. CannotBranch, CannotStart, OSError.

    The first is as it was, whatever comes of it.
    """
    if not source.asking.is_ours:
        raise CannotBranch(FOREIGN.format(language=source.language or source.record.python))
    if source.record.walls.contained:
        raise CannotBranch(CONTAINED)
    if source.running is not None:
        raise CannotBranch(CELL)
    launch: dict[str, Any] = {"environment": source.folder.launch().get("environment")}

    async def start(folder: WorkerFolder) -> ProcessId:
        said = await source.asking.ask(
            "branch",
            {"folder": str(folder.path), "tried": record.trial is not None},
            where="control",
            patience=PATIENCE,
        )
        if said is None:
            raise CannotBranch(ENDED if source.process.is_over else NO_TURN)
        guardian = said.get("guardian")
        if not said.get("branched") or not isinstance(guardian, int):
            found = said.get("obstacles")
            raise CannotBranch(*(map(str, found) if isinstance(found, list) else (NO_TURN,)))
        return ProcessId(guardian, start_time(guardian))

    worker = await launching.made(record, launch, start)
    worker.language, worker.language_version = source.language, source.language_version
    worker.known.begin_as(source.known)
    return worker
