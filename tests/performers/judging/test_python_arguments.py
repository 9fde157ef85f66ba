import ast

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_arguments import Given
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_values import ANYTHING, Known


def given(text: str) -> Given:
    tree = ast.parse(text)
    end = tree.body[0]
    assert isinstance(end, ast.Expr)
    assert isinstance(end.value, ast.Call)
    return Given(end.value, Folding(Code(tree), Place("/p", "/p"), {}))


def test_an_argument_is_found_by_place_and_by_name() -> None:
    assert given("f(1, 2)").argument(1, "x") == (Known(2),)
    assert given("f(1, x=2)").argument(1, "x") == (Known(2),)
    assert given("f(1)").argument(1, "x") is None
    assert given("f(1, x=2)").keyword("x") == (Known(2),)
    assert given("f(1)").keyword("x") is None


def test_what_is_unpacked_may_be_anything() -> None:
    assert given("f(*a)").argument(0, "x") == ANYTHING
    assert given("f(1, *a)").argument(1, "x") == ANYTHING
    assert given("f(1, *a)").argument(0, "x") == (Known(1),)
    assert given("f(**a)").argument(0, "x") == ANYTHING
    assert given("f(**a)").keyword("x") == ANYTHING


def test_a_first_argument_that_is_a_path_has_many_names() -> None:
    assert given("f(path_or_buf='a')").argument(0, "path") == (Known("a"),)
    assert given("f(path_or_buf='a')").argument(1, "mode") is None


def test_all_that_is_given_by_place() -> None:
    assert given("f(1, 'a', x=2)").all() == [(Known(1),), (Known("a"),)]
