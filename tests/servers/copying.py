"""An interpreter of scenes that can be copied: taken back, tried in, and forked.

    copying = CopyingInterpreter(SCENES)
    async with copied(tmp_path, copying) as daemon:
        await daemon.begin()

A variable is worth the code that bound it. `obstacles` are in the way of every copy.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from tests.contracts.quick_agent import QuickAgent
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.undoing import VariantResult
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.branches import Branches
from hearth.performers.forking import Forking
from hearth.performers.interpreter.scene import UNWRITTEN, Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.performers.replaying import Replaying
from hearth.performers.returning import Returning

SIZE: Final = 4096
"""Bytes that each copy takes."""
Names = dict[str, str]
"""Each name with the code that bound it."""


@dataclass
class _Held:
    """What one interpreter holds, and its copies."""

    names: Names = field(default_factory=dict)
    copies: dict[str, Names] = field(default_factory=dict)
    """As it was before each cell, and what a revert left."""
    cells: list[CellId] = field(default_factory=list)
    """Those that can be taken back."""
    running: fx.ExecuteInWorker | None = None
    trial: tuple[Names, ...] = ()
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def kept(self) -> Copies:
        return Copies(tuple(self.cells), SIZE * len(self.cells))


@dataclass
class Copied:
    """What came of a copy."""

    obstacles: tuple[str, ...] = ()


class CopyingInterpreter(ScriptedInterpreter):
    """Plays scenes, and keeps what each of them leaves."""

    def __init__(self, scenes: Mapping[str, Scene], *, obstacles: tuple[str, ...] = ()) -> None:
        super().__init__(scenes)
        self._plays = scenes
        self.obstacles = obstacles
        self.listed: int | None = None
        """So many variables are listed at most."""
        self.silent: set[SessionId] = set()
        """These do not tell their variables."""
        self.released = asyncio.Event()
        self.released.set()
        """Copies for forks are made while this is set."""
        self._held: dict[SessionId, _Held] = {}
        self.waiting: dict[SessionId, Names] = {}
        """What a session that is being forked will hold."""
        self._bound: tuple[Forking | Replaying | Returning, ...] = ()
        self._engine: Engine | None = None

    def branching(self, log: MemoryLog) -> tuple[Performer, ...]:
        """The performers that fork and return with it, and an agent that says yes."""
        forking, replaying, returning = (
            Forking(_Copier(self), self._read),
            Replaying(log.blobs.get),
            Returning(self._read),
        )
        self._bound = (forking, replaying, returning)
        return forking, replaying, returning, Branches(self._read), QuickAgent()

    def bind(self, engine: Engine) -> None:
        """Let them use this engine."""
        self._engine = engine
        for one in self._bound:
            one.bind(engine)

    async def _read(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        assert self._engine is not None
        return await self._engine.rows(session, after, limit)

    def holds(self, session: str) -> Names:
        """What an interpreter holds now."""
        return self._held[SessionId(session)].names

    def forget(self, session: str) -> None:
        """Let its copies be gone, without a word."""
        self._held[SessionId(session)].copies.clear()

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Play the part."""
        held = self._held.setdefault(session, _Held())
        heard = _Heard(self, held, stage)
        match effect:
            case fx.StartWorker() | fx.ResetWorker():
                self._held[session] = held = _Held(self.waiting.pop(session, {}))
                await super().perform(session, effect, _Heard(self, held, stage))
            case fx.ExecuteInWorker() | fx.LoadInWorker():
                self._copy(held, effect, stage)
                await super().perform(session, effect, heard)
            case fx.ListInWorker() if session in self.silent:
                pass
            case fx.ListInWorker():
                stage.report(self._variables(held, effect))
            case fx.RevertWorker():
                stage.report(_reverted(held, effect))
            case fx.TryInWorker():
                stage.report(await self._tried(held, effect))
            case fx.InterruptWorker():
                held.stopped.set()
                await super().perform(session, effect, heard)
            case fx.AdoptVariant():
                self._held[session] = adopted = _Held(held.trial[effect.variant - 1])
                anew = fx.ResetWorker(effect.generation, SessionConfig())
                await super().perform(session, anew, _Heard(self, adopted, stage))
            case fx.DropVariants():
                held.trial = ()
            case _:
                await super().perform(session, effect, heard)

    def ended(self, held: _Held, report: r.CellEnded) -> r.CellEnded:
        """The report of a cell with what can be taken back after it."""
        running, held.running = held.running, None
        undone = False
        if isinstance(report.ending, r.Succeeded):
            held.names |= dict.fromkeys(report.names, str(running.code) if running else "")
        elif running is not None and running.on_error == "undo" and running.cell in held.cells:
            held.names = held.copies.pop(running.cell)
            held.cells.remove(running.cell)
            undone = True
        return replace(report, kept=held.kept(), undone=undone)

    def _copy(
        self, held: _Held, effect: fx.ExecuteInWorker | fx.LoadInWorker, stage: Stage
    ) -> None:
        held.running = effect if isinstance(effect, fx.ExecuteInWorker) else None
        if effect.copy and self.obstacles:
            stage.report(r.CopyMissed(effect.generation, effect.cell, self.obstacles))
        elif effect.copy:
            held.copies[effect.cell] = dict(held.names)
            held.cells.append(effect.cell)

    def _variables(self, held: _Held, effect: fx.ListInWorker) -> r.VariablesFound:
        found = tuple(Variable(name, "int", preview=held.names[name]) for name in held.names)
        return r.VariablesFound(effect.question, found[: self.listed], len(found))

    async def _tried(self, held: _Held, effect: fx.TryInWorker) -> r.VariantsTried:
        if self.obstacles:
            problem = f"the interpreter cannot be copied: {'; '.join(self.obstacles)}"
            return r.VariantsTried(effect.generation, effect.cell, problem=problem)
        scenes = [self._plays.get(code, UNWRITTEN) for code in effect.variants]
        if any(one.ends == "when interrupted" for one in scenes):
            held.stopped.clear()
            await held.stopped.wait()
        held.trial = tuple(
            {**held.names, **dict.fromkeys(scene.names, code)}
            for scene, code in zip(scenes, effect.variants, strict=True)
        )
        results = tuple(_result(one) for one in scenes)
        return r.VariantsTried(effect.generation, effect.cell, results)


