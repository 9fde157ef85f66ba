from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.operands import is_there, may_be_paths


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "there").touch()
    return Place(str(tmp_path), str(tmp_path))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("there", ["there"]),
        ("nothing", []),
        ("a/b", ["a/b"]),
        ("..", [".."]),
        ("~/x", ["~/x"]),
        ("--file=/etc/x", ["/etc/x"]),
        ("-o/etc/x", ["/etc/x"]),
        ("-I..", [".."]),
        ("a=/b:/c", ["a=/b:/c", "/b", "/c"]),
        ("host:/x", ["host:/x", "/x"]),
        ("@/etc/x", ["@/etc/x", "/etc/x"]),
        ("https://a/b", []),
        ("file:///etc/x", ["file:///etc/x", "/etc/x"]),
        ("--flag", []),
        ("", []),
    ],
)
def test_everything_that_may_be_a_path_is_found(text: str, paths: list[str], place: Place) -> None:
    assert list(may_be_paths(text, place)) == paths


def test_a_pattern_is_no_path_unless_there_is_such_a_folder(place: Place) -> None:
    assert list(may_be_paths("/no-such-thing/d", place, has_program=True)) == []
    assert list(may_be_paths("/etc/passwd", place, has_program=True)) == ["/etc/passwd"]


def test_what_cannot_be_a_name_is_not_there(place: Place) -> None:
    assert is_there("there", place)
    assert not is_there("a\0b", place)
    assert not is_there("x" * 5000, place)
