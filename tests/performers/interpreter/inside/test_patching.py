"""What becomes of old objects when their module is executed anew, kind by kind."""

import gc
import textwrap
from types import ModuleType
from typing import Any

import pytest

from hearth.performers.interpreter.inside.patching import Patch
from hearth.performers.interpreter.inside.reloading import names_bound
from hearth.performers.interpreter.inside.strays import many_young, sweep


class Module:
    """A module whose source can be given anew, as a reload does it."""

    def __init__(self, source: str, name: str = "patched_x") -> None:
        self.module = ModuleType(name)
        self._bound: dict[str, set[str]] = {}
        self.replaced: list[str] = []
        exec(self._compiled(source), vars(self.module))  # noqa: S102 - as an import would

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def become(self, source: str) -> None:
        before, bound = dict(vars(self.module)), self._bound
        code = self._compiled(source)
        with many_young():
            exec(code, vars(self.module))  # noqa: S102 - as a reload would
            patch = Patch(vars(self.module), before, bound, self.module.__name__)
            patch.apply()
            sweep(patch)
        self.replaced = [old.__qualname__ for old, _ in patch.replaced]

    def _compiled(self, source: str) -> Any:
        code = compile(textwrap.dedent(source), "patched_x.py", "exec")
        self._bound = names_bound(code)
        return code


@pytest.mark.promise("SF-EVAL-10")
class TestFunctions:
    def test_wrapped_by_a_decorator_get_the_new_body(self) -> None:
        source = """
            import functools
            def loud(f):
                @functools.wraps(f)
                def wrapper(*a):
                    return f(*a) + "!"
                return wrapper
            @loud
            def hello(): return "old"
            """
        module = Module(source)
        held = module.hello
        module.become(source.replace('"old"', '"new"').replace('"!"', '"?"'))
        assert held() == "new?"
        assert module.hello is held
        assert held.__wrapped__() == "new"

    def test_wrapped_by_a_decorator_from_elsewhere_get_it_too(self) -> None:
        source = """
            from contextlib import contextmanager
            @contextmanager
            def opened(): yield "old"
            """
        module = Module(source)
        held = module.opened
        module.become(source.replace("old", "new"))
        with held() as value:
            assert value == "new"
        assert module.opened is held

    def test_with_a_cache_get_the_new_body_and_an_empty_cache(self) -> None:
        source = """
            import functools
            @functools.lru_cache
            def f(n): return n + 1
            """
        module = Module(source)
        held = module.f
        assert held(1) == 2
        module.become(source.replace("+ 1", "+ 100"))
        assert module.f is held
        assert held(1) == 101

    def test_of_other_modules_are_left_alone(self) -> None:
        module = Module("from textwrap import dedent as f, indent as g")
        before = textwrap.dedent, textwrap.dedent.__code__, textwrap.indent.__code__
        module.become("from textwrap import indent as f, dedent as g")
        assert module.f is textwrap.indent
        assert (textwrap.dedent, textwrap.dedent.__code__, textwrap.indent.__code__) == before

    def test_that_were_two_and_are_one_now_all_do_the_new_thing(self) -> None:
        module = Module("def f(): return 1\ndef g(): return 2")
        f, g = module.f, module.g
        module.become("def f(): return 3\ng = f")
        assert (f(), g()) == (3, 3)
        assert module.f is module.g

    def test_that_close_over_something_else_now_are_replaced(self) -> None:
        source = """
            def make(x):
                def f(): return x
                return f
            f = make(1)
            """
        module = Module(source)
        held = module.f
        module.become(
            """
            def make(x, y):
                def f(): return x + y
                return f
            f = make(1, 2)
            """
        )
        assert module.f() == 3
        assert module.replaced == ["make.<locals>.f"]
        assert held() == 1

    def test_that_became_something_else_are_that(self) -> None:
        module = Module("def f(): return 1\nclass C: ...\nv = 1")
        module.become("f = 5\ndef C(): return 2\nclass v: ...")
        assert module.f == 5
        assert module.C() == 2
        assert isinstance(module.v, type)

    def test_have_defaults_of_the_classes_that_stay(self) -> None:
        source = "class C: ...\ndef g(): ...\ndef f(a=C, *, b=g): return a, b, 1"
        module = Module(source)
        c, g = module.C, module.g
        module.become(source.replace("1", "2"))
        assert module.f() == (c, g, 2)


