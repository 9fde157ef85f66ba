import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants

START = "from functools import singledispatch\n@singledispatch\ndef f(x): ...\n@f.register\n"


@pytest.mark.parametrize(
    "code",
    [
        f"{START}def _(x: int | str): ...",
        f"{START}def _(x: list[int], y: 'str' = '') -> None: ...",
        f"from shapes import Square\n{START}def _(x: Square): ...",
        f"class Square: ...\n{START}def _(x: Square): ...",
        "def f(x: T, y: f'{a}') -> g(): ...",
    ],
)
def test_annotations_that_name_classes_are_free(code: str) -> None:
    assert python_wants(code, Place("/p", "/p")).needs == ()


@pytest.mark.parametrize(
    "code",
    [
        f"{START}def _(x: \"open('x', 'w')\"): ...",
        f"{START}def _(x: f\"__import__('os').mkdir({{'x'!r}})\"): ...",
        f"T = \"open('x', 'w')\"\n{START}def _(x: T): ...",
        "T = \"open('x', 'w')\"\ndef f(x: T): ...",
        f"{START}def _(x: T): ...",
        f"{START}def _(x: int) -> T: ...",
        f"{START}def _(x: \"op\" + \"en('x', 'w')\"): ...",
    ],
)
def test_annotations_that_may_be_code_which_is_run_are_asked_about(code: str) -> None:
    assert python_wants(code, Place("/p", "/p")).needs != ()
