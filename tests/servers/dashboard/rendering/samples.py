"""Items of every kind, with room for whatever a test wants to stand in them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hearth.core.views.conversation_rows import Compaction, Row, Started
from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.views.talk import Approval
from hearth.core.views.timeline_items import (
    CallItem,
    CellItem,
    ErrorItem,
    Item,
    NoticeItem,
    Placed,
    SaidItem,
    SummaryItem,
    TextItem,
    TurnEndItem,
)
from hearth.core.views.transcript import CellStanding, Entry, Tried
from hearth.core.vocabulary import blocks as b
from hearth.core.vocabulary.content import (
    Diagnostic,
    Output,
    Outputs,
    RichData,
    Severity,
    StreamText,
    Text,
)
from hearth.core.vocabulary.deeds import ChangeKind, FileChange, PathChange
from hearth.core.vocabulary.failures import CheckFailed, CodeRaised, WorkerCrashed
from hearth.core.vocabulary.ids import ApprovalId, BlockId, CallId, CellId, SessionId, TurnId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.turns import TurnEnd
from hearth.core.vocabulary.undoing import (
    ForkFailed,
    ForkHow,
    SessionForked,
    SessionReturned,
    VariantResult,
)
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.rendering.items import drawn
from hearth.servers.dashboard.rendering.look import Look

NOON: Final = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
SESSION: Final = SessionId("session-a1b2c3")
ADA: Final = Origin(Actor.PERSON, "ada", Door.DASHBOARD)
AGENT: Final = Origin(Actor.AGENT, "claude", Door.ENGINE)
TURN: Final = TurnId("t1")
CALL: Final = CallId("k1")
SHA: Final = "ab" * 32
LOOK: Final = Look(SESSION, NOON, can_talk=True, allowed=frozenset(Affordance), last_turn="t1")
BUSY: Final = Look(SESSION, NOON, can_talk=False, allowed=frozenset())


def placed(item: Item, key: str = "x1", *, stale: bool = False) -> Placed:
    return Placed(key=key, order=(1, 2, 3), item=item, stale=stale)


def shown(item: Item, look: Look = LOOK, *, stale: bool = False) -> Html:
    return drawn(placed(item, stale=stale), look).html


def entry(**given: Any) -> Entry:
    known: dict[str, Any] = {
        "version": 7,
        "seq": 7,
        "at": NOON,
        "author": ADA,
        "cell": CellId("c3"),
        "standing": CellStanding.FINISHED,
        "duration": 0.5,
    }
    return Entry(**{**known, **given})


def cell(code: Text = "x = 1", outputs: Outputs = (), **given: Any) -> CellItem:
    return CellItem(entry(code=code, outputs=outputs, **given))


def running(live: tuple[Output, ...] = (), live_from: int = 0, **given: Any) -> CellItem:
    told = {"standing": CellStanding.RUNNING, "duration": None, **given}
    return CellItem(entry(code="work()", **told), live, live_from)


def row(content: b.Block, role: b.Role = b.Role.ASSISTANT, **given: Any) -> Row:
    known: dict[str, Any] = {
        "block": BlockId("b17"),
        "version": 17,
        "seq": 17,
        "at": NOON + timedelta(seconds=5),
        "author": ADA if role is b.Role.USER else AGENT,
        "turn": TURN,
        "step": 1,
        "role": role,
        "content": content,
    }
    return Row(**{**known, **given})


def said(words: Text) -> SaidItem:
    return SaidItem(row(b.TextBlock(words), b.Role.USER))


def text(words: Text, **given: Any) -> TextItem:
    return TextItem(TURN, row(b.TextBlock(words), **given))


def thought(words: Text) -> TextItem:
    return TextItem(TURN, row(b.ThinkingBlock(words)))


def writing(words: str, start: int = 0, kind: OpenKind = OpenKind.TEXT) -> TextItem:
    return TextItem(TURN, open=OpenBlock(TURN, 1, 0, kind, words, start))


def call(
    name: str = "grep",
    arguments: Any = "{}",
    result: Text | b.ToolResultBlock | None = None,
    **given: Any,
) -> CallItem:
    words = arguments if isinstance(arguments, str) else json.dumps(arguments)
    known: dict[str, Any] = {
        "turn": TURN,
        "call": CALL,
        "name": name,
        "asked": row(b.ToolCallBlock(CALL, name, words)),
        "started": Started(call=CALL, turn=TURN, step=1, name=name, at=NOON + timedelta(seconds=3)),
    }
    if result is not None:
        block = (
            result
            if isinstance(result, b.ToolResultBlock)
            else b.ToolResultBlock(CALL, name, result)
        )
        known["result"] = row(block, b.Role.TOOL)
    return CallItem(**{**known, **given})


def approval(**given: Any) -> Approval:
    known: dict[str, Any] = {
        "approval": ApprovalId("a1"),
        "calls": (CALL,),
        "why": "it runs a command",
        "name": "run_shell",
        "details": "$ rm -rf build",
        "judged": (
            Judged(Need("execute", "rm -rf build", why="it removes"), Verdict.ASK, "a rule"),
        ),
        "offers": (Grant("execute", "rm -rf build"), Grant("execute", "rm *")),
        "at": NOON,
        "agent": "claude",
    }
    return Approval(**{**known, **given})


def ended(**given: Any) -> TurnEndItem:
    known: dict[str, Any] = {
        "turn": TURN,
        "at": NOON,
        "end": TurnEnd.DONE,
        "steps": 2,
        "usage": b.Usage(100, 2000, 50, 300),
    }
    return TurnEndItem(**{**known, **given})


def summary(words: Text, files: tuple[str, ...] = ()) -> SummaryItem:
    made = Compaction(
        block=BlockId("b9"), version=9, at=NOON, keeps=BlockId("b8"), summary=words, files=files
    )
    return SummaryItem(made)


def change(path: str, diff: Text, kind: ChangeKind = ChangeKind.CHANGED) -> FileChange:
    return FileChange(path, kind, diff=diff, added=2, removed=1)


def everywhere(evil: str) -> dict[str, Item]:
    """A text at every place that shows text of others."""
    rich = {kind: RichData({kind: evil}) for kind in RICH}
    diagnostic = Diagnostic(evil, Severity.ERROR, 1, 0, 1, 1)
    judged = Judged(Need("execute", evil, f"/real{evil}", why=evil), Verdict.DENY, evil)
    asked = approval(
        name=evil, details=evil, judged=(judged,), offers=(Grant(evil, evil),), agent=evil
    )
    error = b.ToolResultBlock(CALL, "grep", evil, is_error=True, spilled=evil)
    return {
        "code": cell(evil),
        "author": cell(author=Origin(Actor.MCP_CLIENT, evil, Door.MCP)),
        "notice of a cell": cell(notice=evil),
        "stdout": cell(outputs=(StreamText("stdout", evil),)),
        "stderr": cell(outputs=(StreamText("stderr", evil),)),
        "live": running((StreamText("stdout", evil),)),
        "late": cell(late=((StreamText("stdout", evil),),)),
        "question": running(question=evil),
        "value": cell(value=evil, value_type=evil),
        **{f"rich {kind}": cell(outputs=(one,)) for kind, one in rich.items()},
        **{f"live {kind}": running((one,)) for kind, one in rich.items()},
        "kind of a bundle": cell(outputs=(RichData({evil: evil}),)),
        "picture": cell(outputs=(RichData({"image/png": "iVBORw0K", "text/plain": evil}),)),
        "failure": cell(failure=CodeRaised(evil, evil, evil)),
        "crash": cell(failure=WorkerCrashed(evil, evil, (evil,))),
        "check": cell(failure=CheckFailed((diagnostic,))),
        "prompt": said(evil),
        "prompt with a fence": said(f"```{evil}\n{evil}\n```\n\n{evil}"),
        "answer": text(evil),
        "answer with a fence": text(f"```python\n{evil}\n```\n\n```{evil}\n{evil}"),
        "link": text(f"[{evil}]({evil}) [x](<{evil}>) ![{evil}]({evil}) <{evil}> [{evil}]"),
        "cut off": text(evil, partial=True),
        "thinking": thought(evil),
        "writing": writing(evil),
        "thinking now": writing(evil, 5, OpenKind.THINKING),
        "tool": call(evil, evil, evil),
        "arguments": call("grep", {"pattern": evil, evil: evil}, "ok"),
        "command": call(
            "run_shell", {"command": evil, "cwd": evil}, f"{evil}\n\nExit code 1. {evil}"
        ),
        "command that runs": call("run_shell", {"command": evil}, live=evil),
        "code that runs": call("run_code", {"code": evil}),
        "cell of a call": call("run_code", {"code": evil}, evil, cell=cell(evil, value=evil)),
        "error of a call": call("grep", {}, error),
        "files": call(
            "edit_file",
            {"path": evil},
            "ok",
            changes=(
                change(evil, evil),
                change(evil, f"--- a\n+++ b\n@@ {evil}\n+{evil}\n-{evil}"),
            ),
        ),
        "rule": call(evil, {}, refused=(judged,)),
        "approval": call("run_shell", {"command": evil}, started=None, approval=asked),
        "approval of JSON": call(
            approval=approval(
                details=json.dumps(
                    {
                        "command": evil,
                        "code": evil,
                        "path": evil,
                        "content": evil,
                        "edits": [{"old": evil, "new": evil}],
                        evil: [evil],
                    }
                )
            )
        ),
        "approval to go on": call(approval=approval(name="", why=evil, details="", judged=())),
        "error": ErrorItem(row(b.ErrorBlock(evil, 500), b.Role.SYSTEM)),
        "notice": NoticeItem(NOON, evil, entry(cell=CellId(""), failure=CodeRaised(evil, evil))),
        "trial": cell(
            evil,
            value=evil,
            kept=1,
            undone=True,
            obstacles=(evil,),
            variants=(
                Tried(evil, VariantResult(value=evil, value_type=evil, names=(evil,))),
                Tried(evil, VariantResult(failure=CodeRaised(evil, evil, evil))),
            ),
        ),
        "fork": NoticeItem(NOON, evil, entry(), SessionForked(SESSION, ForkHow.COPY, evil)),
        "no fork": NoticeItem(NOON, evil, entry(), ForkFailed(SESSION, evil, (evil,))),
        "return": NoticeItem(
            NOON,
            evil,
            entry(),
            SessionReturned(
                BlockId("b1"),
                cells=(CellId("c1"),),
                changes=(PathChange(evil, ChangeKind.CHANGED),),
                problems=(evil,),
            ),
        ),
        "summary": summary(evil, (evil,)),
        "end": ended(why=evil),
    }


RICH: Final = (
    "text/html", "text/plain", "text/markdown", "text/latex", "application/json", "image/svg+xml",
    "image/png", "image/jpeg", "application/javascript", "application/vnd.plotly.v1+json",
)  # fmt: skip
