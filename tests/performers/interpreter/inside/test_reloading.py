import importlib
import linecache
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside.unchanged import unchanged_process, write

from hearth.performers.interpreter.inside import reloading
from hearth.performers.interpreter.inside.preparing import prepare
from hearth.performers.interpreter.inside.reloading import ASKS, names_bound, reload, take_saved
from hearth.performers.interpreter.inside.sources import SOURCES


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    with unchanged_process(tmp_path):
        reloading.RELOADER.waiting.clear()
        yield


@pytest.fixture
def shell() -> Any:
    return SimpleNamespace(user_ns={}, user_ns_hidden={})


class Project:
    """A folder of modules in a session that is alive."""

    def __init__(self, root: Path, shell: Any) -> None:
        self.root, self.shell = root, shell

    def load(self, **sources: str) -> Any:
        """Write modules and warm them up; the last one."""
        for name, source in sources.items():
            write(self.root / f"{name}.py", textwrap.dedent(source))
        args = {"directory": str(self.root), "root": str(self.root), "modules": list(sources)}
        answer = prepare(self.shell, args)
        assert answer["errors"] == []
        SOURCES.loaded()
        return sys.modules[list(sources)[-1]]

    def save(self, **sources: str) -> dict[str, Any]:
        """Save modules, as an editor does, and reload them."""
        paths = [
            str(write(self.root / f"{name}.py", textwrap.dedent(source)))
            for name, source in sources.items()
        ]
        return reload(self.shell, {"paths": paths})

    def cell(self, code: str) -> None:
        exec(code, self.shell.user_ns)  # noqa: S102 - as a cell would


@pytest.fixture
def project(tmp_path: Path, shell: Any) -> Project:
    return Project(tmp_path, shell)


def test_the_asks_are_these() -> None:
    assert {"reload": reload} == ASKS


@pytest.mark.promise("SF-EVAL-10")
class TestASavedFile:
    def test_changes_functions_wherever_they_are_held(self, project: Project) -> None:
        module = project.load(shop="def price(n, each=2):\n    'Old.'\n    return n * each")
        project.load(other="from shop import price")
        project.cell("from shop import price\nheld = [price]")
        before = module.price
        answer = project.save(
            shop="def price(n, each=3, *, off=1) -> int:\n    'New.'\n    return n * each - off"
        )
        assert module.price is before
        assert project.shell.user_ns["price"](10) == 29
        assert project.shell.user_ns["held"][0](10) == 29
        assert sys.modules["other"].price(10) == 29
        assert before.__doc__ == "New."
        assert before.__annotations__ == {"return": int}
        assert before.__kwdefaults__ == {"off": 1}
        (entry,) = answer["reloaded"]
        assert (entry["module"], entry["file"]) == ("shop", str(project.root / "shop.py"))
        assert entry["replaced"] == []
        assert 0 < entry["seconds"] < 60
        assert not answer["failed"]
        assert not answer["unknown"]

    def test_changes_the_methods_of_objects_that_exist(self, project: Project) -> None:
        project.load(
            shop="""
            class Cart:
                kind = "old"
                def __init__(self): self.items = [1, 2]
                def total(self): return sum(self.items)
                def gone(self): return 1
            """
        )
        project.cell("import shop\ncart = shop.Cart()\nbound = cart.total\ncls = shop.Cart")
        project.save(
            shop="""
            class Cart:
                kind = "new"
                def __init__(self): self.items = []
                def total(self): return sum(self.items) * 10
                @property
                def size(self): return len(self.items)
                def added(self): return "added"
            """
        )
        names = project.shell.user_ns
        cart = names["cart"]
        assert cart.items == [1, 2]
        assert cart.total() == 30
        assert names["bound"]() == 30
        assert (cart.size, cart.added(), cart.kind) == (2, "added", "new")
        assert not hasattr(cart, "gone")
        assert type(cart) is names["cls"] is names["shop"].Cart
        assert isinstance(names["shop"].Cart(), names["cls"])

    def test_brings_new_names_and_takes_gone_ones(self, project: Project) -> None:
        module = project.load(shop="import os\nold = 1\ndef f(): ...\nclass C: ...\nkept = 2")
        module.injected = 5
        project.save(shop="kept = 3\ndef g(): return kept")
        assert module.g() == 3
        for name in ("os", "old", "f", "C"):
            assert not hasattr(module, name)
        assert module.injected == 5

    def test_sets_values_anew_unless_the_module_keeps_them(self, project: Project) -> None:
        source = """
            rate = 1
            try:
                cache
            except NameError:
                cache = {}
            """
        module = project.load(shop=source)
        module.rate, module.cache["a"] = 7, 1
        project.save(shop=source.replace("1", "1  # saved"))
        assert module.rate == 1
        assert module.cache == {"a": 1}

    def test_shows_in_the_session_by_its_hash(self, project: Project) -> None:
        project.load(shop="a = 1")
        before = SOURCES.loaded()["shop"].digest
        project.save(shop="a = 2")
        assert SOURCES.loaded()["shop"].digest != before

    def test_that_says_what_is_loaded_is_not_run_again(self, project: Project) -> None:
        module = project.load(shop="a = 1")
        module.a = 5
        answer = project.save(shop="a = 1")
        assert answer["unchanged"] == [str(project.root / "shop.py")]
        assert answer["reloaded"] == []
        assert module.a == 5

    def test_while_the_cell_runs_that_imports_it_is_loaded_afterwards(
        self, tmp_path: Path, project: Project
    ) -> None:
        project.load(shop="")
        file = write(tmp_path / "fresh_x.py", "a = 1")
        project.cell("import fresh_x")
        file.write_text("a = 2", "utf-8")
        before = SOURCES.loaded()["fresh_x"].digest
        answer = reload(project.shell, {"paths": [str(file)]})
        assert [one["module"] for one in answer["reloaded"]] == ["fresh_x"]
        assert sys.modules["fresh_x"].a == 2
        assert SOURCES.loaded()["fresh_x"].digest != before

    def test_of_a_package_leaves_its_modules(self, tmp_path: Path, project: Project) -> None:
        write(tmp_path / "pack" / "__init__.py", "from . import part\nversion = 1")
        write(tmp_path / "pack" / "part.py", "")
        args = {"directory": str(tmp_path), "root": str(tmp_path), "modules": ["pack"]}
        prepare(project.shell, args)
        SOURCES.loaded()
        file = write(tmp_path / "pack" / "__init__.py", "version = 2")
        reload(project.shell, {"paths": [str(file)]})
        assert sys.modules["pack"].version == 2
        assert isinstance(sys.modules["pack"].part, ModuleType)

    def test_under_another_name_for_its_folder_is_found(
        self, tmp_path: Path, project: Project
    ) -> None:
        module = project.load(shop="a = 1")
        (tmp_path / "link").symlink_to(tmp_path)
        write(tmp_path / "shop.py", "a = 2")
        answer = reload(project.shell, {"paths": [str(tmp_path / "link" / "shop.py")]})
        assert module.a == 2
        assert answer["unknown"] == []

    def test_without_its_docstring_has_none(self, project: Project) -> None:
        module = project.load(shop='"""Old."""\na = 1')
        project.save(shop="a = 2")
        assert module.__doc__ is None


