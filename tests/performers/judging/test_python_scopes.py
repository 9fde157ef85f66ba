import ast

from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_scopes import Binding, Block, How, Scope


def test_a_block_is_in_those_around_it_and_in_what_is_always_run() -> None:
    outer = Block()
    inner = Block(outer)

    assert inner.is_in(outer)
    assert inner.is_in(None)
    assert not outer.is_in(inner)


def test_a_name_is_looked_for_outwards_but_not_in_classes() -> None:
    module = Scope(bindings={"x": [Binding(How.UNKNOWN)]})
    of_class = Scope(module, is_class=True, bindings={"x": [Binding(How.UNKNOWN)]})
    method = Scope(of_class)

    assert of_class.owner("x") is of_class
    assert method.owner("x") is module
    assert method.owner("y") is None
    assert module.is_module


def test_a_name_of_a_function_around_is_that_functions_also_if_it_binds_it_further_down() -> None:
    code = Code(
        ast.parse(
            "p = 1\ndef f():\n    def g():\n        nonlocal p\n        p = 2\n    p = 3\n    g()\n"
        )
    )
    inner = next(spot.scope for spot in code.spots if isinstance(spot.node, ast.Nonlocal))
    owner = inner.owner("p")

    assert owner is inner.parent
    assert owner is not None
    assert len(owner.bindings["p"]) == 2
    assert len(code.module.bindings["p"]) == 1
