import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.python_code import python_wants


@pytest.mark.parametrize(
    "code",
    [
        "type(x).__name__.lower()",
        "print(type(x), type(x) is int, f'{type(x)}')",
        "isinstance(y, type(x))",
        "set(map(type, xs))",
        "from collections import Counter\nCounter(type(x) for x in xs)",
        "df.applymap(type)",
        "s.apply(type).value_counts()",
        "class Meta(type): ...",
        "class A:\n    def __add__(self, o): return type(self)(self.x + o.x)",
        "class A:\n    def copy(self): return self.__class__(self.x)",
        "class B(A):\n    def __init__(self, x): super().__init__(x)",
        "class B(A):\n    def __init__(self, x): A.__init__(self, x)",
        "try: f()\nexcept E as e: raise type(e)('x') from e",
        "def f(x):\n    kind = type(x)\n    return kind is int",
        "for x in {type(y) for y in ys}: print(x)",
        "handlers[type(x)](x)",
        "def f(x: type) -> type: ...",
        "A = type('A', (Base,), {})",
    ],
)
def test_looking_at_a_class_or_making_another_of_ones_own_is_free(code: str) -> None:
    assert python_wants(code, Place("/p", "/p")).needs == ()


@pytest.mark.parametrize(
    "code",
    [
        "type(x)('/tmp/x', 'w')",
        "c = type(x)",
        "c = [type(x)]",
        "f(type(x))",
        "f(type, x)",
        "s.apply(type).iloc[0]('/tmp/x', 'w')",
        "def f(x): return type(x)",
        "class A(type(x)): ...",
        "class A(x.__class__): ...",
        "type(x).mro()[0]('/tmp/x', 'w')",
        "for c in [type(x)]: c('/tmp/x', 'w')",
        "x.__init__('/tmp/x', 'w')",
        "class A:\n    def f(self):\n        self = g\n        type(self)('/tmp/x', 'w')",
    ],
)
def test_a_class_that_nobody_knows_is_asked_about_where_it_is_called_or_handed_on(
    code: str,
) -> None:
    assert python_wants(code, Place("/p", "/p")).needs != ()