@pytest.mark.promise("SF-EVAL-11")
class TestABrokenSave:
    def test_that_does_not_compile_changes_nothing(self, project: Project) -> None:
        module = project.load(shop="def f():\n    return 1")
        before = dict(vars(module))
        answer = project.save(shop="x = 5\ndef f(:\n    return 2")
        assert vars(module) == before
        assert module.f() == 1
        assert answer["reloaded"] == []
        assert answer["failed"] == [
            {
                "file": str(project.root / "shop.py"),
                "module": "shop",
                "name": "SyntaxError",
                "message": "invalid syntax",
                "line": 2,
            }
        ]

    @pytest.mark.parametrize(
        ("last", "name"),
        [
            ("1 / 0", "ZeroDivisionError"),
            ("raise SystemExit(1)", "SystemExit"),
            ("raise KeyboardInterrupt", "KeyboardInterrupt"),
            ("import not_there", "ModuleNotFoundError"),
        ],
    )
    def test_that_raises_half_way_leaves_everything_as_it_was(
        self, project: Project, last: str, name: str
    ) -> None:
        module = project.load(shop="class C:\n    def f(self): return 1\na = [1]\ngone = 5")
        c, before = module.C(), dict(vars(module))
        answer = project.save(
            shop=f"class C:\n    def f(self): return 2\na = [2]\nnew = 3\n{last}\nb = 1"
        )
        assert vars(module) == before
        assert module.C is type(c)
        assert c.f() == 1
        (failure,) = answer["failed"]
        assert (failure["name"], failure["line"]) == (name, 5)

    @pytest.mark.parametrize("content", [b"\0", b"# coding: no-such\n", b"\xff\xfe = 1"])
    def test_that_is_no_text_changes_nothing(self, project: Project, content: bytes) -> None:
        module = project.load(shop="a = 1")
        (project.root / "shop.py").write_bytes(content)
        answer = reload(project.shell, {"paths": [str(project.root / "shop.py")]})
        assert len(answer["failed"]) == 1
        assert module.a == 1

    def test_is_over_with_the_next_good_one(self, project: Project) -> None:
        module = project.load(shop="def f(): return 1")
        project.save(shop="def f(:")
        answer = project.save(shop="def f(): return 3")
        assert module.f() == 3
        assert answer["failed"] == []

    def test_that_deletes_the_file_is_told_and_the_old_version_stays(
        self, project: Project
    ) -> None:
        module = project.load(shop="def f(): return 1")
        (project.root / "shop.py").unlink()
        answer = reload(project.shell, {"paths": [str(project.root / "shop.py")]})
        (failure,) = answer["failed"]
        assert (failure["name"], failure["line"]) == ("FileNotFoundError", None)
        assert module.f() == 1

    def test_leaves_tracebacks_with_the_lines_that_are_loaded(self, project: Project) -> None:
        project.load(shop="def f():\n    old_line")
        project.save(shop="def f():\n    broken (")
        linecache.checkcache()
        assert linecache.getline(str(project.root / "shop.py"), 2).strip() == "old_line"
        project.save(shop="def f():\n    new_line")
        linecache.checkcache()
        assert linecache.getline(str(project.root / "shop.py"), 2).strip() == "new_line"


