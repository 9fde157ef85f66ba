"""tests/ mirrors src/, file for file."""

import ast
from pathlib import Path
from typing import Final

from tests.repo.tree import SRC, TESTS, parsed, python_files, report, shown

FREE: Final = frozenset({"conformance", "contracts", "journeys", "repo", "samples", "faults"})
"""Folders of tests/ that mirror nothing: they test the whole, or are shared."""


def test_every_source_file_has_its_test_file() -> None:
    report(
        [
            f"{shown(source)} has no {shown(mirror_of(source))}"
            for source in python_files(SRC)
            if source.name != "__init__.py" and not _is_tested(source)
        ],
        "write that file; what is not worth a test is not worth a module",
    )


def test_every_test_file_has_its_source_file() -> None:
    report(
        [
            f"{shown(test)} tests no file of {shown(SRC / test.relative_to(TESTS).parent)}"
            for test in python_files(TESTS)
            if test.name.startswith("test_") and not _is_free(test) and not sources_of(test)
        ],
        "name it test_<source>.py or test_<source>_<aspect>.py, in the folder that mirrors the "
        f"source; tests of the whole go to one of: {', '.join(sorted(FREE))}",
    )


def test_every_test_file_has_a_test() -> None:
    report(
        [
            shown(test)
            for test in python_files(TESTS)
            if test.name.startswith("test_") and not has_tests(parsed(test))
        ],
        "it was emptied by accident, or names what it holds as pytest does not look for it",
    )


def test_the_gate_knows_a_file_without_tests() -> None:
    assert not has_tests(ast.parse(""))
    assert not has_tests(ast.parse("def tests_x(): ...\nclass Helper: ..."))
    assert has_tests(ast.parse("async def test_x(): ..."))
    assert has_tests(ast.parse("class TestX:\n    def test_y(self): ..."))
    assert has_tests(ast.parse("TestX = machine.TestCase"))


def test_the_gate_finds_the_pairs() -> None:
    source = SRC / "core" / "vocabulary" / "codec.py"
    assert mirror_of(source) == TESTS / "core" / "vocabulary" / "test_codec.py"
    assert sources_of(TESTS / "core" / "vocabulary" / "test_codec.py") == [source]
    assert sources_of(TESTS / "core" / "vocabulary" / "test_codec_bounds.py") == [source]
    assert sources_of(TESTS / "core" / "vocabulary" / "test_codecs.py") == []
    assert sources_of(TESTS / "core" / "test_codec.py") == []
    assert mirror_of(SRC / "demo" / "__main__.py") == TESTS / "demo" / "test_main.py"


def mirror_of(source: Path) -> Path:
    """The test file a source file must have."""
    return TESTS / source.relative_to(SRC).parent / f"test_{_plain(source)}.py"


def sources_of(test: Path) -> list[Path]:
    """The source files a test file may belong to."""
    folder = SRC / test.relative_to(TESTS).parent
    stem = test.stem.removeprefix("test_")
    return [
        source
        for source in sorted(folder.glob("*.py"))
        if stem in {source.stem, _plain(source)} or stem.startswith(f"{_plain(source)}_")
    ]


def has_tests(tree: ast.Module) -> bool:
    """Whether pytest would find anything in a file."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found = name.startswith("test_")
            case ast.ClassDef(name=name):
                found = name.startswith("Test")
            case ast.Assign(targets=[ast.Name(id=name)]):
                found = name.startswith(("Test", "test_"))
            case ast.ImportFrom(names=names):
                found = any((one.asname or one.name).startswith("test_") for one in names)
            case _:
                found = False
        if found:
            return True
    return False


def _is_tested(source: Path) -> bool:
    return mirror_of(source).exists() or mirror_of(source).with_name(f"test_{source.name}").exists()


def _plain(source: Path) -> str:
    """`__main__.py` may be tested by test_main.py, a name one can say."""
    return source.stem.strip("_")


def _is_free(test: Path) -> bool:
    return test.relative_to(TESTS).parts[0] in FREE
