import ast

from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_scopes import ALWAYS, Binding, Block, How


def read(text: str) -> Code:
    return Code(ast.parse(text))


def bindings(text: str, name: str) -> list[Binding]:
    return read(text).module.bindings[name]


def test_an_assignment_binds_a_name_to_what_stands_on_its_right() -> None:
    (binding,) = bindings("x = 1 + 2", "x")

    assert binding.how is How.VALUE
    assert isinstance(binding.source, ast.BinOp)


def test_several_names_at_once_are_bound_each_to_its_own() -> None:
    code = read("a, b = 1, 2\nc, d = f()\n(e, *g) = [1, 2, 3]")
    found = code.module.bindings

    assert found["b"][0].how is How.VALUE
    assert isinstance(found["b"][0].source, ast.Constant)
    assert found["b"][0].source.value == 2
    assert found["c"][0].how is How.ELEMENT
    assert found["e"][0].how is How.ELEMENT


def test_one_list_with_two_names_is_known_by_neither() -> None:
    assert bindings("a = b = [1]", "a")[0].how is How.UNKNOWN
    assert bindings("a = b = 1", "a")[0].how is How.VALUE


def test_imports_bind_what_they_name() -> None:
    found = read("import os.path\nimport numpy as np\nfrom os import system as s\nfrom . import x")

    assert [found.module.bindings[name][0].origin for name in ("os", "np", "s", "x")] == [
        "os",
        "numpy",
        "os.system",
        "..x",
    ]
    assert not found.has_star
    assert read("from x import *").has_star


def test_a_name_in_a_function_is_its_own_unless_it_says_otherwise() -> None:
    code = read(
        "def f(a):\n    b = 1\n    global c\n    c = 2\n[d for d in x]\nclass K:\n    e = 1"
    )

    assert set(code.module.bindings) == {"f", "c", "K"}


def test_a_name_that_is_deleted_or_caught_is_gone_afterwards() -> None:
    assert [one.how for one in bindings("x = 1\ndel x", "x")] == [How.VALUE, How.GONE]
    assert bindings("try: ...\nexcept E as x: ...", "x")[0].how is How.GONE


def test_what_is_declared_only_is_not_bound() -> None:
    assert "x" not in read("x: int").module.bindings
    assert bindings("x: int = 1", "x")[0].how is How.VALUE


def test_what_may_not_be_reached_stands_in_a_block_of_its_own() -> None:
    top = read("x = 1").module.bindings["x"][0].block
    assert top is not None
    for text in (
        "if y:\n    x = 1",
        "for x in y: ...",
        "with y as x: ...",
        "while y:\n    x = 1",
        "try:\n    x = 1\nexcept E: ...",
        "y and (x := 1)",
        "def f():\n    global x\n    x = 1",
        "match y:\n    case x: ...",
    ):
        code = read(f"{text}\nz = 1")
        inner, outer = code.module.bindings["x"][0].block, code.module.bindings["z"][0].block
        assert outer is not None
        assert not outer.is_in(inner), text


def test_parameters_and_names_of_comprehensions_come_before_everything_in_them() -> None:
    code = read("def f(a): a\n[b for b in c]")
    spots = [spot for name in ("a", "b") for spot in code.loads[name]]

    for spot, name in zip(spots, ("a", "b"), strict=True):
        owner = spot.scope.owner(name)
        assert owner is not None
        assert owner.bindings[name][0].statement == ALWAYS


def test_names_of_a_class_are_not_seen_from_its_functions() -> None:
    code = read("class A:\n    x = 1\n    y = x\n    def f(self): return x")
    inside, deeper = code.loads["x"]

    assert inside.scope.owner("x") is not None
    assert deeper.scope.owner("x") is None


def test_a_block_is_in_itself_and_in_those_around_it() -> None:
    outer = Block()
    inner = Block(outer)

    assert inner.is_in(outer)
    assert inner.is_in(inner)
    assert not outer.is_in(inner)


def test_depth_does_not_end_it() -> None:
    assert len(read("x = " + "+".join(["y"] * 900)).loads["y"]) == 900
