import ast
import os
from pathlib import Path

import pytest

from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, Need, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_programs import Programs
from hearth.performers.judging.python_values import ANYTHING


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = os.path.realpath(tmp_path)
    (Path(root) / "src").mkdir()
    return Place(root, root)


def started(text: str, place: Place) -> tuple[Need, ...]:
    """What a call needs that starts a program with its first argument."""
    tree = ast.parse(text)
    end = tree.body[0]
    assert isinstance(end, ast.Expr)
    assert isinstance(end.value, ast.Call)
    folding = Folding(Code(tree), place, {})
    needs = Needs(text, place)
    arguments = end.value.args
    values = folding.values(arguments[0]) if arguments else ANYTHING
    Programs(needs, folding).program(values, end.value, "why")
    return needs.all()


def executed(needs: tuple[Need, ...]) -> list[str]:
    return [need.target for need in needs if need.permission == EXECUTE]


def test_words_are_one_command_whatever_is_in_them(place: Place) -> None:
    (target,) = executed(started("run(['echo', 'a; rm b', '$x'])", place))

    assert target.startswith("echo ")
    assert all(need.least is Verdict.ALLOW for need in started("run(['echo', 'a; rm b'])", place))


def test_a_shell_reads_its_text(place: Place) -> None:
    assert len(executed(started("run('ls; rm a', shell=True)", place))) == 2


def test_a_text_without_a_shell_is_the_name_of_a_program(place: Place) -> None:
    needs = started("run('ls; rm a')", place)

    assert len(executed(needs)) == 1
    assert any(Verdict.ASK in {need.usual, need.least} for need in needs)


def test_the_running_python_is_called_python(place: Place) -> None:
    assert executed(started("run([sys.executable, '--version'])", place)) == ["python --version"]


@pytest.mark.parametrize(
    "text",
    [
        "run(words)",
        "run(['git', word])",
        "run([])",
        "run(['ls'], shell=x)",
        "run(['ls'], env={})",
        "run(['ls'], executable='x')",
        "run(['ls'], preexec_fn=f)",
        "run(['ls'], cwd=x)",
        "run(['ls'], **x)",
        "run('ls', shell=True, env=x)",
    ],
)
def test_what_may_run_something_else_can_only_be_allowed_once(text: str, place: Place) -> None:
    assert any(
        need.permission == EXECUTE and need.least is Verdict.ASK for need in started(text, place)
    )


def test_it_is_judged_where_it_runs(place: Place) -> None:
    inside = started("run(['cat', '../a'], cwd='src')", place)
    outside = started("run(['ls'], cwd='/etc')", place)

    assert not any(need.permission == EXTERNAL for need in inside)
    assert any(need.permission == EXTERNAL for need in outside)
