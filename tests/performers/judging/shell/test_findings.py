from pathlib import Path

from hearth.core.vocabulary.permitting import EXECUTE, READ, Need, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell import findings
from hearth.performers.judging.shell.findings import Findings, shown


def test_each_need_is_there_once_and_the_stricter_counts() -> None:
    found = Findings()
    found.add([Need(READ, "a", usual=Verdict.ALLOW), Need(READ, "a", least=Verdict.DENY)])
    found.add([Need(READ, "a", usual=Verdict.ALLOW)])

    assert [need.least for need in found.settled("x")] == [Verdict.DENY]


def test_a_doubt_is_on_every_command_and_leaves_nothing_to_grant() -> None:
    found = Findings()
    found.execute(("ls",), Verdict.ALLOW, Verdict.ALLOW, "")
    assert found.reads_only
    found.doubt("it is odd")

    need = found.settled("ls")[0]
    assert (need.usual, need.least, need.pattern) == (Verdict.ASK, Verdict.ASK, "")
    assert "it is odd" in need.why
    assert not found.reads_only


def test_a_doubt_about_nothing_that_runs_is_about_the_line() -> None:
    found = Findings()
    found.doubt("there is no command in it")

    assert [(need.permission, need.target) for need in found.settled("  ")] == [(EXECUTE, "  ")]


def test_what_is_nothing_or_read_anyway_needs_nothing(tmp_path: Path) -> None:
    found = Findings()
    place = Place(str(tmp_path), str(tmp_path))
    found.write("/dev/null", place, "")
    found.read("/dev/stdin", place, "")

    assert not found.needs
    assert found.reads_only
    found.write("/dev/stdin", place, "")
    assert found.needs


def test_what_is_protected_is_seen_also_where_nothing_is_known_of_a_command(tmp_path: Path) -> None:
    found = Findings()
    found.touch(".git/hooks/x", Place(str(tmp_path), str(tmp_path)), "")
    found.touch("plain", Place(str(tmp_path), str(tmp_path)), "")

    assert [need.least for need in found.needs.values()] == [Verdict.DENY]


def test_only_so_many_paths_are_looked_at(tmp_path: Path) -> None:
    found = Findings()
    place = Place(str(tmp_path), str(tmp_path))
    for at in range(findings.MOST_PATHS + 5):
        found.read(f"x{at}", place, "")

    assert len(found.needs) == findings.MOST_PATHS
    assert found.doubts


def test_loops_are_gone_through_only_so_often() -> None:
    found = Findings()

    assert found.may_repeat(findings.MOST_REPEATED)
    assert not found.may_repeat(1)


def test_a_need_is_told_in_a_line() -> None:
    need = Need(READ, "a", "/b/c", Verdict.ALLOW, Verdict.ASK, "read by cat")

    assert shown(need) == "read a -> /b/c: allow, at least ask (read by cat)"
