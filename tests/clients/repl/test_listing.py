"""Lists are tables that people can read."""

from datetime import UTC, datetime, timedelta

from hearth.clients.repl.host import Present
from hearth.clients.repl.listing import (
    attach_lines,
    columns,
    finding_lines,
    named,
    session_lines,
    variable_lines,
)
from hearth.clients.repl.painting import Paint
from hearth.core.views.sessions import SessionRow
from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
S = SessionId("session-aaaaaa")


def status(*, notices: tuple[str, ...] = ()) -> Status:
    return Status(
        session=S,
        name="loom",
        directory="/srv/loom/src",
        state=PhaseName.READY,
        available=(),
        evals=1,
        errors=0,
        cancelled=0,
        last_code="",
        last_duration=None,
        started_at=NOON - timedelta(hours=2),
        last_activity=NOON - timedelta(minutes=5),
        projects=(),
        stale_events=0,
        generation=1,
        root="/srv/loom",
        version="3.11.9",
        language="python",
        notices=notices,
    )


def test_one_sees_what_one_is_attached_to() -> None:
    first, second = attach_lines(status(), [], NOON, Paint()).split("\n")
    assert first == "loom · session-aaaaaa · /srv/loom"
    assert second.startswith("Python 3.11.9 · ready · started ")
    assert second.endswith(" · last used 5 minutes ago · nobody else is here")


def test_who_else_is_here_and_what_must_be_known_is_told() -> None:
    others = [Present("mcp", "bot", "mcp"), Present("browser", "", "")]
    shown = attach_lines(status(notices=("not trusted\x1b[2J",)), others, NOON, Paint())
    assert "with bot (mcp), browser (browser)" in shown
    assert shown.endswith("\nnot trusted")
    assert named([]) == ""


def test_sessions_are_listed_with_the_one_that_is_attached() -> None:
    rows = [
        SessionRow(session=S, name="loom", directory="/loom", state=PhaseName.EVALUATING),
        SessionRow(
            session=SessionId("session-b"),
            name="a longer name",
            directory="/b",
            state=PhaseName.READY,
            trouble="broken",
        ),
    ]
    lines = session_lines(rows, S, NOON).split("\n")
    assert lines[0] == "*  loom           session-aaaaaa  running     /loom  never"
    assert lines[1] == "   a longer name  session-b       in trouble  /b     never"
    assert session_lines(rows, None, NOON, numbered=True).startswith("1  loom")
    assert session_lines([], S, NOON) == ""


def test_variables_fit_the_terminal() -> None:
    found = [
        Variable("df", "DataFrame", 100, 3, "(3, 2)", "   a\n0  1"),
        Variable("xs", "list", 9, 2, "", "[1, 2]"),
    ]
    lines = variable_lines(found, 5, 30).split("\n")
    assert lines[0] == "df  DataFrame  (3, 2)   a 0 1"
    assert lines[1] == "xs  list       2 items  [1, 2]"[:30]
    assert lines[2] == "(3 more; .vars PREFIX shows fewer)"
    assert variable_lines([], 0, 80) == "no variables"


def test_findings_are_told_with_their_place() -> None:
    found = [Diagnostic("no y", Severity.ERROR, 2, 4, 2, 5, "F821")]
    assert finding_lines(found, Paint()) == "2:5 error: no y (F821)"
    assert finding_lines([], Paint()) == "nothing found"


def test_columns_stand_under_each_other() -> None:
    assert columns([("a", "bb", ""), ("aaa", "b", "c")]) == "a    bb\naaa  b   c"
    assert columns([]) == ""
