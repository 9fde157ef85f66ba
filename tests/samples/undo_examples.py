"""The examples of the words of taking back, trying and forking; see `examples`."""

from typing import Final

from tests.samples.agent_examples import BLOCK, FORKED, LONG, QUESTION
from tests.samples.deed_examples import WHEELS

from hearth.core.vocabulary import commands, effects, reports, undoing
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.undoing import ForkHow, RewindScope, UndoFor, VariantResult
from hearth.core.vocabulary.wire import Word

OLDER, CELL, NEWER = CellId("c6"), CellId("c7"), CellId("c8")
FORK = SessionId("session-b2c3d4")
COPIES = Copies(cells=(OLDER, CELL), size=4_194_304)
FEWER = Copies(cells=(OLDER,), size=1_048_576)
ALL_OF_IT = RewindScope(interpreter=True, files=True)
VARIANTS = ("turn(wheels, 3)", "turn(wheels, 4)")
OBSTACLES = ("a thread of your code is running: Thread-3 (watch)",)
RESULTS = (
    VariantResult(
        duration=0.25,
        value="[3, 3]",
        value_type="list",
        outputs=(StreamText(stream="stdout", text="turning\n"),),
        names=("wheels",),
        dropped=1024,
    ),
    VariantResult(
        duration=0.01,
        outputs=LONG,
        failure=CodeRaised(name="ValueError", message="4 wheels", traceback="line 1, in <cell>"),
        stopped=True,
    ),
)
DID = undoing.Returned(
    was=BLOCK, undone=True, version=38, files=True, cells=(CELL, NEWER), since=38
)

UNDO_WORDS: Final[tuple[Word, ...]] = (
    # commands
    commands.UndoCells(count=2, cell=CELL),
    commands.RedoCells(),
    commands.ChooseUndo(who=UndoFor.EVERYONE),
    commands.TryVariants(variants=VARIANTS, time_limit=2.5),
    commands.KeepVariant(variant=1),
    commands.ForkSession(to=FORK, block=BLOCK, how=ForkHow.REPLAY, name="four wheels"),
    commands.ReturnTo(to=BLOCK, scope=ALL_OF_IT, preview=True),
    # reports
    reports.CopyMissed(generation=1, cell=CELL, obstacles=OBSTACLES),
    reports.CopiesGone(generation=1, kept=FEWER, why="memory is short"),
    reports.WorkerReverted(generation=1, question=QUESTION, kept=FEWER, can_return=True),
    reports.RevertFailed(generation=1, question=QUESTION, why="the copy has ended"),
    reports.VariantGone(generation=2, cell=CELL, why="its interpreter has ended"),
    reports.VariantsTried(generation=1, cell=CELL, results=RESULTS, problem="memory is short"),
    reports.ForkEnded(
        question=QUESTION,
        how=ForkHow.REPLAY,
        notice="2 files that were open are closed in it",
        problem="the interpreter cannot be copied",
        obstacles=OBSTACLES,
        remedy=("fork_session with how=replay",),
        name="loom-2",
    ),
    reports.ReturnEnded(
        question=QUESTION,
        blocks=4,
        cells=(CELL, NEWER),
        how=ForkHow.COPY,
        changes=(WHEELS,),
        left_out=2,
        problems=("engine/cogs.py was changed by somebody else meanwhile",),
        did=DID,
        failed="the conversation cannot be read",
    ),
    # events
    undoing.UndoChosen(who=UndoFor.EVERYONE),
    undoing.CellNotKept(cell=CELL, obstacles=OBSTACLES),
    undoing.CopiesDropped(cells=(CELL,), kept=FEWER, why="memory is short"),
    undoing.UndoRequested(cells=(CELL, NEWER), redo=True),
    undoing.CellsUndone(cells=(CELL, NEWER), kept=FEWER, can_redo=True),
    undoing.CellsRedone(cells=(CELL, NEWER), kept=COPIES),
    undoing.UndoFailed(why="the copy has ended"),
    undoing.TrialStarted(cell=CELL, variants=VARIANTS, time_limit=2.5),
    undoing.TrialEnded(cell=CELL, results=RESULTS, problem="memory is short"),
    undoing.VariantKept(cell=CELL, variant=1, generation=2),
    undoing.VariantsDropped(cell=CELL, reason="none was wanted"),
    undoing.ForkRequested(to=FORK, block=BLOCK, how=ForkHow.REPLAY, name="four wheels"),
    undoing.SessionForked(
        to=FORK,
        how=ForkHow.COPY,
        notice="2 files that were open are closed in it",
        name="loom-2",
    ),
    undoing.ForkFailed(
        to=FORK,
        why="the interpreter cannot be copied",
        obstacles=OBSTACLES,
        remedy=("fork_session with how=replay",),
    ),
    undoing.ReturnRequested(to=BLOCK, scope=ALL_OF_IT, preview=True),
    undoing.ReturnPreviewed(
        blocks=4,
        cells=(CELL, NEWER),
        how=ForkHow.REPLAY,
        changes=(WHEELS,),
        left_out=2,
        problems=("engine/cogs.py was changed by somebody else meanwhile",),
    ),
    undoing.SessionReturned(
        to=BLOCK,
        scope=ALL_OF_IT,
        cells=(CELL, NEWER),
        how=ForkHow.COPY,
        changes=(WHEELS,),
        left_out=2,
        problems=("engine/cogs.py was changed by somebody else meanwhile",),
        did=DID,
    ),
    undoing.ReturnFailed(why="the conversation cannot be read"),
    # effects
    effects.RevertWorker(generation=1, question=QUESTION, to=CELL, keep_as="before-41"),
    effects.TryInWorker(generation=1, cell=CELL, variants=VARIANTS, time_limit=2.5),
    effects.AdoptVariant(generation=2, cell=CELL, variant=1),
    effects.DropVariants(generation=1, cell=CELL),
    effects.BranchSession(generation=1, question=QUESTION, to=FORK, config=FORKED, before=18),
    effects.ReturnSession(
        generation=1,
        question=QUESTION,
        to=BLOCK,
        scope=ALL_OF_IT,
        preview=True,
        origin=Origin(Actor.PERSON, "ada", Door.REPL),
        was=DID,
        since=41,
        leaf=BLOCK,
    ),
)
