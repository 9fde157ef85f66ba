import time

import pytest

from hearth.performers.tools.files.globbing import Glob, NotAGlob, folders_of


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        ("*.py", ["a.py", "src/deep/a.py"], ["a.pyi", "a.py/b"]),
        ("/*.py", ["a.py"], ["src/a.py"]),
        ("./*.py", ["a.py"], ["src/a.py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py", "a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["srcs/a.py", "x/src/a.py"]),
        ("**/test_*", ["test_a", "x/test_a"], ["x/atest_"]),
        ("src/**", ["src/a", "src/x/y"], ["srcs/a"]),
        ("**", ["a", "x/y"], []),
        ("*.{ts,tsx}", ["a.ts", "x/a.tsx"], ["a.t", "a.tsxx"]),
        ("{a,b/{c,d}}.py", ["a.py", "b/c.py", "b/d.py"], ["c.py", "b/a.py"]),
        ("[ab]?.py", ["ax.py"], ["cx.py", "a.py"]),
        ("a**b", ["axxb"], ["ax/b"]),
        ("Makefile", ["Makefile", "x/Makefile"], ["makefile"]),
    ],
)
def test_a_glob_means_these_and_not_those(
    pattern: str, meant: list[str], not_meant: list[str]
) -> None:
    glob = Glob(pattern)
    assert [path for path in meant if not glob.matches(path)] == []
    assert [path for path in not_meant if glob.matches(path)] == []


@pytest.mark.parametrize("pattern", ["../x", "a/../b", "~/x", "", "/", "a\0", "{a,b}" * 10])
def test_what_leads_out_or_means_too_much_is_no_glob(pattern: str) -> None:
    with pytest.raises(NotAGlob):
        Glob(pattern)


def test_a_hostile_glob_is_compared_in_a_moment() -> None:
    begun = time.perf_counter()
    assert not Glob("*a" * 400 + "b").matches("a" * 250)
    assert not Glob("**/a/" * 150 + "b").matches("a/" * 2000 + "c")
    assert time.perf_counter() - begun < 10


def test_folders_are_those_that_files_are_in() -> None:
    assert sorted(folders_of(["a", "x/y/b", "x/c", "z/d"])) == ["x", "x/y", "z"]
    assert Glob("x/**/").is_about_folders
    assert Glob("y/").matches("x/y")
