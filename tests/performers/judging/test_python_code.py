import os
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.performers.judging.python_benign import BENIGN
from tests.performers.judging.python_detours import DETOURS
from tests.performers.judging.python_hostile import HOSTILE

from hearth.core.rules.permission import judge, strictest
from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, READ, WRITE, Need, Verdict
from hearth.performers.judging.paths import Place, path_needs
from hearth.performers.judging.python_code import MOST_CHARACTERS, python_wants
from hearth.performers.judging.shell.analysis import analyse


@pytest.fixture
def place(tmp_path: Path) -> Place:
    top = Path(os.path.realpath(tmp_path))
    for folder in ("project/src", "project/data", "project/.git/hooks", "home", "outside"):
        (top / folder).mkdir(parents=True)
    for name in ("README.md", "src/a.py", "data/a.csv", "package.json", "data.bin"):
        (top / "project" / name).touch()
    (top / "outside/secret").touch()
    (top / "project/link").symlink_to(top / "outside")
    (top / "project/links").mkdir()
    (top / "project/links/one").symlink_to(top / "outside/secret")
    (top / "project/repo/.git").mkdir(parents=True)
    return Place(str(top / "project"), str(top / "project"), (str(top / "home"),))


def verdict(needs: tuple[Need, ...]) -> Verdict:
    return strictest(judge(need, ()).verdict for need in needs)


@pytest.mark.promise("DP-PERM-09")
@pytest.mark.parametrize(("about", "least", "code"), HOSTILE, ids=lambda one: str(one)[:60])
def test_what_may_do_harm_is_asked_about(
    about: str, least: Verdict, code: str, place: Place
) -> None:
    wanted = python_wants(code.replace("{forbidden}", place.forbidden[0]), place)
    order = list(Verdict)

    assert order.index(verdict(wanted.needs)) >= order.index(least), about


@pytest.mark.promise("DP-PERM-09")
@pytest.mark.parametrize(("about", "code"), DETOURS, ids=lambda one: str(one)[:60])
def test_what_was_found_to_get_round_it_is_asked_about(about: str, code: str, place: Place) -> None:
    outside = str(Path(place.root).parent / "outside")
    wanted = python_wants(code.replace("{outside}", outside), place)

    assert verdict(wanted.needs) >= Verdict.ASK, about


@pytest.mark.parametrize("code", BENIGN, ids=lambda one: str(one)[:60])
def test_what_does_no_harm_is_not_asked_about(code: str, place: Place) -> None:
    wanted = python_wants(code, place)

    assert [need for need in wanted.needs if verdict((need,)) is not Verdict.ALLOW] == []


def test_the_corpora_are_large_enough_and_say_everything_once() -> None:
    assert len({code for _, _, code in HOSTILE}) == len(HOSTILE) >= 80
    assert len(set(BENIGN)) == len(BENIGN) >= 60


@pytest.mark.promise("DP-PERM-09")
@pytest.mark.parametrize("path", ["src/a.py", "/etc/hosts", "link/secret", ".env", "../outside/x"])
def test_a_path_is_the_same_path_to_a_tool_a_command_and_a_cell(path: str, place: Place) -> None:
    def said(needs: tuple[Need, ...]) -> set[tuple[str, str, str]]:
        return {(need.permission, need.target, need.resolved) for need in needs}

    by_tool = said(path_needs(path, READ, place))
    by_command = said(analyse(f"cat {path}", place).needs)
    by_code = said(python_wants(f"print(open({path!r}).read())", place).needs)

    assert by_tool == by_code
    assert by_tool <= by_command
    assert {permission for permission, _, _ in by_command - by_tool} <= {EXECUTE}


def test_a_file_that_is_written_is_named_so_that_it_can_be_granted(place: Place) -> None:
    (need,) = python_wants("open('out.txt', 'w')", place).needs

    assert (need.permission, need.target, need.pattern) == (WRITE, "out.txt", "out.txt")
    assert need.least is Verdict.ALLOW
    assert "open" in need.why


