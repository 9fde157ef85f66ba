"""What agents read."""

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server import telling
from hearth.performers.language_server.findings import Finding


def finding(path: str, line: int, severity: str = "error", message: str = "m") -> Finding:
    return Finding(path, line, 2, Severity(severity), message, "R1", "ty")


def test_a_finding_is_one_line_with_its_place_first() -> None:
    shown = telling.shown(finding("/p/src/a.py", 3), "/p")
    assert shown == "src/a.py:3:2 error m (R1, ty)"
    assert telling.shown(finding("/pq/a.py", 3), "/p").startswith("/pq/a.py:3")


def test_errors_come_first_and_those_of_the_written_file_before_all() -> None:
    found = [
        finding("/p/a.py", 1),
        finding("/p/b.py", 5, "warning"),
        finding("/p/b.py", 7),
        finding("/p/b.py", 9, "hidden"),
    ]
    told = telling.worth_telling(found, ["/p/b.py"])
    assert [(one.path, one.line) for one in told] == [
        ("/p/b.py", 7),
        ("/p/a.py", 1),
        ("/p/b.py", 5),
    ]


def test_an_edit_brings_no_more_than_a_screen_and_says_what_is_left_out() -> None:
    found = [finding("/p/a.py", line) for line in range(1, 31)]
    lines = telling.after_edit(found, "/p", is_before_known=True).splitlines()
    assert lines[0] == "New diagnostics after this edit:"
    assert len(lines) == 22
    assert lines[-1] == "and 10 more: call diagnostics to see those of a file."


def test_nothing_new_is_nothing() -> None:
    assert telling.after_edit([], "/p", is_before_known=True) == ""


def test_it_is_said_when_it_is_not_known_what_is_new() -> None:
    told = telling.after_edit([finding("/p/a.py", 1)], "/p", is_before_known=False)
    assert "what there was before it is not known" in told


def test_a_file_is_told_from_top_to_bottom() -> None:
    found = [finding("/p/a.py", 9), finding("/p/a.py", 1, "info"), finding("/p/a.py", 2, "hidden")]
    told = telling.of_file(found, "/p/a.py", "/p")
    assert told == "a.py:1:2 info m (R1, ty)\na.py:9:2 error m (R1, ty)"
    assert telling.of_file([], "/p/a.py", "/p") == "a.py: no diagnostics."


def test_a_project_is_told_in_counts_with_the_worst_file_first() -> None:
    found = {
        "/p/a.py": [finding("/p/a.py", 1, "warning")] * 9 + [finding("/p/a.py", 1, "info")] * 2,
        "/p/b.py": [finding("/p/b.py", 1)],
        "/p/c.py": [],
        "/p/d.py": [finding("/p/d.py", 1, "hidden")],
    }
    assert telling.of_project(found, "/p").splitlines() == [
        "1 error, 9 warnings, 2 info in 2 files.",
        "b.py: 1 error",
        "a.py: 9 warnings, 2 info",
    ]
    assert telling.of_project({}, "/p") == "No diagnostics."


def test_a_summary_names_so_many_files_and_counts_the_rest() -> None:
    found = {f"/p/{n}.py": [finding(f"/p/{n}.py", 1)] for n in range(60)}
    lines = telling.of_project(found, "/p").splitlines()
    assert lines[0] == "60 errors in 60 files."
    assert lines[-1] == "and 10 more files."
    assert len(lines) == 52


def test_a_name_with_lines_in_it_makes_no_lines_of_its_own() -> None:
    assert telling.shown_path("/p/a\nNew diagnostics:\udcff.py", "/p") == (
        "a\\nNew diagnostics:\\udcff.py"
    )
    assert telling.shown_path("/p/é b.py", "/p") == "é b.py"