@asynccontextmanager
async def copied(home: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    """A door around an engine whose interpreters can be copied."""
    async with served(home, interpreter=copying, performers=copying.branching) as daemon:
        copying.bind(daemon.engine)
        yield daemon


class _Copier:
    """Copies interpreters for forks."""

    def __init__(self, copying: CopyingInterpreter) -> None:
        self._copying = copying

    async def branch(self, source: SessionId, to: SessionId) -> Copied:
        await self._copying.released.wait()
        if not self._copying.obstacles:
            self._copying.waiting[to] = dict(self._copying.holds(source))
        return Copied(self._copying.obstacles)

    async def drop_branch(self, to: SessionId) -> None:
        self._copying.waiting.pop(to, None)


class _Heard:
    """A stage, on which the end of a cell is told with its copies."""

    def __init__(self, copying: CopyingInterpreter, held: _Held, stage: Stage) -> None:
        self._copying = copying
        self._held = held
        self._stage = stage

    def report(self, report: r.Report) -> None:
        if isinstance(report, r.CellEnded):
            report = self._copying.ended(self._held, report)
        self._stage.report(report)

    def show(self, progress: Progress) -> None:
        self._stage.show(progress)


def _reverted(held: _Held, effect: fx.RevertWorker) -> r.Report:
    if effect.to not in held.copies:
        return r.RevertFailed(effect.generation, effect.question, f"no copy {effect.to} is there")
    held.copies[effect.keep_as] = held.names
    held.names = dict(held.copies[effect.to])
    if effect.to in held.cells:
        held.cells = held.cells[: held.cells.index(CellId(effect.to))]
    return r.WorkerReverted(effect.generation, effect.question, held.kept(), can_return=True)


def _result(scene: Scene) -> VariantResult:
    outputs = (StreamText("stdout", "".join(scene.prints)),) if scene.prints else ()
    return VariantResult(
        0.25,
        value=scene.value,
        value_type=scene.value_type,
        outputs=outputs,
        names=scene.names,
        failure=scene.raises,
        stopped=scene.ends == "when interrupted",
    )