@pytest.mark.promise("SF-EVAL-10")
class TestClasses:
    def test_keep_super_working_in_old_and_new_methods(self) -> None:
        source = """
            class A:
                def f(self): return "A1"
            class B(A):
                def f(self): return super().f() + "B1"
            """
        module = Module(source)
        b = module.B()
        module.become(
            """
            class A:
                def f(self): return "A2"
            class B(A):
                def f(self): return super().f() + "B2"
                def g(self): return super().f() + __class__.__name__
                @property
                def h(self): return super().f()
                @classmethod
                def k(cls): return super().__name__
            """
        )
        assert (b.f(), b.g(), b.h) == ("A2B2", "A2B", "A2")
        assert module.B().f() == "A2B2"
        assert type(b) is module.B

    def test_change_every_kind_of_attribute(self) -> None:
        source = """
            import functools
            class C:
                '''Old.'''
                @staticmethod
                def s(): return "s1"
                @classmethod
                def c(cls): return cls, "c1"
                @property
                def p(self): return "p1"
                @functools.cached_property
                def cp(self): return "cp1"
                @functools.lru_cache
                def lru(self): return "lru1"
                class Inner:
                    def f(self): return "i1"
                value = "v1"
            """
        module = Module(source)
        c, inner, s, k = module.C(), module.C.Inner(), module.C.s, module.C.c
        module.become(source.replace("1", "2").replace("Old", "New"))
        assert (c.s(), c.c(), c.p, c.cp, c.lru()) == ("s2", (module.C, "c2"), "p2", "cp2", "lru2")
        assert (s(), k(), inner.f(), c.value) == ("s2", (module.C, "c2"), "i2", "v2")
        assert type(inner) is module.C.Inner
        assert module.C.__doc__ == "New."

    def test_lose_what_the_source_lost_and_keep_what_others_gave_them(self) -> None:
        module = Module("class C:\n    a = 1\n    b = 2\n    def f(self): ...\n    x: int = 5")
        module.C.given = lambda _: "given"
        module.C.counter = 5
        module.become("class C:\n    b = 3")
        assert not [name for name in ("a", "f", "x") if hasattr(module.C, name)]
        assert module.C().given() == "given"
        assert (module.C.b, module.C.counter) == (3, 5)

    def test_can_get_other_bases(self) -> None:
        module = Module("class A: ...\nclass B(A):\n    def f(self): return 1")
        b = module.B()
        module.become(
            "class A: ...\nclass New(A):\n    n = 5\nclass B(New):\n    def f(self): return 2"
        )
        assert (b.f(), b.n) == (2, 5)
        assert issubclass(module.B, module.New)
        assert issubclass(module.New, module.A)

    def test_that_come_new_are_derived_from_those_that_stay(self) -> None:
        module = Module("class A: ...")
        a = module.A
        module.become("class A:\n    x = 2\nclass B(A): ...")
        assert module.B.__mro__ == (module.B, a, object)

    def test_with_other_slots_are_replaced(self) -> None:
        module = Module("class C:\n    __slots__ = ('a',)\n    def f(self): return 1")
        c = module.C()
        module.become("class C:\n    __slots__ = ('a', 'b')\n    def f(self): return 2")
        assert module.replaced == ["C"]
        assert c.f() == 1
        assert module.C().f() == 2

    def test_with_the_same_slots_are_changed(self) -> None:
        source = "class C:\n    __slots__ = ('a',)\n    def f(self): return 1"
        module = Module(source)
        c = module.C()
        c.a = 7
        module.become(source.replace("1", "2"))
        assert (c.f(), c.a) == (2, 7)

    def test_of_data_keep_their_data_and_get_new_fields(self) -> None:
        module = Module(
            """
            from dataclasses import dataclass
            @dataclass
            class P:
                x: int
                def double(self): return self.x * 2
            """
        )
        p = module.P(3)
        module.become(
            """
            from dataclasses import dataclass
            @dataclass(order=True)
            class P:
                x: int
                y: int = 9
                def double(self): return self.x * 20
            """
        )
        assert (p.double(), p.y) == (60, 9)
        assert repr(p) == "P(x=3, y=9)"
        assert module.P(1, 2) < module.P(1, 3)

    def test_of_enums_with_the_same_members_keep_them(self) -> None:
        source = """
            import enum
            class Colour(enum.Enum):
                RED = 1
                BLUE = 2
                def shout(self): return self.name
            """
        module = Module(source)
        red, colour = module.Colour.RED, module.Colour
        module.become(source.replace("self.name", "self.name + '!'"))
        assert module.Colour is colour
        assert module.Colour.RED is red
        assert red.shout() == "RED!"
        assert module.replaced == []

    def test_of_enums_with_other_members_are_replaced(self) -> None:
        source = "import enum\nclass Colour(enum.Enum):\n    RED = 1\n"
        module = Module(source)
        red = module.Colour.RED
        module.become(source + "    BLUE = 2\n")
        assert module.replaced == ["Colour"]
        assert [one.name for one in module.Colour] == ["RED", "BLUE"]
        assert red.name == "RED"

    def test_of_named_tuples_with_other_fields_are_replaced(self) -> None:
        source = "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n"
        module = Module(source)
        p = module.P(1)
        module.become(source + "    y: int = 0\n")
        assert module.replaced == ["P"]
        assert repr(p) == "P(x=1)"
        module.become(source + "    y: int = 0\n    def f(self): return 5\n")
        assert module.P(1).f() == 5

    def test_that_are_abstract_know_what_is_missing(self) -> None:
        module = Module("import abc\nclass A(abc.ABC):\n    def f(self): return 1")
        a = module.A()
        module.become(
            "import abc\nclass A(abc.ABC):\n    def f(self): return 2\n"
            "    @abc.abstractmethod\n    def g(self): ..."
        )
        assert a.f() == 2
        with pytest.raises(TypeError, match="abstract"):
            module.A()

    def test_of_a_metaclass_from_elsewhere_are_changed_if_their_fields_are_the_same(self) -> None:
        source = "import msgspec\nclass S(msgspec.Struct):\n    x: int\n    def f(self): return 1\n"
        module = Module(source)
        s = module.S(5)
        module.become(source.replace("return 1", "return 2"))
        assert (s.f(), module.S is type(s)) == (2, True)
        module.become(source.replace("x: int", "y: int").replace("return 1", "return 3"))
        assert module.replaced == ["S"]
        assert module.S(y=1).f() == 3
        assert (s.x, s.f()) == (5, 2)

    def test_of_a_metaclass_of_the_module_are_changed(self) -> None:
        source = "class Meta(type):\n    def m(cls): return 1\nclass C(metaclass=Meta): ..."
        module = Module(source)
        held = module.C
        module.become(source.replace("1", "2"))
        assert held.m() == 2
        assert module.C is held

    def test_that_changed_their_layout_are_replaced(self) -> None:
        module = Module("class C: ...")
        held = module.C
        module.become("class C(dict): ...")
        assert module.C is not held
        assert module.replaced == ["C"]