def test_what_nobody_can_see_can_only_be_allowed_once_and_says_where_it_is(place: Place) -> None:
    (need,) = python_wants("x = 1\nresult = eval( text )", place).needs

    assert need.permission == "run_code"
    assert need.target == "eval( text )"
    assert need.least is Verdict.ASK
    assert not need.pattern


def test_a_command_that_only_reads_is_not_asked_about_in_python_either(place: Place) -> None:
    for code in (
        "import subprocess\nsubprocess.run(['git', 'status'], capture_output=True)",
        "import os\nos.system('ls src')",
        "!ls src",
        "%%bash\nls src\ncat README.md",
        "import subprocess\ncmd = ['ls', 'src']\nsubprocess.check_output(cmd, text=True)",
        "ls src",
    ):
        assert verdict(python_wants(code, place).needs) is Verdict.ALLOW, code


def test_a_command_is_judged_where_it_is_started(place: Place) -> None:
    code = "import subprocess\nsubprocess.run(['cat', '../a'], cwd={!r})"

    assert verdict(python_wants(code.format("src"), place).needs) is Verdict.ALLOW
    assert verdict(python_wants(code.format("."), place).needs) is Verdict.ASK


def test_a_name_that_lives_in_the_interpreter_is_what_it_is_known_to_be(place: Place) -> None:
    assert python_wants("tidy('x')", place).needs == ()
    assert verdict(python_wants("tidy('x')", place, {"tidy": "os.remove"}).needs) is Verdict.ASK


def test_code_that_cannot_run_needs_nothing_and_changes_nothing(place: Place) -> None:
    for code in ("x = = 1; open('a', 'w')", "open('a', 'w'", "return 1 +"):
        wanted = python_wants(code, place)
        assert wanted.needs == ()
        assert not wanted.may_change


def test_code_that_only_a_newer_python_can_read_is_asked_about(place: Place) -> None:
    for code in (
        "type A = int",
        "def f[T](): ...",
        "try: ...\nexcept A, B: ...",
        "f'{a['b']}' + 'x",
    ):
        (need,) = python_wants(code, place).needs
        assert need.least is Verdict.ASK
        assert python_wants(code, place).may_change


@pytest.mark.parametrize(
    ("code", "may_change"),
    [
        ("sum(range(3))", False),
        ("import math\nprint(math.pi)", False),
        ("def f(x):\n    return x + 1\nf(2)", False),
        ("open('README.md').read()", False),
        ("from pathlib import Path\nPath('README.md').read_text().splitlines()", False),
        ("train(model)", True),
        ("import mymodule", True),
        ("open('a', 'w')", True),
        ("!ls", True),
        ("eval(x)", True),
        ("def f():\n    other()\nf()", True),
    ],
)
def test_files_are_kept_unless_code_surely_only_computes(
    code: str,
    may_change: bool,  # noqa: FBT001 - a column of a table
    place: Place,
) -> None:
    assert python_wants(code, place).may_change is may_change


def test_a_link_that_leads_out_is_noticed_below_a_folder(place: Place) -> None:
    code = "from pathlib import Path\nfor p in Path({!r}).rglob('*'): p.read_text()"

    assert verdict(python_wants(code.format("src"), place).needs) is Verdict.ALLOW
    (Path(place.root) / "src/out").symlink_to("/etc/passwd")
    needs = python_wants(code.format("src"), place).needs
    assert verdict(needs) is Verdict.ASK
    assert any("leads elsewhere" in need.why for need in needs)


def test_so_many_needs_that_nobody_reads_them_become_one_question(place: Place) -> None:
    needs = python_wants("".join(f"open('{n}', 'w')\n" for n in range(500)), place).needs

    assert len(needs) < 70
    assert needs[-1].least is Verdict.ASK
    assert "500" in needs[-1].why


def test_a_denial_is_not_lost_among_many_needs(place: Place) -> None:
    many = "".join(f"open('{n}', 'w')\n" for n in range(200))

    needs = python_wants(f"{many}open('.git/config', 'w')", place).needs
    assert verdict(needs) is Verdict.DENY


