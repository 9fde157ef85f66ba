import time

import pytest

from hearth.performers.tools.files.closest import closest

CODE = """import os


def greet(name):
    if name:
        print("hello", name)
    return None


def leave():
\treturn 'bye'
"""


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        ('  if name:\n    print("hello", name)', "lines 5-6, which differ in indentation:"),
        ("def greet(name):  \n    if name:", "lines 4-5, which differ in white space at the end"),
        ("def  greet( name):", "line 4, which differ"),
        ("    print('hello', name)", "line 6, which differ in white space and in quotes"),
        ("print(\u201chello\u201d, name)", "line 6, which differ in look-alike characters"),
        ("DEF LEAVE():", "line 10, which differ in upper and lower case:"),
        ("    return 'bye'", "line 11, which differ in indentation:"),
        ("def greet(name):\n    if names:\n        pass", "differ first in line 2 of `old`"),
        ("def greets(nome):", "line 4, which differ first in line 1"),
    ],
)
def test_the_place_that_was_meant_is_shown_with_what_differs(old: str, hint: str) -> None:
    told = closest(CODE, old)
    assert told.startswith("Closest: line")
    assert hint in told
    assert "→" in told


def test_the_lines_are_shown_as_they_are() -> None:
    assert closest(CODE, "return  None").split("\n")[1:] == ["7→    return None"]


def test_line_numbers_that_came_along_are_named() -> None:
    assert "line numbers" in closest(CODE, " 4→def greet(name):\n 5→    if name:")


def test_where_nothing_is_like_it_that_is_said() -> None:
    assert (
        closest(CODE, "SELECT 1 FROM t") == "Nothing in the file is like it: read the file again."
    )
    assert closest("", "x").startswith("Nothing")
    assert closest(CODE, "\n\n\n\n").startswith(("Nothing", "Closest"))


def test_a_large_file_is_looked_through_in_bounds() -> None:
    text = "".join(f"line number {number} of many that are alike\n" for number in range(60_000))
    begun = time.perf_counter()
    assert "Closest" in closest(text, "line numbre 77x of many that aer alike\n" * 50)
    assert time.perf_counter() - begun < 20
