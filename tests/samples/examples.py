"""One hand-written example of every word; `make samples` writes those that have no file yet.

An example sets every field its word has, so that the file shows the whole shape. The file of an
event is never written again: stored logs look like it for ever.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from tests.samples.agent_examples import AGENT_WORDS
from tests.samples.deed_examples import DEED_WORDS
from tests.samples.undo_examples import COPIES, UNDO_WORDS, VARIANTS

from hearth.core.vocabulary import (
    answers,
    commands,
    content,
    effects,
    events,
    failures,
    phases,
    progress,
    refusals,
    reports,
)
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.core.vocabulary.phases import Affordance, PhaseName, Rung
from hearth.core.vocabulary.undoing import UndoFor
from hearth.core.vocabulary.wire import Word

NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
SESSION = SessionId("session-a1b2c3")
CELL = CellId("c1")
INPUT = InputId("0193a7c0-ask-1")
ADA = Origin(Actor.PERSON, "ada", Door.REPL)

CONFIG = commands.SessionConfig(
    directory="/home/ada/engine",
    name="engine",
    projects=("engine", "engine-tests"),
    interpreter="python",
    mode=commands.SessionMode.BARE,
    undo=UndoFor.EVERYONE,
)
BLOB = content.Blob(
    sha256="2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    size=70_000,
    media_type="text/markdown",
    head="hello",
)
DIAGNOSTIC = content.Diagnostic(
    message="undefined name `ys`",
    severity=content.Severity.ERROR,
    start_line=1,
    start_column=4,
    end_line=1,
    end_column=6,
    rule="undefined-name",
)
COMPLETION = content.Completion(
    label="append", kind=content.CompletionKind.METHOD, detail="(object, /)"
)
PRINTED = content.StreamText(stream="stderr", text="careful\n")
SHOWN = content.RichData(bundle={"text/plain": "[1, 2]", "image/png": BLOB}, is_result=True)
RAISED = failures.CodeRaised(
    name="ZeroDivisionError", message="division by zero", traceback="line 1, in <cell>"
)
INSPECTION = answers.Inspection(
    found=True,
    name="turn",
    kind="function",
    value_type="function",
    signature="(wheel: int) -> int",
    doc="Turn one wheel.",
    file="engine/wheels.py",
    line=12,
    value="<function turn>",
)
VARIABLE = answers.Variable(
    name="xs", value_type="list", size=72, length=2, shape="2", preview="[1, 2]"
)
EXPLORATION = answers.Exploration(
    found=True,
    name="engine.wheels",
    doc="The wheels.",
    file="engine/wheels.py",
    bases=("object",),
    members=(
        answers.Member(name="turn", kind="function", signature="(wheel)", doc="Turn one wheel."),
    ),
    suggestions=("engine.cogs",),
)
RELOADED = answers.Reloaded(module="engine.wheels", file="engine/wheels.py", seconds=0.02)
NOT_RELOADED = answers.NotReloaded(
    file="engine/cogs.py", module="engine.cogs", name="SyntaxError", message="'(' open", line=3
)
SURROUNDINGS = answers.Surroundings(
    root="/home/ada/engine",
    source="git",
    name="engine",
    projects=("/home/ada/engine",),
    python="/home/ada/engine/.venv/bin/python",
    language="python",
    version="3.12.1",
    modules=("engine",),
    notices=("2 projects were found",),
)
DIFFERENCE = answers.Difference(cell="c3", before="41", after="42")
USES = {"engine.wheels": "9f86d081", "numpy": "1.26.4-2cf24dba"}

_ALL: tuple[Word, ...] = (
    # commands
    commands.CreateSession(config=CONFIG),
    commands.StopSession(reason="done for today"),
    commands.RenameSession(name="difference engine"),
    commands.SwitchSession(to=SESSION),
    commands.NoteSettings(
        sources=("/home/ada/.config/hearth/hearth.jsonc",),
        changed=("sessions.most",),
        problems=("/home/ada/engine/hearth.jsonc:3: modle: is no key that hearth knows",),
    ),
    commands.RunCell(
        code="1 / 0",
        background=True,
        time_limit=2.5,
        if_busy="queue",
        may_ask=True,
        reload=False,
        replays=CELL,
        on_error="undo",
    ),
    commands.LoadScript(path="setup.py", time_limit=2.5, may_ask=True, replays=CELL),
    commands.CancelCell(cell=CELL),
    commands.ResetSession(),
    commands.HardResetSession(rebuild=True),
    commands.CheckCode(code="xs = ys", file="engine/wheels.py", full=True),
    commands.CompleteCode(code="xs.ap", cursor=5),
    commands.InspectCode(code="turn", cursor=4),
    commands.ListVariables(prefix="x", modules=True),
    commands.ExploreModule(name="engine.wheels"),
    commands.ExploreType(name="xs"),
    commands.ReloadSources(paths=("/home/ada/engine/wheels.py",)),
    commands.AnswerInput(text="forty-two", cell=CELL),
    commands.ReplaySession(source=SESSION, before=17),
    # reports
    reports.WorkerReady(
        generation=1,
        duration=0.16,
        errors=("no module named cogs",),
        surroundings=SURROUNDINGS,
        unanswered=(INPUT,),
    ),
    reports.WorkerFailed(generation=1, failure=failures.ProjectNotFound(path="/gone")),
    reports.WorkerLost(
        generation=1,
        exit=reports.Exit.CRASH,
        message="signal 11",
        traceback="…",
        names=("xs",),
    ),
    reports.CellEnded(
        generation=1,
        cell=CELL,
        ending=reports.Succeeded(value="3", value_type="int"),
        duration=0.01,
        outputs=(PRINTED, SHOWN),
        names=("xs",),
        statements=2,
        uses=USES,
        dropped=1024,
        kept=COPIES,
        undone=True,
    ),
    reports.CodeChecked(question=INPUT, diagnostics=(DIAGNOSTIC,)),
    reports.CodeCompleted(question=INPUT, items=(COMPLETION,)),
    reports.CodeInspected(question=INPUT, inspection=INSPECTION),
    reports.VariablesFound(question=INPUT, variables=(VARIABLE,), total=7),
    reports.MembersFound(question=INPUT, exploration=EXPLORATION),
    reports.SourcesTaken(
        question=INPUT, reloaded=(RELOADED,), failed=(NOT_RELOADED,), duration=0.03
    ),
    reports.ReplayEnded(
        question=INPUT,
        ran=("c1", "c3"),
        skipped=("c2",),
        partial=("c3",),
        failed=("c3",),
        differing=(DIFFERENCE,),
        missing=("numpy",),
        problem="the session was reset meanwhile",
    ),
    reports.InputAsked(generation=1, cell=CELL, prompt="How many? ", password=True),
    reports.StopTried(generation=1, cell=CELL, rung=Rung.DOUBLE_TAP),
    reports.OutputCameLate(generation=1, cell=CELL, outputs=(PRINTED,), dropped=1024),
    reports.ToolAsked(
        generation=1,
        cell=CELL,
        ask="4f1c",
        name="mill__turn",
        arguments='{"wheels":3}',
        judged=(Judged(need=Need(permission="mcp", target="mill__turn"), verdict=Verdict.ASK),),
    ),
    reports.ToolUsed(
        generation=1,
        name="mill__turn",
        verdict=Verdict.ALLOW,
        cell=CELL,
        arguments='{"wheels":3}',
        by="a person runs the cell",
        duration=0.2,
        error="a wheel is missing",
    ),
    reports.EnvironmentSeen(generation=1, fingerprint="d7a8fbb3", parts=USES),
    reports.RestartDue(generation=2),
    reports.EffectFailed(effect=effects.StopWorker(generation=1), message="no such process"),
    # events
    events.SessionStarted(config=CONFIG),
    events.SessionRenamed(name="difference engine"),
    events.SessionSwitched(to=SESSION),
    events.SettingsReloaded(
        sources=("/home/ada/.config/hearth/hearth.jsonc",),
        changed=("sessions.most",),
        problems=("/home/ada/engine/hearth.jsonc:3: modle: is no key that hearth knows",),
    ),
    events.SessionWarmUpStarted(generation=1, projects=("engine", "engine-tests")),
    events.SessionWarmUpCompleted(duration=0.16, errors=("no module named cogs",)),
    events.SessionWarmUpAbandoned(reason="the session was reset"),
    events.SessionReady(),
    events.SessionFaulted(failure=failures.WorkerCrashed(message="signal 11", traceback="…")),
    events.SessionReset(),
    events.SessionHardReset(rebuild=True),
    events.SessionStopped(reason="done for today"),
    events.RestartScheduled(attempt=2, delay=1.0),
    events.StateTransitioned(
        before=PhaseName.READY, after=PhaseName.EVALUATING, reason="cell_started"
    ),
    events.CellQueued(cell=CELL, code="1 / 0", background=True, time_limit=2.5),
    events.CellStarted(cell=CELL, code=BLOB, background=True, script="setup.py", time_limit=2.5),
    events.CellCancelRequested(cell=CELL, attempt=1),
    events.CellFinished(
        cell=CELL,
        duration=0.01,
        value="3",
        value_type="int",
        outputs=(PRINTED, SHOWN),
        names=("xs",),
    ),
    events.CellFailed(cell=CELL, failure=RAISED, duration=0.01, outputs=(PRINTED,), names=("xs",)),
    events.CellCancelled(cell=CELL, duration=0.01, outputs=BLOB, names=("xs",)),
    events.CellWithdrawn(cell=CELL, reason="the session was reset"),
    events.ScriptLoaded(path="setup.py", statements=3),
    events.ScriptLoadFailed(path="setup.py", failure=RAISED),
    events.CheckRequested(code="xs = ys", file="engine/wheels.py"),
    events.DiagnosticsChecked(key="engine/wheels.py", diagnostics=(DIAGNOSTIC,)),
    events.DiagnosticsCleared(),
    events.CompletionsRequested(code="xs.ap", cursor=5),
    events.CompletionsReturned(items=(COMPLETION,)),
    events.QuestionAbandoned(reason="the session was reset"),
    events.CellStopTried(cell=CELL, rung=Rung.DOUBLE_TAP),
    events.InputRequested(cell=CELL, prompt="How many? ", password=True),
    events.InputAnswered(cell=CELL, text="forty-two"),
    events.CellOutputAdded(cell=CELL, outputs=(PRINTED,), dropped=1024),
    events.InspectionRequested(code="turn", cursor=4),
    events.InspectionReturned(inspection=INSPECTION),
    events.VariablesRequested(prefix="x", modules=True),
    events.VariablesReturned(variables=(VARIABLE,), total=7),
    events.ExplorationRequested(kind=answers.ExploredKind.TYPE, name="xs"),
    events.ExplorationReturned(exploration=EXPLORATION),
    events.ReloadRequested(paths=("/home/ada/engine/wheels.py",)),
    events.SourcesReloaded(reloaded=(RELOADED,), failed=(NOT_RELOADED,), duration=0.03),
    events.ReplayStarted(source=SESSION),
    events.SessionReplayed(
        ran=("c1", "c3"),
        skipped=("c2",),
        partial=("c3",),
        failed=("c3",),
        differing=(DIFFERENCE,),
        missing=("numpy",),
        problem="the session was reset meanwhile",
    ),
    events.CellToolCalled(
        name="mill__turn",
        verdict=Verdict.ALLOW,
        cell=CELL,
        arguments='{"wheels":3}',
        by="a person runs the cell",
        duration=0.2,
        error="a wheel is missing",
    ),
    events.EnvironmentChanged(
        new="d7a8fbb3", changed={"engine.wheels": "9f86d081", "cogs": ""}, old="60303ae2", stale=2
    ),
    # progress
    progress.OutputChunk(cell=CELL, stream="stdout", text="half of it\n"),
    progress.DisplayShown(cell=CELL, data=SHOWN, display="d1"),
    progress.OutputCleared(cell=CELL),
    progress.WarmUpStep(message="importing engine"),
    progress.ReplayStep(cell=CELL, place=2, of=7),
    progress.SessionResumed(adopted=True),
    progress.EventUnsaved(json='{"seq":0}'),
    progress.StoreWarning(unsaved=100, message="no space left on the disk"),
    progress.ProgressDropped(count=12),
    # effects
    effects.StartWorker(generation=1, config=CONFIG, rebuild=True),
    effects.AttachWorker(
        generation=1,
        config=CONFIG,
        cell=CELL,
        time_limit=2.5,
        time_left=1.5,
        unanswered=(INPUT,),
        on_error="undo",
        trial=True,
        tried=CELL,
    ),
    effects.StopWorker(generation=1),
    effects.ResetWorker(generation=2, config=CONFIG),
    effects.ExecuteInWorker(
        generation=1,
        cell=CELL,
        code="1 / 0",
        time_limit=2.5,
        may_ask=True,
        reload=False,
        copy=True,
        on_error="undo",
    ),
    effects.LoadInWorker(
        generation=1, cell=CELL, path="setup.py", time_limit=2.5, may_ask=True, copy=True
    ),
    effects.InterruptWorker(generation=1, cell=CELL, attempt=1),
    effects.CheckInWorker(generation=1, question=INPUT, code="xs = ys", file="engine/wheels.py"),
    effects.CompleteInWorker(generation=1, question=INPUT, code="xs.ap", cursor=5),
    effects.InspectInWorker(generation=1, question=INPUT, code="turn", cursor=4),
    effects.ListInWorker(generation=1, question=INPUT, prefix="x", modules=True),
    effects.ExploreInWorker(
        generation=1, question=INPUT, kind=answers.ExploredKind.TYPE, name="xs"
    ),
    effects.ReloadInWorker(generation=1, question=INPUT, paths=("/home/ada/engine/wheels.py",)),
    effects.AnswerInWorker(generation=1, cell=CELL, text="forty-two"),
    effects.AnswerToolInWorker(generation=1, ask="4f1c", allowed=True, why="a person allowed it"),
    effects.ReplayHistory(generation=2, question=INPUT, source=SESSION, before=17),
    effects.WaitThenRestart(generation=2, delay=1.0),
    # refusals
    refusals.NotNow(
        why="a cell is running",
        available=(Affordance.CANCEL_EVAL, Affordance.GET_STATUS),
        remedy=("cancel_eval",),
        command="run_cell",
        state=PhaseName.EVALUATING,
    ),
    refusals.AmbiguousSession(
        why="2 sessions are called 'engine'",
        available=(Affordance.LIST_SESSIONS,),
        remedy=("use one of their ids: session-a1b2c3, session-d4e5f6",),
        name="engine",
        sessions=(SESSION, SessionId("session-d4e5f6")),
    ),
    refusals.UnknownSession(
        why="no session has this id",
        available=(Affordance.LIST_SESSIONS,),
        remedy=("list_sessions",),
        session=SESSION,
    ),
    refusals.SessionExists(
        why="the id is taken",
        available=(Affordance.LIST_SESSIONS,),
        remedy=("leave the id out",),
        session=SESSION,
    ),
    refusals.TooManySessions(
        why="10 sessions are alive",
        available=(Affordance.STOP_SESSION,),
        remedy=("stop_session",),
        limit=10,
    ),
    refusals.NotAllowed(
        why="answer_approval is for a person alone",
        remedy=("let a person do it",),
        command="answer_approval",
    ),
    refusals.DuplicateCommand(
        why="it was accepted before",
        available=(Affordance.GET_STATUS,),
        remedy=("follow the log from its seq",),
        id=INPUT,
        seq=17,
    ),
    refusals.Malformed(
        why="Object contains unknown field `colour`",
        available=(Affordance.GET_STATUS,),
        remedy=("docs/protocol.md lists every command with its fields",),
        path="$.colour",
    ),
    refusals.TooLarge(
        why="the command has 10000000 bytes",
        available=(Affordance.LOAD_SCRIPT,),
        remedy=("load_script",),
        size=10_000_000,
        limit=8_388_608,
    ),
    refusals.UnknownView(
        why="no view has this name",
        available=(Affordance.GET_STATUS,),
        remedy=("docs/protocol.md lists the views",),
        name="crystal_ball",
    ),
    refusals.Quarantined(
        why="event 12 cannot be read",
        available=(Affordance.EXPORT_SESSION,),
        remedy=("export_session",),
        session=SESSION,
    ),
    refusals.OwnedElsewhere(
        why="another daemon runs it",
        available=(Affordance.LIST_SESSIONS,),
        remedy=("ask that daemon",),
        session=SESSION,
        owner="pid 4711 on loom",
    ),
    refusals.StoreUnavailable(
        why="no space left on the disk",
        available=(Affordance.GET_STATUS,),
        remedy=("make room, then ask again",),
    ),
    refusals.ShuttingDown(
        why="the daemon is on its way out",
        available=(Affordance.GET_STATUS,),
        remedy=("start it again",),
    ),
    # failures
    RAISED,
    failures.TimedOut(limit=2.5, elapsed=2.6),
    failures.Interrupted(message="the daemon stopped meanwhile"),
    failures.WorkerCrashed(message="signal 11", traceback="…", names=("xs",)),
    failures.WarmUpFailed(message="no interpreter named python9", traceback="…"),
    failures.ProjectNotFound(path="/gone"),
    failures.CheckFailed(diagnostics=(DIAGNOSTIC,)),
    # phases
    phases.Uninitialized(),
    phases.WarmingUp(since=NOON, cause=INPUT, origin=ADA),
    phases.Ready(),
    phases.Evaluating(
        current=phases.OpenCell(
            cell=CELL,
            code="1 / 0",
            cause=INPUT,
            origin=ADA,
            started_at=NOON,
            background=True,
            script="setup.py",
            time_limit=2.5,
            cancels=1,
            may_ask=True,
            reload=False,
            replays=CELL,
            copy=True,
            on_error="undo",
            variants=VARIANTS,
            question=phases.InputQuestion(prompt="How many? ", password=True),
        )
    ),
    phases.Faulted(failure=RAISED),
    # outputs
    PRINTED,
    SHOWN,
    # endings
    reports.Succeeded(value="3", value_type="int"),
    reports.Raised(failure=RAISED),
    reports.Stopped(),
)

EXAMPLES: Final[Mapping[type[Word], Word]] = {
    type(word): word for word in (*_ALL, *AGENT_WORDS, *DEED_WORDS, *UNDO_WORDS)
}


def example(word: type[Word]) -> Word:
    """The example of one word; a word without one is an error that says what to do."""
    if word not in EXAMPLES:
        message = f"{word.__name__} has no example: add one to tests/samples/examples.py"
        raise LookupError(message)
    return EXAMPLES[word]
