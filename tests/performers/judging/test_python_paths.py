from pathlib import PurePosixPath

import pytest

from hearth.performers.judging.python_paths import from_path, made, part_of, path_of
from hearth.performers.judging.python_values import ANYTHING, Known, Origin, PathAt, Several, Values


@pytest.mark.parametrize(
    ("name", "arguments", "values"),
    [
        ("pathlib.Path", [(Known("a"),), (Known("b"),)], (PathAt("a/b"),)),
        ("pathlib.Path", [], (PathAt("."),)),
        ("pathlib.Path", [ANYTHING], (PathAt(None),)),
        ("pathlib.Path", [(Known("a"), Known("b"))], (PathAt("a"), PathAt("b"))),
        ("os.path.join", [(Known("a"),), (Known("/b"),)], (Known("/b"),)),
        ("os.path.join", [(Known("a"),), ANYTHING], ANYTHING),
        ("os.path.abspath", [(Known("a/../b"),)], (Known("/here/b"),)),
        ("os.path.normpath", [(Known("/a/../b"),)], (Known("/b"),)),
        ("os.path.realpath", [(Known("a"),)], (Known("/here/a"),)),
        ("os.path.realpath", [ANYTHING], ANYTHING),
        ("os.path.dirname", [(Known("a/b"),)], (Known("a"),)),
        ("os.getcwd", [], (PathAt("/here"),)),
        ("glob.glob", [(Known("src/*/x"),)], (Several(((PathAt("src", is_below=True),),)),)),
        ("glob.glob", [(Known("/*"),)], (Several(((PathAt("/", is_below=True),),)),)),
        ("glob.glob", [ANYTHING], (Several(((PathAt(None),),)),)),
        ("json.loads", [(Known("a"),)], None),
    ],
)
def test_functions_about_paths_give_paths(
    name: str, arguments: list[Values], values: Values | None
) -> None:
    assert made(name, arguments, "/here") == values


@pytest.mark.parametrize(
    ("name", "arguments", "values"),
    [
        ("joinpath", [(Known("c"),)], (PathAt("a/b.txt/c"),)),
        ("with_name", [(Known("c"),)], (PathAt("a/c"),)),
        ("with_suffix", [(Known(".md"),)], (PathAt("a/b.md"),)),
        ("relative_to", [(Known("a"),)], (PathAt(None),)),
        ("resolve", [], (PathAt("/here/a/b.txt"),)),
        ("absolute", [], (PathAt("/here/a/b.txt"),)),
        ("as_posix", [], (PathAt("a/b.txt"),)),
        ("rglob", [(Known("*"),)], (Several(((PathAt("a/b.txt", is_below=True),),)),)),
        ("open", [], (Origin("builtins.open()"),)),
        ("exists", [], ANYTHING),
    ],
)
def test_methods_of_paths_give_paths(name: str, arguments: list[Values], values: Values) -> None:
    assert from_path(PathAt("a/b.txt"), name, arguments, "/here") == values


def test_nobody_knows_what_is_next_to_a_path_that_nobody_knows() -> None:
    for base in (PathAt(None), PathAt("a", is_below=True)):
        assert from_path(base, "with_suffix", [(Known(".md"),)], "/here") == (PathAt(None),)


def test_the_folder_of_a_path_is_what_python_says_it_is() -> None:
    for path in ("a/..", "..", "a", "a/", "./a", "/", "/a/b/"):
        assert part_of(path, "parent") == (PathAt(str(PurePosixPath(path).parent)),)
    assert part_of("a/b", "name") == (Known("b"),)
    assert part_of("a", "touch") is None


def test_too_many_possible_paths_are_any_path() -> None:
    many = tuple(Known(str(number)) for number in range(5))

    assert path_of([many, many]) == (PathAt(None),)
