"""What agents may do and did is told in a few lines, each of which can be read."""

import pytest
from tests.clients.repl.telling_of import MINE, THEIRS, told

from hearth.clients.repl.deed_noticing import deed_noticed, requested
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import ApprovalId, CallId, TurnId
from hearth.core.vocabulary.permitting import EXECUTE, WRITE, Grant, Judged, Kept, Need, Verdict
from hearth.core.vocabulary.prompting import ApprovalAnswer

T, K = TurnId("t1"), CallId("k1")
A1 = ApprovalId("a1")
DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-two\n+three\n"


def noticed(event: t.TurnEvent, *, is_mine: bool = True, paint: Paint | None = None) -> str:
    envelope = told(event, MINE if is_mine else THEIRS, 57)
    return deed_noticed(envelope, paint or Paint(), is_mine=is_mine, root="/p")


@pytest.mark.promise("DP-PERM-10")
def test_what_is_asked_for_is_told_with_all_that_matters() -> None:
    asked = t.ApprovalRequested(
        A1,
        T,
        (K,),
        "execute make",
        "run_shell",
        "$ make \u202eall",
        (Judged(Need(EXECUTE, "make all", why="nobody knows"), Verdict.ASK, "a rule (h:3)"),),
        (Grant(EXECUTE, "make *"),),
    )
    assert requested(asked, "bot", Paint(), ".approve a1 lets it").split("\n") == [
        "a1 · bot wants to use run_shell",
        "  $ make <U+202E>all",
        "  needs",
        "    execute  make all  nobody knows, by a rule (h:3)",
        "  can be allowed for longer",
        '    execute  "make *"',
        "  .approve a1 lets it",
    ]
    long = t.ApprovalRequested(A1, T, (K,), "x", "run_shell", Blob("d", 9, "text/plain", "$ ma"))
    assert ".show a1 shows all" in requested(long, "bot", Paint(), "")


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (ApprovalAnswer.ONCE, "a1 allowed once"),
        (ApprovalAnswer.SESSION, "a1 allowed for this session"),
        (ApprovalAnswer.ALWAYS, "a1 allowed for always"),
        (ApprovalAnswer.REJECT, "a1 rejected"),
    ],
)
def test_who_answered_is_told_unless_it_was_oneself(answer: ApprovalAnswer, line: str) -> None:
    assert noticed(t.ApprovalAnswered(A1, answer)) == line
    others = noticed(t.ApprovalAnswered(A1, answer, because=ApprovalId("a2")), is_mine=False)
    assert others == f"{line} by bot (agent, mcp), with a2"


def test_a_refusal_names_the_rule() -> None:
    judged = (
        Judged(Need(EXECUTE, "git push\x1b"), Verdict.DENY, 'execute "git push*" (h.jsonc:7)'),
        Judged(Need(WRITE, "x"), Verdict.DENY, "built in"),
    )
    event = d.ToolRefused(K, T, "run_shell", judged)
    assert noticed(event) == (
        '  ✗ run_shell is not allowed: execute git push<U+001B> (execute "git push*" (h.jsonc:7));'
        " write x (built in)"
    )
    assert noticed(event, paint=Paint(drawings=False)).startswith("  x run_shell")


def test_changes_are_diffs_and_long_ones_say_how_to_see_all() -> None:
    change = d.FileChange("/p/x", d.ChangeKind.CHANGED, None, "", DIFF, 1, 1)
    shown = noticed(d.FilesChanged(T, K, (change,)))
    assert shown == "  M x  +1 -1\n  @@ -1 +1 @@\n  -two\n  +three"
    coloured = noticed(d.FilesChanged(T, K, (change,)), paint=Paint(colour=True))
    assert "\x1b[31m-two\x1b[0m" in coloured
    assert "\x1b[32m+three\x1b[0m" in coloured
    many = "\n".join(f"+{one}" for one in range(90))
    long = d.FileChange("/p/x", d.ChangeKind.CREATED, None, "", many, 90)
    kept = d.FileChange("/q/y", d.ChangeKind.CREATED, None, "", Blob("d", 9, "text/plain", "+1"))
    shown = noticed(d.FilesChanged(T, K, (long, kept)))
    assert "  … 66 more lines; .show f57 shows all" in shown
    assert shown.endswith("  A /q/y\n  +1\n  … there is more; .show f57 shows all")


def test_a_task_is_a_line_of_a_checklist() -> None:
    task = d.Task("2", "mend it", state=d.TaskState.DONE)
    assert noticed(d.TaskChanged(T, task)) == "  [x] 2. mend it"


def test_what_went_back_is_told_to_others_file_by_file() -> None:
    change = d.PathChange("a.py", d.ChangeKind.DELETED, 0, 3)
    event = d.FilesRewound((change,), Kept("/p", "t"), Kept("/p", "u"), 2)
    assert noticed(event) == "3 files went back; .rewind undo undoes it"
    assert noticed(event, is_mine=False).split("\n") == [
        "3 files went back; .rewind undo undoes it (bot (agent, mcp))",
        "  goes away     a.py  -3",
        "  … and 2 more",
    ]
    failed = d.RewindFailed("the disk is full\x1b", (change,))
    assert noticed(failed) == (
        "the files stay as they are: the disk is full<U+001B>; 1 file went back all the same"
    )


def test_what_is_kept_or_compared_is_nobodys_business() -> None:
    assert noticed(d.FilesKept(T, K, Kept("/p", "t"))) == ""
    assert noticed(d.RewindRequested("b7", preview=True)) == ""
    assert noticed(d.FilesCompared(())) == ""
