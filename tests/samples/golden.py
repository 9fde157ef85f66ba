"""`make golden`: the log of this release, written once, read by every later one.

A life in which every event happens is decided by the rules and written as a door would send it.
"""

import sys
from collections.abc import Iterator
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tests.samples import golden_talk, golden_undo
from tests.samples.examples import (
    ADA,
    CONFIG,
    DIAGNOSTIC,
    EXPLORATION,
    INSPECTION,
    NOON,
    NOT_RELOADED,
    PRINTED,
    RELOADED,
    SESSION,
    SHOWN,
    SURROUNDINGS,
    USES,
    VARIABLE,
)
from tests.samples.write import ROOT, freeze

from hearth.core.rules.session import Decision, SessionState, decide
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import draft, envelope_json
from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import DAEMON_STREAM, CellId, InputId, SessionId
from hearth.core.vocabulary.inputs import Asked, Told
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Verdict
from hearth.core.vocabulary.phases import Rung

GOLDEN: Final = ROOT / "golden"
AGENT: Final = Origin(Actor.MCP_CLIENT, "weaver", Door.MCP)
RAISED: Final = r.Raised(CodeRaised("ZeroDivisionError", "division by zero", "line 1, in <cell>"))
WORDS: Final[tuple[tuple[SessionId, Origin, c.Command | r.Report], ...]] = (
    (SESSION, ADA, c.CreateSession(CONFIG)),
    (SESSION, ADA, r.WorkerReady(1, 0.16, ("no module named cogs",))),
    (DAEMON_STREAM, ADA, c.SwitchSession(SESSION)),
    (SESSION, ADA, c.RenameSession("difference engine")),
    (SESSION, ADA, c.RunCell("xs = [1, 2]\nxs")),
    (SESSION, ADA, r.CellEnded(1, CellId("c1"), r.Succeeded("[1, 2]", "list"), 0.01, (SHOWN,))),
    (SESSION, AGENT, c.RunCell("while True: pass", background=True, time_limit=60.0)),
    (SESSION, ADA, c.RunCell("1 / 0", if_busy="queue")),
    (SESSION, ADA, c.RunCell("2 / 0", if_busy="queue")),
    (SESSION, AGENT, c.CheckCode("xs = ys", "engine/wheels.py")),
    (SESSION, AGENT, r.CodeChecked(InputId("i10"), (DIAGNOSTIC,))),
    (SESSION, ADA, c.CompleteCode("xs.ap", 5)),
    (
        SESSION,
        ADA,
        r.CodeCompleted(InputId("i12"), (Completion("append", CompletionKind.METHOD),)),
    ),
    (SESSION, ADA, c.CancelCell(CellId("c4"))),
    (SESSION, ADA, c.CancelCell()),
    (SESSION, ADA, r.CellEnded(1, CellId("c2"), r.Stopped(), 1.5, (PRINTED,))),
    (SESSION, ADA, r.CellEnded(1, CellId("c3"), RAISED, 0.01)),
    (SESSION, ADA, c.LoadScript("setup.py")),
    (SESSION, ADA, r.CellEnded(1, CellId("c5"), r.Succeeded(), 0.2, names=("a",), statements=3)),
    (SESSION, ADA, c.LoadScript("broken.py", time_limit=2.5)),
    (SESSION, ADA, r.CellEnded(1, CellId("c6"), RAISED, 0.1)),
    (SESSION, ADA, c.ResetSession()),
    (SESSION, ADA, r.WorkerReady(2, 0.1)),
    (SESSION, AGENT, c.CompleteCode("xs.", 3)),
    (SESSION, AGENT, r.WorkerLost(2, r.Exit.CRASH, "signal 11", "…")),
    (SESSION, ADA, r.RestartDue(2)),
    (SESSION, ADA, c.HardResetSession(rebuild=True)),
    (SESSION, ADA, r.WorkerReady(4, 0.2)),
    (SESSION, ADA, c.RunCell("import os\nos.getpid()")),
    (SESSION, ADA, c.StopSession("done for today")),
    (SESSION, ADA, c.HardResetSession()),
    (SESSION, ADA, r.WorkerReady(5, 0.2, surroundings=SURROUNDINGS)),
    (SESSION, ADA, r.EnvironmentSeen(5, "d7a8fbb3", USES)),
    (SESSION, ADA, c.ReplaySession()),
    (SESSION, ADA, r.ReplayEnded(InputId("i34"), ("c5",), missing=("numpy",))),
    (SESSION, ADA, c.RunCell("n = int(input())", may_ask=True)),
    (SESSION, ADA, r.InputAsked(5, CellId("c8"), "How many? ")),
    (SESSION, ADA, c.AnswerInput("42")),
    (SESSION, AGENT, c.InspectCode("turn", 4)),
    (SESSION, AGENT, r.CodeInspected(InputId("i39"), INSPECTION)),
    (SESSION, AGENT, c.ListVariables()),
    (SESSION, AGENT, r.VariablesFound(InputId("i41"), (VARIABLE,), 1)),
    (SESSION, AGENT, c.ExploreModule("engine.wheels")),
    (SESSION, AGENT, r.MembersFound(InputId("i43"), EXPLORATION)),
    (SESSION, AGENT, c.ReloadSources(("/home/ada/engine/wheels.py",))),
    (SESSION, AGENT, r.SourcesTaken(InputId("i45"), (RELOADED,), (NOT_RELOADED,), 0.02)),
    (SESSION, ADA, c.CancelCell()),
    (SESSION, ADA, r.StopTried(5, CellId("c8"), Rung.INTERRUPT)),
    (SESSION, ADA, r.CellEnded(5, CellId("c8"), r.Stopped(), 1.5, names=("n",), uses=USES)),
    (SESSION, ADA, r.OutputCameLate(5, CellId("c8"), (PRINTED,), 10)),
    (SESSION, ADA, r.ToolUsed(5, "mill__turn", Verdict.ALLOW, CellId("c8"), duration=0.2)),
    (SESSION, ADA, c.StopSession("done for good")),
    (DAEMON_STREAM, ADA, c.NoteSettings(("hearth.jsonc",), ("model",))),
)
"""What was asked and told, in order; the n-th has the id `i<n>`, counted from 1."""


def lived() -> Iterator[bytes]:
    """The log of that life, one envelope a line."""
    story = list(WORDS)
    story += [(golden_talk.TALK, ADA, word) for word in golden_talk.words(len(story) + 1)]
    story += [(golden_undo.UNDO, ADA, word) for word in golden_undo.words(len(story) + 1)]
    states = {session: SessionState(session) for session, _, _ in story}
    seq = 0
    for number, (session, origin, word) in enumerate(story, 1):
        at = NOON + timedelta(seconds=number)
        cause = InputId(f"i{number}")
        decision = decide(
            states[session],
            Told(cause, at, word) if isinstance(word, r.Report) else Asked(cause, at, origin, word),
        )
        if not isinstance(decision, Decision):
            message = f"{word} was refused: {decision}"
            raise TypeError(message)
        for place, fact in enumerate(decision.facts, states[session].version + 1):
            seq += 1
            yield envelope_json(Stored(seq, session, place, draft(fact).data)) + b"\n"
        states[session] = decision.state


def write(path: Path) -> None:
    """Write the log of this release; what is there already stays."""
    if path.exists():
        message = f"{path.name} is there: the log of a release is written once"
        raise FileExistsError(message)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(lived()))
    freeze(path)


if __name__ == "__main__":
    target = GOLDEN / f"{version('hearth')}.jsonl"
    write(target)
    sys.stdout.write(f"{target.relative_to(ROOT.parent.parent)}\n")
