"""What became of files is shown as diffs, readable without colour."""

from hearth.clients.agents.diff_text import changed, compared, counted, diffed, files, none_kept
from hearth.clients.agents.lines import ADDED, DIM, PLACE, PLAIN, REMOVED, STRONG

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"


def test_a_change_has_its_name_its_counts_and_its_lines() -> None:
    change = {"path": "/p/x.py", "kind": "changed", "diff": DIFF, "added": 1, "removed": 1}
    assert changed(change, "/p") == [
        (STRONG, "M x.py  +1 -1"),
        (PLACE, "@@ -1,2 +1,2 @@"),
        (PLAIN, " one"),
        (REMOVED, "-two"),
        (ADDED, "+three"),
    ]
    assert changed({"path": "/q/x", "kind": "created"}, "/p") == [(STRONG, "A /q/x")]
    assert changed({"path": "/p", "kind": "deleted"}) == [(STRONG, "D /p")]


def test_a_long_diff_is_folded_and_can_be_had_in_full() -> None:
    long = "@@ -0,0 +1,100 @@\n" + "\n".join(f"+{one}" for one in range(100))
    shown = diffed(long, 10, ".show f7 shows all")
    assert len(shown) == 11
    assert shown[-1] == (DIM, "… 91 more lines; .show f7 shows all")
    assert len(diffed(long, 0)) == 101
    assert len(diffed("+" + "x" * 1000)[0][1]) == 300


def test_nothing_in_a_diff_is_obeyed_by_a_terminal() -> None:
    assert diffed("+\x1b[2J\u202e") == [(ADDED, "+<U+001B>[2J<U+202E>")]
    assert diffed("") == []
    kept = {"path": "a\nb", "kind": "changed", "diff": {"head": "+x", "sha256": "d", "size": 2}}
    assert changed(kept) == [(STRONG, "M a<U+000A>b"), (ADDED, "+x")]


def test_what_going_back_does_is_a_line_for_each_file() -> None:
    shown = compared(
        [
            {"path": "a.py", "kind": "changed", "added": 2, "removed": 3},
            {"path": "long/b.py", "kind": "deleted"},
            {"path": "c", "kind": "created"},
        ],
        left_out=4,
    )
    assert shown == [
        (PLAIN, "  changes back  a.py       +2 -3"),
        (REMOVED, "  goes away     long/b.py"),
        (ADDED, "  comes back    c"),
        (DIM, "  … and 4 more"),
    ]
    assert len(compared([{"path": str(one), "kind": "deleted"} for one in range(60)])) == 51


def test_files_are_counted_as_people_count() -> None:
    assert (files(1), files(2)) == ("1 file", "2 files")
    assert counted({"added": 0, "removed": 2}) == "-2"


def test_that_nothing_was_kept_is_said_with_why() -> None:
    said = none_kept("b3")
    assert said.startswith("no files were kept since b3, so none go back: ")
    assert "before an agent" in said