@pytest.mark.promise("SF-EVAL-10")
class TestWhatTheModuleMakes:
    def test_is_of_the_classes_that_stay(self) -> None:
        source = """
            class C:
                def f(self): return 1
            default = C()
            every = [C(), {"c": C()}]
            kinds = (C, int)
            table = {"c": C, C: "c"}
            """
        module = Module(source)
        held = module.C
        module.become(source.replace("1", "2"))
        assert type(module.default) is held
        assert isinstance(module.every[0], held)
        assert isinstance(module.every[1]["c"], held)
        assert module.kinds == (held, int)
        assert module.table == {"c": held, held: "c"}
        assert module.default.f() == 2

    def test_may_look_at_every_access_to_it(self) -> None:
        source = """
            class Meta(type):
                def __getattribute__(cls, name):
                    seen.append(name)
                    return super().__getattribute__(name)
            class Watched(metaclass=Meta):
                def __getattribute__(self, name):
                    return super().__getattribute__(name)
                def __setattr__(self, name, value):
                    raise AssertionError(name)
                def f(self): return 1
            seen = []
            default = Watched()
            """
        module = Module(source)
        held = module.Watched
        module.become(source.replace("return 1", "return 2"))
        assert module.Watched is held
        assert type(module.default) is held
        assert module.default.f() == 2
        assert module.replaced == []

    def test_may_stand_in_for_something_that_is_not_there(self) -> None:
        source = """
            class Proxy:
                @property
                def __class__(self): raise RuntimeError("nothing is there")
                def f(self): return 1
            current = Proxy()
            every = [current]
            """
        module = Module(source)
        held = module.Proxy
        module.become(source.replace("return 1", "return 2"))
        assert type(module.current) is held
        assert module.current.f() == 2

    def test_that_does_not_let_itself_be_looked_at_is_replaced(self) -> None:
        source = """
            class Firm:
                def __eq__(self, other): raise RuntimeError("firm")
            class C:
                _fields = Firm()
                x = 1
            """
        module = Module(source)
        held = module.C
        module.become(source.replace("x = 1", "x = 2"))
        assert module.replaced == ["C"]
        assert (held.x, module.C.x) == (1, 2)

    def test_leaves_no_second_class_behind(self) -> None:
        source = "class Base: ...\nclass C(Base):\n    x = 1"
        module = Module(source)
        module.become(source.replace("1", "2"))
        gc.collect()
        assert module.Base.__subclasses__() == [module.C]
