"""What a line needs, in whole."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.performers.judging.shell.project import Project, make_project

from hearth.core.rules.permission import Layer, Rule, judge, strictest
from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, READ, WRITE, Grant, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.analysis import LONGEST, Analysis, analyse


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("analysed"))


def _targets(found: Analysis, permission: str) -> list[str]:
    return [need.target for need in found.needs if need.permission == permission]


@pytest.mark.promise("DP-SHELL-02")
def test_a_command_deep_within_a_line_is_asked_for_by_where_it_reaches(project: Project) -> None:
    found = project.analyse("ls && (cat a.txt | (true; if true; then cat /etc/passwd; fi))")

    assert found.parts == ("ls", "cat a.txt", "true", "true", "cat /etc/passwd")
    assert _targets(found, EXTERNAL) == ["/etc/passwd"]
    assert [need.pattern for need in found.needs if need.permission == EXTERNAL] == ["/etc/*"]


@pytest.mark.promise("DP-SHELL-03")
@pytest.mark.parametrize(
    "line",
    [
        "rm {}",
        "cp a.txt {}",
        "mv a.txt {}",
        "mkdir {}",
        "touch {}",
        "chmod 600 {}",
        "chown me {}",
        "cat {}",
    ],
)
def test_the_paths_of_a_command_are_judged(line: str, project: Project) -> None:
    inside = project.analyse(line.format("new.txt"))
    outside = project.analyse(line.format("/etc/new.txt"))

    permission = READ if line.startswith("cat") else WRITE
    assert "new.txt" in _targets(inside, permission)
    assert not _targets(inside, EXTERNAL)
    assert "/etc/new.txt" in _targets(outside, permission)
    assert "/etc/new.txt" in _targets(outside, EXTERNAL)


@pytest.mark.promise("DP-SHELL-05")
def test_where_a_command_reaches_and_what_it_does_are_two_things_to_allow(project: Project) -> None:
    found = project.analyse("rm /etc/x")

    asked = [need for need in found.needs if need.usual is Verdict.ASK]
    assert {need.permission for need in asked} >= {EXECUTE, EXTERNAL}
    grant = Grant(EXECUTE, "rm /etc/x")
    verdicts = {need.permission: judge(need, (), [grant]).verdict for need in found.needs}
    assert verdicts[EXECUTE] is Verdict.ALLOW
    assert verdicts[EXTERNAL] is Verdict.ASK


@pytest.mark.promise("DP-SHELL-06")
@pytest.mark.parametrize("line", ["rm x; echo 'unclosed", 'rm x "', "rm x; (ls", "rm x\nfi fi ("])
def test_what_cannot_be_parsed_is_not_run_by_any_rule_or_grant(line: str, project: Project) -> None:
    found = project.analyse(line)

    everything = Layer("person", (Rule("*", "*", Verdict.ALLOW),))
    grants = [Grant(need.permission, "*") for need in found.needs]
    verdicts = [judge(need, (everything,), grants).verdict for need in found.needs]
    assert strictest(verdicts) is Verdict.ASK
    assert not found.reads_only
    assert found.doubts
    assert all(need.pattern == "" for need in found.needs if need.permission == EXECUTE)


@pytest.mark.promise("DP-SHELL-06")
def test_a_line_that_is_none_says_why(project: Project) -> None:
    assert project.analyse("echo 'a").broken == "a quote is not closed"
    assert project.analyse("f() { ls; }").broken == ""
    assert project.analyse("ls").broken == ""


@pytest.mark.promise("DP-SHELL-07")
def test_a_redirection_to_outside_and_sudo_ask(project: Project) -> None:
    redirected = project.analyse("echo x > /etc/y")
    hidden = project.analyse("sudo rm y")

    assert _targets(redirected, WRITE) == ["/etc/y"]
    assert _targets(redirected, EXTERNAL) == ["/etc/y"]
    assert _targets(hidden, EXECUTE) == ["sudo rm y", "rm y"]
    assert {need.least for need in hidden.needs if need.permission == EXECUTE} == {Verdict.ASK}


def test_a_rule_that_denies_is_seen_through_what_wraps_a_command(project: Project) -> None:
    layer = Layer("person", (Rule(EXECUTE, "rm *", Verdict.DENY),))
    for line in (
        "timeout 5 rm x",
        "bash -c 'rm x'",
        "find . -exec rm {} +",
        "echo x | xargs rm",
        "env A=1 nice rm x",
        "eval rm x",
        "f() { rm x; }; f",
        "[[ -f a ]] && rm x",
        "'r'm x",
        "/bin/rm x",
        "command rm x",
        "exec rm x",
    ):
        needs = project.analyse(line).needs
        assert strictest(judge(need, (layer,)).verdict for need in needs) is Verdict.DENY, line


def test_a_rule_that_allows_is_for_the_command_and_not_for_what_else_is_in_the_line(
    project: Project,
) -> None:
    layer = Layer("person", (Rule(EXECUTE, "git checkout *", Verdict.ALLOW),))

    def verdict(line: str) -> Verdict:
        needs = project.analyse(line).needs
        return strictest(judge(need, (layer,)).verdict for need in needs)

    assert verdict("git checkout main") is Verdict.ALLOW
    assert verdict("git checkout main; rm x") is Verdict.ASK
    assert verdict("git checkout main > x") is Verdict.ASK
    assert verdict("git checkout $(rm x)") is Verdict.ASK
    assert verdict("git checkout $x") is Verdict.ASK
    assert verdict("git 'checkout main'") is Verdict.ASK
    assert verdict("PATH=. git checkout main") is Verdict.ASK
    assert verdict("git checkout --work-tree=/etc main") is Verdict.ASK


def test_a_line_that_only_reads_says_so_wherever_it_reads(project: Project) -> None:
    inside, outside = project.analyse("cat a.txt"), project.analyse("cat /etc/hosts")

    assert inside.reads_only
    assert outside.reads_only
    assert not project.analyse("cat a.txt > b.txt").reads_only
    assert not project.analyse("make").reads_only
    assert not project.analyse("").reads_only


def test_people_are_shown_what_was_found(project: Project) -> None:
    shown = project.analyse("cat a.txt \u202e| tee /etc/x").shown

    assert "\u202e" not in shown
    assert "<U+202E>" in shown
    assert "execute tee /etc/x: ask" in shown
    assert "external_directory /etc/x: ask" in shown
    assert "doubt: it has U+202E" in shown


def test_the_folder_that_cd_leads_to_counts_for_what_follows(project: Project) -> None:
    assert _targets(project.analyse("cd src && cat app.py"), READ) == ["src", "src/app.py"]
    assert _targets(project.analyse("(cd src); cat a.txt"), READ) == ["src", "a.txt"]
    assert _targets(project.analyse("cd src | cat a.txt"), READ) == ["src", "a.txt"]


def test_a_line_that_is_too_long_is_not_looked_at(project: Project) -> None:
    found = project.analyse("ls " * LONGEST)

    assert found.doubts == (f"it is longer than {LONGEST:,} characters",)
    assert [need.least for need in found.needs] == [Verdict.ASK]
    assert len(found.needs[0].target) < 1000


_PIECES = st.sampled_from(
    [
        "ls", "rm x", "cat", " ", "\n", ";", "&&", "|", "&", "(", ")", "{", "}", "$(",
        "`", "'", '"',
        "\\", "$x", "${", "<<E", "\nE\n", "<", ">", "#", "=", "a=", "if", "then", "fi", "for", "in",
        "do", "done", "case", "esac", ";;", "*", "?", "[", "]", "~", "{a,b}", "$((", "))", "\x00",
        "\u202e", "é", "\U000f0000", "\ud800", "!", "time", "env", "bash -c", "sed s/a/b/", "awk",
        "find . -exec", "git", "-o", "--", "xargs", "sudo", "timeout 5", "1", "/etc", "..", "$'",
        "<(", "[[", "]]",
    ]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(max_size=60))
def test_no_line_is_too_much(line: str) -> None:
    found = analyse(line, Place("/nowhere/project", "/nowhere/project"))

    assert found.needs
    assert found.shown
    assert found.parts or found.doubts
    if "rm x" in found.parts:
        assert not found.reads_only


@pytest.mark.parametrize(
    "line",
    [
        "(" * 10_000,
        "$(" * 5_000,
        "echo " + "$(echo " * 1_500 + "x" + ")" * 1_500,
        "a;" * 5_000,
        "cat " + "x " * 5_000,
        "ls " + "* " * 5_000,
        "echo " + "{a,b}" * 2_000,
        "timeout 5 " * 1_000 + "ls",
        "".join(f"for v{at} in a b c d e f g h; do " for at in range(12)) + "ls;" + " done;" * 12,
        "cat <<E\nE\n" * 1_000,
        "sed '" + "{" * 9_000 + "' x",
        "'" * 9_999,
        "\\" * 9_999,
        "[" * 9_999,
        "[a]" * 3_333,
        "ls;" + "[a]" * 3_332,
        "cat g/*a*a*a*b " * 600,
        "cat g/" + "*a" * 2_500,
        "cat " + " ".join(f"{'./' * (at % 40)}{'src/../' * (at // 40)}l" for at in range(120)),
        "grep -r x " + "src/.. " * 1_400,
    ],
    ids=lambda line: line[:20],
)
def test_nothing_that_fits_into_a_line_takes_long_or_is_allowed_for_it(
    line: str, tmp_path: Path
) -> None:
    project = make_project(tmp_path)
    (project.root / "l").symlink_to("src/../" * 500 + "a.txt")
    (project.root / "g").mkdir()
    for one in "abc":
        (project.root / "g" / ("a" * 250 + one)).touch()
    project.analyse("ls")
    times = []
    for _ in range(3):
        started = time.process_time()
        assert len(project.analyse(line).needs) < 3_000
        times.append(time.process_time() - started)

    # Many times what it takes; the tricks it is about take tens of times that.
    assert min(times) < 0.5


def test_nothing_is_inside_where_there_is_no_project(tmp_path: Path) -> None:
    found = analyse("ls", Place(str(tmp_path), ""))

    assert strictest(judge(need, ()).verdict for need in found.needs) is Verdict.ASK


@pytest.mark.parametrize("line", ["nice echo hi", "env printf x", "timeout 5 true"])
def test_what_another_program_runs_is_not_built_into_the_shell(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path)
    assert project.verdict(line) is Verdict.ALLOW

    (project.root / "bin").mkdir()
    for name in ("echo", "printf", "true"):
        (project.root / "bin" / name).touch()
    monkeypatch.setenv("PATH", f"{project.root}/bin:/usr/bin:/bin")
    assert project.verdict(line) is Verdict.ASK
    assert project.verdict("echo hi; printf x; true") is Verdict.ALLOW


def test_a_rule_is_heard_for_what_find_has_read(project: Project) -> None:
    found = project.analyse("find src -name '*.py' -exec wc -l {} +")

    assert found.parts == ("find src -name '*.py' -exec wc -l '{}' +", "wc -l '{}'")
    assert found.reads_only