class TestSeveralFiles:
    def test_are_loaded_so_that_each_finds_what_it_needs(self, project: Project) -> None:
        project.load(base="def one(): return 1", top="from base import one")
        answer = project.save(
            top="from base import one, two\nboth = one() + two()",
            base="def one(): return 10\ndef two(): return 20",
        )
        assert answer["failed"] == []
        assert sys.modules["top"].both == 30

    def test_wait_for_each_other_over_several_saves(self, project: Project) -> None:
        project.load(base="a = 1", top="import base\nb = base.a")
        first = project.save(top="from base import new\nb = new")
        assert [one["name"] for one in first["failed"]] == ["ImportError"]
        assert sys.modules["top"].b == 1
        unrelated = project.save(base="a = 2")
        assert unrelated["failed"] == []
        second = project.save(base="a = 3\nnew = 4")
        assert sorted(one["module"] for one in second["reloaded"]) == ["base", "top"]
        assert sys.modules["top"].b == 4

    def test_that_nobody_loaded_are_unknown(self, tmp_path: Path, project: Project) -> None:
        project.load(shop="")
        new = write(tmp_path / "brand_new.py", "a = 1")
        answer = reload(project.shell, {"paths": [str(new), str(tmp_path / "gone.py")]})
        assert answer["unknown"] == [str(new), str(tmp_path / "gone.py")]
        assert importlib.import_module("brand_new").a == 1

    def test_that_could_not_be_imported_at_the_start_are_imported_now(
        self, tmp_path: Path, project: Project
    ) -> None:
        file = write(tmp_path / "late.py", "def f(:")
        args = {"directory": str(tmp_path), "root": str(tmp_path), "modules": ["late"]}
        prepare(project.shell, args)
        still = project.save(late="1 / 0")
        assert still["failed"] == [
            {
                "file": str(file),
                "module": "late",
                "name": "ZeroDivisionError",
                "message": "division by zero",
                "line": 1,
            }
        ]
        answer = project.save(late="a = 1")
        assert [one["module"] for one in answer["reloaded"]] == ["late"]
        assert answer["unknown"] == []
        assert project.shell.user_ns["late"].a == 1


def test_names_are_found_in_the_module_and_in_its_classes() -> None:
    many = "\n".join(f"v{number} = {number}" for number in range(300))
    source = """
import os.path
from re import match as m
class A:
    b = 1
    class C:
        d = 2
    def e(self):
        f = 1
for g in ():
    pass
"""
    bound = names_bound(compile(source + many, "x", "exec"))
    assert {"os", "m", "A", "g", "v299"} <= bound[""]
    assert not {"b", "d", "f", "match"} & bound[""]
    assert {"b", "C", "e"} <= bound["A"]
    assert "d" in bound["A.C"]
    assert "f" not in bound["A"]


@pytest.mark.promise("SF-EVAL-11")
def test_a_module_of_200_lines_is_reloaded_again_and_again(project: Project) -> None:
    def source(version: int) -> str:
        functions = "\n".join(
            f"def f{n}(a, b={version}):\n    total = a + b\n    return total" for n in range(40)
        )
        methods = "\n".join(f"    def m{n}(self):\n        return {version}" for n in range(40))
        return f"{functions}\nclass C:\n{methods}\n"

    module = project.load(shop=source(0))
    assert source(0).count("\n") >= 200
    for version in range(1, 4):
        project.save(shop=source(version))
        assert module.f7(1) == 1 + version
        assert module.C().m7() == version


@pytest.mark.promise("SF-EVAL-12")
def test_what_was_saved_is_taken_before_a_cell_without_being_told(project: Project) -> None:
    module = project.load(shop="def price():\n    return 1\n")
    assert take_saved(project.shell) is None
    (project.root / "shop.py").write_text("def price():\n    return 2\n")
    taken = take_saved(project.shell)
    assert taken is not None
    assert [one["module"] for one in taken["reloaded"]] == ["shop"]
    assert module.price() == 2
    assert take_saved(project.shell) is None
    (project.root / "shop.py").write_text("def price(:\n")
    taken = take_saved(project.shell)
    assert taken is not None
    assert (taken["failed"][0]["name"], module.price()) == ("SyntaxError", 2)
    assert take_saved(project.shell) is None  # it is told once
    (project.root / "shop.py").unlink()
    assert take_saved(project.shell) is None
    assert module.price() == 2


def test_files_that_are_older_than_the_session_are_not_loaded_twice(project: Project) -> None:
    write(project.root / "shop.py", "loads = []\n")
    module = project.load(shop="import time\nloads = [1]\n")
    module.loads.append(2)
    assert take_saved(project.shell) is None
    assert module.loads == [1, 2]
