import ast

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_sql import keeps_inside


def stays(argument: str, *, several: bool = False) -> bool:
    tree = ast.parse(f"execute({argument})")
    end = tree.body[0]
    assert isinstance(end, ast.Expr)
    assert isinstance(end.value, ast.Call)
    return keeps_inside(end.value, Folding(Code(tree), Place("/p", "/p"), {}), several=several)


@pytest.mark.parametrize(
    "argument",
    [
        "'select 1'",
        "'  INSERT INTO t VALUES (?)', row",
        "f'select * from {table}'",
        "'select ' + columns",
        "'update t set a = %s' % x",
        "'commit'",
    ],
)
def test_statements_that_stay_in_their_database_are_known_by_their_first_word(
    argument: str,
) -> None:
    assert stays(argument)


@pytest.mark.parametrize(
    "argument",
    [
        "\"ATTACH 'x' AS y\"",
        "\"vacuum into 'x'\"",
        "'pragma x'",
        "'/* select */ attach x'",
        "statement",
        "f'{x} y'",
        "f'select{x} y'",
        "'COPY t TO x'",
        "",
    ],
)
def test_others_may_leave_it(argument: str) -> None:
    assert not stays(argument)


def test_every_statement_of_a_script_counts() -> None:
    assert stays("'create table a (x); select 1;'", several=True)
    assert not stays("'select 1; attach x'", several=True)
    assert not stays("'select 1; -- x\\nattach x'", several=True)
    assert not stays("f'select 1 {x}'", several=True)
