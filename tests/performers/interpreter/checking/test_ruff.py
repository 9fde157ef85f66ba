"""Syntax and names, by the real ruff."""

from pathlib import Path

import pytest

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.checking import ruff
from hearth.performers.interpreter.checking.ruff import Question, findings
from hearth.performers.interpreter.checking.tools import Unavailable

NONE: frozenset[str] = frozenset()


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_an_undefined_name_is_an_error_with_its_place_in_code_points() -> None:
    found = await findings(Question('y = "é𝒳" + zed\n', NONE))
    message = "Undefined name `zed`"
    assert found == (Diagnostic(message, Severity.ERROR, 1, 11, 1, 14, "F821"),)


async def test_a_live_name_is_not_undefined() -> None:
    assert await findings(Question("zed + größe", frozenset({"zed", "größe"}))) == ()


@pytest.mark.parametrize(
    "code",
    [
        "%matplotlib inline\n!ls {x}\nfiles = !ls\n%time print(1)\nprint?",
        "%%bash\nfor f in *; do echo $f; done",
        "import asyncio\nawait asyncio.sleep(1)",
        "1 + 1",
        "import os",
        "from os import *\nprint(getcwd())",
        "",
    ],
)
async def test_what_is_normal_in_a_cell_is_no_finding(code: str) -> None:
    assert await findings(Question(code, NONE)) == ()


async def test_code_that_cannot_be_parsed_says_where() -> None:
    (first, *_) = await findings(Question("x = 1\nfor i in range(3)\n    print(i)\n", NONE))
    assert (first.rule, first.severity) == (ruff.SYNTAX, Severity.ERROR)
    assert (first.start_line, first.start_column) == (2, 17)


async def test_what_only_looks_wrong_is_a_warning() -> None:
    (found,) = await findings(Question("def f():\n    unused = 1\n", NONE))
    assert (found.rule, found.severity) == ("F841", Severity.WARNING)


async def test_what_python_refuses_to_compile_is_an_error() -> None:
    (found,) = await findings(Question("return 3\n", NONE))
    assert (found.rule, found.severity) == ("F706", Severity.ERROR)


async def test_a_file_of_the_project_is_checked_by_the_projects_own_rules(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('lint.select = ["F401", "F821"]\n')
    (file := tmp_path / "a.py").write_text("")
    found = await findings(Question("import os\nzed + live\n", frozenset({"live"}), file))
    assert [(one.rule, one.severity) for one in found] == [
        ("F401", Severity.WARNING),
        ("F821", Severity.ERROR),
    ]
    assert files_in(tmp_path) == {"ruff.toml", "a.py"}


async def test_a_broken_configuration_does_not_stop_the_check(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("this is [not toml\n")
    (file := tmp_path / "a.py").write_text("")
    (found,) = await findings(Question("zed\n", NONE, file))
    assert found.rule == "F821"


async def test_a_ruff_that_fails_is_told_and_not_raised_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (broken := tmp_path / "ruff").write_text("#!/bin/sh\necho first >&2; echo why >&2; exit 2\n")
    broken.chmod(0o755)
    monkeypatch.setattr(ruff, "find", lambda _: str(broken))
    with pytest.raises(Unavailable, match="ruff did not answer: why"):
        await findings(Question("x" * 1_000_000, NONE))
    monkeypatch.setattr(ruff, "find", lambda _: str(tmp_path / "gone"))
    with pytest.raises(Unavailable, match="ruff cannot be started"):
        await findings(Question("x", NONE))


async def test_an_answer_without_end_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (endless := tmp_path / "ruff").write_text("#!/bin/sh\nexec yes\n")
    endless.chmod(0o755)
    monkeypatch.setattr(ruff, "find", lambda _: str(endless))
    with pytest.raises(Unavailable, match="more than can be told"):
        await findings(Question("x", NONE))