@pytest.mark.parametrize(
    "code",
    [
        "x" * (MOST_CHARACTERS + 1),
        "(" * 5000,
        "[" * 90 + "]" * 90,
        "-" * 50_000 + "1",
        "a" + ".b" * 20_000,
        "x = " + "+".join(["y"] * 20_000),
        "f(" * 80 + ")" * 80,
        "lambda: " * 500 + "1",
        "".join(" " * n + "if x:\n" for n in range(95)) + " " * 95 + "pass",
        "a = b\nb = a\nopen(a)",
        "x = x + x\n" * 3000,
        "!ls\n" * 3000,
        "%time " * 300,
        "exec('exec(\"exec(1)\")')",
        "\ud800",
        "x = '\ud800'\nopen(x)",
        "%%",
        "!",
        "?",
        "%",
        "\\",
    ],
    ids=lambda code: code[:12],
)
def test_nothing_that_is_deep_long_or_broken_makes_it_fail_or_take_long(
    code: str, place: Place
) -> None:
    began = time.process_time()
    wanted = python_wants(code, place)

    assert time.process_time() - began < 10
    assert all(need.target for need in wanted.needs)


_PIECES = st.sampled_from(
    [code for _, _, code in HOSTILE if len(code) < 200]
    + [*BENIGN, "(", ")", "'", '"""', "\\", "!", "%", "?", "if x:\n    ", "\n", "lambda: ", "f'{"]
)


@given(st.lists(_PIECES, min_size=1, max_size=4), st.randoms())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_mixture_of_code_makes_it_fail(pieces: list[str], random: Random) -> None:
    code = "\n".join(pieces)
    cut = random.randrange(len(code) + 1)

    for one in (code, code[:cut], code[cut:]):
        wanted = python_wants(one, Place("/usr/lib", "/usr/lib"))
        assert all(need.target and need.permission for need in wanted.needs)


def test_ten_thousand_characters_take_milliseconds(place: Place) -> None:
    source = Path(__file__).read_text(encoding="utf-8").replace("!", "")
    code = source[: source.rindex("\n@pytest", 0, 10_000)]

    def once() -> float:
        began = time.process_time()
        python_wants(code, place)
        return time.process_time() - began

    assert min(once() for _ in range(5)) < 0.1


@pytest.mark.parametrize(
    "line",
    [
        "open('a')\n",
        "a = b\nb = a\n",
        "if a: p = p + 'x'\n",
        "glob.glob('**')\n",
        "Path('src').rglob('*.py')\n",
        "os.chdir('src')\n",
        "os.system('ls')\n",
        "def f(a: 'g(1)'): ...\n",
        "f(x)\n",
        "f(getattr(a, b))\n",
    ],
)
def test_no_ten_thousand_characters_take_long(line: str, place: Place) -> None:
    code = line * (10_000 // len(line))

    def once() -> float:
        began = time.process_time()
        python_wants(code, place)
        return time.process_time() - began

    # A tenth of a second is what it may take; twice that where much else is running.
    assert min(once() for _ in range(5)) < 0.2


def test_more_commands_than_anybody_reads_become_one_question(place: Place) -> None:
    needs = python_wants("".join(f"os.system('echo {n}')\n" for n in range(80)), place).needs

    assert verdict(needs) is Verdict.ASK
    once = python_wants("os.system('echo 1')\n" * 80, place).needs
    assert verdict(once) is Verdict.ALLOW


def test_what_is_done_after_the_folder_was_changed_is_judged_from_both(place: Place) -> None:
    needs = python_wants("import os\nopen('b', 'w')\nos.chdir('src')\n", place).needs

    assert [need.target for need in needs] == ["b", "src/b"]


def test_reading_outside_is_asked_about_by_the_folder(place: Place) -> None:
    needs = python_wants("open('/etc/hosts').read()", place).needs

    assert [(need.permission, need.pattern) for need in needs] == [
        (READ, "/etc/hosts"),
        (EXTERNAL, "/etc/*"),
    ]
