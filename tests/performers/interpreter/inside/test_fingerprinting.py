import ast
import importlib
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside.unchanged import unchanged_process, write

from hearth.performers.interpreter.inside import fingerprinting
from hearth.performers.interpreter.inside.fingerprinting import ASKS, environment, uses
from hearth.performers.interpreter.inside.sources import SOURCES, digest


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site-packages"


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path, site: Path) -> Iterator[None]:
    site.mkdir()
    with unchanged_process(tmp_path):
        sys.path[:0] = [str(site), str(tmp_path)]
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(fingerprinting, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def install(site: Path, name: str, version: str, *tops: str, listed: bool = False) -> None:
    for old in site.glob(f"{name}-*"):
        for file in old.iterdir():
            file.unlink()
        old.rmdir()
    info = site / f"{name}-{version}.dist-info"
    for top in tops:
        write(site / top, "def f(): ...\nclass C: ...")
    write(info / "METADATA", f"Name: {name}\nVersion: {version}\n")
    write(info / "RECORD", "".join(f"{top},sha256={version},1\n" for top in tops))
    if listed:
        write(info / "top_level.txt", "".join(f"{top.partition('/')[0]}\n" for top in tops))


def parts() -> dict[str, str]:
    found = environment(None, {"root": ""})["parts"]
    assert isinstance(found, dict)
    return found


def shell(**names: Any) -> SimpleNamespace:
    return SimpleNamespace(user_ns=names)


def cell(namespace: dict[str, Any], code: str) -> None:
    namespace["__name__"] = "__main__"
    exec(code, namespace)  # noqa: S102 - as a cell would


def test_the_asks_are_these() -> None:
    assert list(ASKS) == ["environment"]


@pytest.mark.promise("SF-EPI-01")
class TestTheEnvironment:
    def test_has_every_loaded_distribution_and_no_other(self, site: Path) -> None:
        install(site, "Py_Yaml", "1.0", "yaml_x/__init__.py")
        install(site, "six_x", "1.0", "six_x.py", listed=True)
        install(site, "unused", "1.0", "unused_x/__init__.py")
        before = environment(None, {})
        assert not {"py-yaml", "six-x", "unused"} & set(before["parts"])
        importlib.import_module("yaml_x")
        importlib.import_module("six_x")
        after = environment(None, {})
        assert {"py-yaml", "six-x"} <= set(after["parts"])
        assert "unused" not in after["parts"]
        assert after["fingerprint"] != before["fingerprint"]
        assert len(after["fingerprint"]) == 16

    def test_has_python_and_the_projects_modules(self, tmp_path: Path) -> None:
        write(tmp_path / "shop_x" / "__init__.py", "")
        write(tmp_path / "shop_x" / "cart.py", "total = 1")
        importlib.import_module("shop_x.cart")
        found = parts()
        assert found["shop_x.cart"] == digest(b"total = 1")
        assert "shop_x" in found
        assert "python" in found

    def test_stays_the_same_while_nothing_changes(self, site: Path) -> None:
        install(site, "one", "1.0", "one_x.py")
        importlib.import_module("one_x")
        assert environment(None, {}) == environment(None, {})

    def test_shows_an_upgrade_within_a_second(self, site: Path, clock: list[float]) -> None:
        install(site, "one", "1.0", "one_x.py")
        importlib.import_module("one_x")
        before = environment(None, {})
        install(site, "one", "2.0", "one_x.py")
        clock[0] += 0.5
        assert environment(None, {}) == before
        clock[0] += 0.6
        after = environment(None, {})
        assert after["fingerprint"] != before["fingerprint"]
        changed = {name for name, part in after["parts"].items() if before["parts"][name] != part}
        assert changed == {"one"}

    def test_shows_a_reload(self, tmp_path: Path) -> None:
        file = write(tmp_path / "shop_x.py", "a = 1")
        importlib.import_module("shop_x")
        before = parts()
        SOURCES.replace("shop_x", str(file), b"a = 2")
        assert parts()["shop_x"] != before["shop_x"]

    def test_leaves_out_what_hearth_lends(self, site: Path) -> None:
        install(site, "lent", "1.0", "lent_x.py")
        importlib.import_module("lent_x")
        sys.path.remove(str(site))  # what is lent is found in another way
        assert "lent" not in parts()

    def test_has_every_owner_of_a_shared_namespace(self, site: Path) -> None:
        install(site, "cloud_a", "1.0", "cloud_x/a.py")
        install(site, "cloud_b", "1.0", "cloud_x/b.py")
        importlib.import_module("cloud_x.a")
        assert {"cloud-a", "cloud-b"} <= set(parts())

    def test_bears_strange_modules(self) -> None:
        class Strange:
            def __getattr__(self, name: str) -> object:
                raise RuntimeError(name)

        sys.modules["strange_x"] = Strange()  # type: ignore[assignment]  # people do such things
        sys.modules["none_x"] = None  # type: ignore[assignment]  # as one blocks an import
        assert environment(None, {})["fingerprint"]
        assert not {"strange_x", "none_x"} & set(parts())

    def test_is_unknown_rather_than_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise RecursionError

        monkeypatch.setattr(SOURCES, "loaded", fail)
        assert environment(None, {}) == {"fingerprint": "", "parts": {}}

    def test_bears_a_site_that_is_gone(self, site: Path, clock: list[float]) -> None:
        install(site, "one", "1.0", "one_x.py")
        importlib.import_module("one_x")
        assert "one" in parts()
        site.rename(site.with_name("moved"))
        clock[0] += 2
        assert "one" not in parts()


class TestUses:
    def test_are_the_parts_of_what_is_read(self, site: Path, tmp_path: Path) -> None:
        install(site, "one", "1.0", "one_x.py")
        install(site, "two", "1.0", "two_x.py")
        write(tmp_path / "shop_x.py", "class Cart: ...\ndef total(): ...")
        one, two = importlib.import_module("one_x"), importlib.import_module("two_x")
        shop = importlib.import_module("shop_x")
        names = shell(one=one, f=two.f, cart=shop.Cart(), total=shop.total, n=5, text="x")
        known = parts()
        assert uses(names, "one.f(n)") == {"one": known["one"]}
        assert uses(names, "f()") == {"two": known["two"]}
        assert uses(names, "print(cart.items)") == {"shop_x": known["shop_x"]}
        assert uses(names, ["total", "f"]) == {"two": known["two"], "shop_x": known["shop_x"]}
        assert uses(names, ast.parse("n + len(text)")) == {}
        assert uses(names, "one = 5; unknown") == {}

    def test_are_found_through_imports_that_the_code_itself_does(self, site: Path) -> None:
        install(site, "one", "1.0", "one_x.py")
        importlib.import_module("one_x")
        assert set(uses(shell(), "import one_x as o")) == {"one"}
        assert set(uses(shell(), "from one_x import f")) == {"one"}

    def test_follow_what_a_cell_defined(self, site: Path) -> None:
        install(site, "one", "1.0", "one_x.py")
        install(site, "two", "1.0", "two_x.py")
        namespace: dict[str, Any] = {}
        cell(
            namespace,
            "import one_x, two_x\n"
            "def f(): return one_x.f()\n"
            "class K(two_x.C):\n"
            "    def g(self): return f()\n"
            "k = K()",
        )
        names = SimpleNamespace(user_ns=namespace)
        assert set(uses(names, "f()")) == {"one"}
        assert set(uses(names, "K().g()")) == {"one", "two"}
        assert set(uses(names, "k")) == {"one", "two"}

    def test_follow_what_the_projects_modules_use(self, site: Path, tmp_path: Path) -> None:
        install(site, "one", "1.0", "one_x.py")
        write(tmp_path / "shop_x" / "__init__.py", "")
        write(tmp_path / "shop_x" / "cart.py", "from shop_x.tax import rate\ndef total(): ...")
        write(tmp_path / "shop_x" / "tax.py", "import one_x\ndef rate(): ...")
        write(tmp_path / "shop_x" / "other.py", "")
        shop = importlib.import_module("shop_x.cart").total
        importlib.import_module("shop_x.other")
        assert set(uses(shell(total=shop), "total()")) == {"shop_x.cart", "shop_x.tax", "one"}
        package = shell(shop_x=sys.modules["shop_x"])
        assert "shop_x.tax" in uses(package, "shop_x.cart.total()")

    def test_are_never_more_than_fifty(self, tmp_path: Path) -> None:
        namespace = {}
        for number in range(60):
            write(tmp_path / f"shop_{number}.py", "")
            namespace[f"m{number}"] = importlib.import_module(f"shop_{number}")
        assert len(uses(shell(**namespace), "; ".join(namespace))) == 50

    @pytest.mark.parametrize("code", ["def f(:", "\0", "(" * 500])
    def test_of_what_cannot_be_read_are_none(self, code: str) -> None:
        assert uses(shell(), code) == {}
        assert uses(SimpleNamespace(), "x") == {}

    def test_never_run_code_of_the_objects(self) -> None:
        class Trap:
            def __getattribute__(self, name: str) -> object:
                raise AssertionError(name)

        assert uses(shell(trap=Trap()), "trap.x.y") == uses(shell(trap=Trap), "trap")


@pytest.mark.promise("SF-EPI-04")
def test_an_unchanged_environment_costs_next_to_nothing(tmp_path: Path) -> None:
    write(tmp_path / "shop_x.py", "def total(): ...")
    names = shell(total=importlib.import_module("shop_x").total, rows=[], n=3)
    code = "result = [total() for row in rows if row > n]\nfor one in result:\n    print(one)\n"
    environment(None, {})
    uses(names, code)

    def measured(what: Any) -> float:
        took = []
        for _ in range(51):
            began = time.thread_time()  # a busy machine does not count
            what()
            took.append(time.thread_time() - began)
        return statistics.median(took)

    # Ten times what is aimed at, for machines that are slower; hashing anew costs more than that.
    assert measured(lambda: environment(None, {})) < 0.003
    assert measured(lambda: uses(names, code)) < 0.003
