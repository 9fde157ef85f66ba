import ast

from hearth.performers.judging.python_lists import (
    MOST_INSIDE,
    MOST_TEXT,
    changed,
    combined,
    elements,
    formatted,
    holds_lists,
    leave_alone,
    listed,
    one_of,
    several,
    text,
)
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    UNKNOWN,
    Known,
    Origin,
    PathAt,
    Several,
    Values,
)

A: Values = (Known("a"),)
B: Values = (Known("b"),)


def test_what_is_found_at_a_place_is_known_where_the_order_is() -> None:
    assert one_of(several([A, B]), (Known(1),)) == B
    assert one_of(several([A, B], is_loose=True), (Known(1),)) == (*A, *B, UNKNOWN)
    assert one_of(several([A]), (Known(0),)) == (*A, UNKNOWN)


def test_lists_of_lists_do_not_grow_without_end() -> None:
    held = several([A] * (MOST_INSIDE + 1))

    assert several([(held,), B]).items == ((UNKNOWN,), B)
    assert several([(several([A]),), B]).items == ((several([A]),), B)
    assert holds_lists(several([(held,)])) is False
    assert holds_lists(several([(several([A]),)])) is True


def test_a_text_that_is_too_long_for_a_path_is_anything() -> None:
    assert text("x" * MOST_TEXT) == (Known("x" * MOST_TEXT),)
    assert text("x" * (MOST_TEXT + 1)) == ANYTHING


def test_what_is_made_a_list_keeps_what_is_in_it_but_a_text_is_taken_apart() -> None:
    assert listed((several([A, B]),), is_loose=False) == (several([A, B]),)
    assert listed((several([A, B]),), is_loose=True) == (several([A, B], is_loose=True),)
    assert listed(A, is_loose=False) == ANYTHING
    assert listed((CHOSEN,), is_loose=False) == (CHOSEN,)
    assert elements((several([A, B]), Known("xy"))) == (*A, *B, UNKNOWN)


def test_only_functions_that_are_known_to_leave_lists_alone_do() -> None:
    assert leave_alone((Origin("builtins.len"), Origin("subprocess.run")))
    assert not leave_alone((Origin("bisect.insort"),))
    assert not leave_alone((Origin("builtins.list.append"),))
    assert not leave_alone((Origin("helpers.fill"),))
    assert not leave_alone(ANYTHING)
    anything = (*A, *B, UNKNOWN)
    assert changed(several([A, B])) == Several((anything, anything), is_loose=True)


def test_operators_join_texts_paths_and_lists() -> None:
    loose = several([B], is_loose=True)

    assert combined(A, ast.Add(), B) == (Known("ab"),)
    assert combined((PathAt("x"),), ast.Div(), A) == (PathAt("x/a"),)
    assert combined((several([A]),), ast.Add(), (several([B]),)) == (several([A, B]),)
    assert combined((several([A]),), ast.Add(), (loose,)) == (several([A, B], is_loose=True),)
    assert combined((PathAt("x"), PathAt("y")), ast.Div(), A) == (PathAt(None),)
    assert combined(A, ast.Mult(), B) == ANYTHING


def test_an_f_string_is_known_if_all_in_it_is() -> None:
    known = ast.parse("f'{x}/{1}.py'", mode="eval").body
    shown = ast.parse("f'{x!r}'", mode="eval").body
    assert isinstance(known, ast.JoinedStr)
    assert isinstance(shown, ast.JoinedStr)

    def values(node: ast.AST) -> Values:
        return (Known(node.value),) if isinstance(node, ast.Constant) else A

    assert formatted(known.values, values) == (Known("a/1.py"),)
    assert formatted(shown.values, values) == ANYTHING
    assert formatted(known.values, lambda _: ANYTHING) == ANYTHING
