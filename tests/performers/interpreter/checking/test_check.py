"""A whole check: what is wrong with code that nobody has run."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.checking import check as checking
from hearth.performers.interpreter.checking import ruff, ty
from hearth.performers.interpreter.checking.check import Check, Checker, uncheckable
from hearth.performers.interpreter.checking.tools import Unavailable

DOG = "class Dog:\n    def __init__(self, name: str) -> None:\n        self.name = name\n"


@pytest.fixture
async def checker() -> AsyncIterator[Checker]:
    checker = Checker(lambda: ty.TypeServers(patience=60))
    yield checker
    await checker.close()


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def rules(found: tuple[Diagnostic, ...]) -> list[str]:
    return [one.rule for one in found]


@pytest.mark.promise("SF-MCP-07")
async def test_a_class_that_only_a_cell_defines_is_known(checker: Checker, tmp_path: Path) -> None:
    request = Check(code="Dog('Rex').name\n", cells=(DOG,), directory=str(tmp_path))
    assert await checker.check(request) == ()


@pytest.mark.promise("SF-MCP-07")
@pytest.mark.parametrize(
    "code",
    [
        "Dog(1, 2, 3).anything",
        "class Puppy(Dog):\n    def bark(self) -> Dog:\n        return super().bark()",
        "def f(dog: Dog) -> list[Dog]:\n    return [dog]",
    ],
)
async def test_a_class_that_is_only_live_is_known(
    code: str, checker: Checker, tmp_path: Path
) -> None:
    request = Check(code=code, names={"Dog": "type"}, directory=str(tmp_path))
    assert await checker.check(request) == ()


@pytest.mark.promise("SF-MCP-07", "SF-MCP-08")
async def test_a_name_that_is_nowhere_is_an_error_told_once(
    checker: Checker, tmp_path: Path
) -> None:
    request = Check(code="Dog('Rex')\nCat('Tom')\n", cells=(DOG,), directory=str(tmp_path))
    assert await checker.check(request) == (
        Diagnostic("Undefined name `Cat`", Severity.ERROR, 2, 0, 2, 3, "F821"),
    )


@pytest.mark.promise("SF-MCP-07")
async def test_a_call_that_does_not_fit_the_cells_signature_is_reported(
    checker: Checker, tmp_path: Path
) -> None:
    names = {"Dog": "type"}
    request = Check(code="Dog(1, 2, 3)", cells=(DOG,), names=names, directory=str(tmp_path))
    found = await checker.check(request)
    assert "too-many-positional-arguments" in rules(found)
    assert all(one.severity is Severity.ERROR and one.start_line == 1 for one in found)


@pytest.mark.promise("SF-MCP-07")
async def test_a_check_has_no_effect_at_all(checker: Checker, tmp_path: Path) -> None:
    code = f"open({str(tmp_path / 'made')!r}, 'w')\n!touch {tmp_path}/made\nimport mine\n"
    (tmp_path / "mine.py").write_text("raise SystemExit\n")
    assert await checker.check(Check(code=code, directory=str(tmp_path))) == ()
    assert files_in(tmp_path) == {"mine.py"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"n": "int"}, ["missing-attribute"]),
        ({"n": "module json"}, ["missing-attribute"]),
        ({"n": "some.Thing"}, []),
        ({"n": "module no_such_module"}, []),
    ],
)
async def test_the_types_of_live_values_are_used_where_they_are_sure(
    names: Mapping[str, str], expected: list[str], checker: Checker, tmp_path: Path
) -> None:
    found = await checker.check(Check(code="n.nope", names=names, directory=str(tmp_path)))
    assert rules(found) == expected


async def test_a_live_name_may_be_bound_again_to_something_else(
    checker: Checker, tmp_path: Path
) -> None:
    request = Check(
        code="n = 'text'\nn.upper()\nm.upper()",
        cells=("m = 'text'",),
        names={"n": "int", "m": "int"},
        directory=str(tmp_path),
    )
    assert await checker.check(request) == ()


async def test_tools_in_code_are_known_although_no_file_has_them(
    checker: Checker, tmp_path: Path
) -> None:
    code = (
        "import hearth_tools\nfrom hearth_tools import mill\nfrom hearth_tools.mill import turn\n"
    )
    assert await checker.check(Check(code=code, directory=str(tmp_path))) == ()


async def test_an_import_of_what_is_live_is_no_error_and_of_what_is_nowhere_is_one(
    checker: Checker, tmp_path: Path
) -> None:
    code = "import made_here\nimport other.part\nimport nowhere\n"
    names = {"made_here": "module made_here", "o": "module other"}
    found = await checker.check(Check(code=code, names=names, directory=str(tmp_path)))
    assert [one.start_line for one in found] == [3]


async def test_while_code_cannot_be_parsed_nothing_is_said_about_its_types(
    checker: Checker, tmp_path: Path
) -> None:
    found = await checker.check(Check(code="x: int = ''\ndef f(:\n", directory=str(tmp_path)))
    assert found
    assert set(rules(found)) == {ruff.SYNTAX}


async def test_findings_are_in_the_order_of_the_code(checker: Checker, tmp_path: Path) -> None:
    code = "a: int = ''\nb\nc: int = ''\nd\n"
    found = await checker.check(Check(code=code, directory=str(tmp_path)))
    assert [one.start_line for one in found] == [1, 2, 3, 4]
    assert rules(found) == ["invalid-assignment", "F821", "invalid-assignment", "F821"]


async def test_a_cell_that_never_parsed_does_not_spoil_the_check(
    checker: Checker, tmp_path: Path
) -> None:
    request = Check(code="1 + ''", cells=("print((", DOG), directory=str(tmp_path))
    assert rules(await checker.check(request)) == ["unsupported-operator"]


async def test_a_file_of_the_project_may_use_what_is_live(checker: Checker, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    request = Check(code="live\ndead\n", file="a.py", names={"live": "int"})
    request = Check(**{**vars(request), "directory": str(tmp_path)})
    found = await checker.check(request)
    assert {(one.message, one.severity) for one in found} >= {
        ("Undefined name `dead`", Severity.ERROR)
    }
    assert not [one for one in found if "live" in one.message]


@pytest.mark.parametrize("file", ["untitled.py", "notes.txt", "/nowhere/a.py"])
async def test_a_file_that_is_not_there_is_checked_as_a_cell(
    file: str, checker: Checker, tmp_path: Path
) -> None:
    request = Check(code="%time 1\nawait f()", file=file, names={"f": ""}, directory=str(tmp_path))
    assert await checker.check(request) == ()


async def test_half_a_surrogate_pair_does_not_move_the_columns(
    checker: Checker, tmp_path: Path
) -> None:
    (found,) = await checker.check(Check(code="'\ud800', zed", directory=str(tmp_path)))
    assert (found.start_column, found.end_column) == (5, 8)


async def test_a_folder_that_is_gone_does_not_stop_the_check(
    checker: Checker, tmp_path: Path
) -> None:
    request = Check(code="x: int = ''", directory=str(tmp_path / "gone"))
    assert rules(await checker.check(request)) == ["invalid-assignment"]


async def test_code_that_is_too_long_is_told_and_not_looked_at(checker: Checker) -> None:
    (found,) = await checker.check(Check(code="x" * (checking.LARGEST_CODE + 1)))
    assert found.severity is Severity.INFO
    assert "not checked" in found.message


async def test_a_flood_of_findings_is_cut_and_counted(checker: Checker, tmp_path: Path) -> None:
    code = "\n".join(f"undefined_{number}" for number in range(checking.MOST_FINDINGS + 7))
    found = await checker.check(Check(code=code, directory=str(tmp_path)))
    assert len(found) == checking.MOST_FINDINGS + 1
    assert (found[-1].message, found[-1].severity) == (
        "7 more findings are not shown",
        Severity.INFO,
    )


async def test_without_types_the_rest_is_told_and_that_they_are_missing(
    tmp_path: Path,
) -> None:
    checker = Checker(lambda: ty.TypeServers(program=str(tmp_path / "gone")))
    found = await checker.check(Check(code="zed", directory=str(tmp_path)))
    assert [one.severity for one in found] == [Severity.ERROR, Severity.INFO]
    assert found[1].message.startswith("types were not checked: ")
    await checker.close()


async def test_without_ruff_ty_tells_of_undefined_names(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(tool: str) -> str:
        raise Unavailable(f"{tool} is not installed")

    monkeypatch.setattr(ruff, "find", missing)
    request = Check(code="zed + live", names={"live": "int"}, directory=str(tmp_path))
    found = await checker.check(request)
    assert rules(found) == ["unresolved-reference", ""]
    assert found[1].message == "syntax and names were not checked: ruff is not installed"
    assert found[1].severity is Severity.INFO


async def test_a_tool_that_answers_nonsense_hides_nothing_of_the_others(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (odd := tmp_path / "ruff").write_text("#!/bin/sh\necho '[{}]'\n")
    odd.chmod(0o755)
    monkeypatch.setattr(ruff, "find", lambda _: str(odd))
    found = await checker.check(Check(code="x: int = ''", directory=str(tmp_path)))
    assert rules(found) == ["invalid-assignment", ""]
    assert "KeyError" in found[1].message


async def test_a_check_that_is_given_up_stops(checker: Checker, tmp_path: Path) -> None:
    task = asyncio.create_task(checker.check(Check(code="1", directory=str(tmp_path))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_another_language_is_told_to_be_unchecked() -> None:
    (found,) = uncheckable("bash")
    assert found.severity is Severity.INFO
    assert "bash" in found.message
