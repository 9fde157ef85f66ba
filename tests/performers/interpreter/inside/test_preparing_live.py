"""Warm-up, reload, fingerprint and reset in a real interpreter process."""

import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, worker
from tests.performers.interpreter.inside.unchanged import write


@pytest.fixture(scope="module")
def kernel() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as one:
        yield one.ready()


@pytest.fixture
def root(tmp_path: Path, kernel: Worker) -> Path:
    kernel.ask("reset")
    write(tmp_path / "src" / "shop" / "__init__.py", "")
    write(
        tmp_path / "src" / "shop" / "cart.py",
        "class Cart:\n    def total(self): return 'old'\ndef price(): return 1\n",
    )
    return tmp_path


def warmed_up(kernel: Worker, root: Path, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = kernel.ask(
        "prepare",
        directory=str(root),
        root=str(root),
        paths=[str(root / "src")],
        modules=["shop", "shop.cart"],
        **more,
    )
    return answer


def save(kernel: Worker, root: Path, content: str) -> dict[str, Any]:
    file = write(root / "src" / "shop" / "cart.py", content)
    answer: dict[str, Any] = kernel.ask("reload", paths=[str(file)])
    return answer


@pytest.mark.promise("SF-EVAL-05", "SF-EVAL-07")
def test_a_session_begins_in_its_project(kernel: Worker, root: Path) -> None:
    profile = write(root / ".hearthrc.py", "mine = 'from the profile'\nprint('hello')")
    answer = warmed_up(kernel, root, profile=[str(profile)], argv=["--x"])
    assert answer["errors"] == []
    assert answer["imported"] == ["shop", "shop.cart"]
    code = "import os, sys\nprint(mine, os.getcwd(), sys.argv)\nshop.cart.price()"
    ran = kernel.run(code)
    assert ran.text() == f"from the profile {root} ['', '--x']\n"
    assert ran.value == "1"


@pytest.mark.promise("SF-EVAL-10", "SF-EVAL-11")
def test_a_save_reaches_objects_that_exist_and_a_broken_one_does_not(
    kernel: Worker, root: Path
) -> None:
    warmed_up(kernel, root)
    kernel.run("from shop.cart import price\ncart = shop.cart.Cart()")
    new = "class Cart:\n    def total(self): return 'new'\ndef price(): return 2\n"
    done = save(kernel, root, new)
    assert [one["module"] for one in done["reloaded"]] == ["shop.cart"]
    assert kernel.run("cart.total(), price()").value == "('new', 2)"
    broken = save(kernel, root, "def price(:")
    assert [one["name"] for one in broken["failed"]] == ["SyntaxError"]
    assert kernel.run("cart.total(), price()").value == "('new', 2)"


@pytest.mark.promise("SF-EVAL-09")
def test_files_can_be_replaced_while_a_cell_runs_and_it_stays_consistent(
    kernel: Worker, root: Path
) -> None:
    warmed_up(kernel, root)
    sent = kernel.start(
        "import pathlib, time\nprint('begun', flush=True)\n"
        "while not pathlib.Path('go').exists(): time.sleep(0.01)\n"
        "from shop.cart import price\nprice()"
    )
    begun = kernel.until_published("stream")
    assert begun["content"]["text"] == "begun\n"
    file = root / "src" / "shop" / "cart.py"
    write(root / "next.py", "def price(): return 'next'").replace(file)
    (root / "src" / "shop" / "__init__.py").unlink()
    write(root / "go", "")
    assert kernel.finish(sent).value == "1"
    kernel.ask("reload", paths=[str(file)])
    assert kernel.run("price()").value == "'next'"


@pytest.mark.promise("SF-EPI-01")
def test_a_cell_tells_what_it_stands_on_and_a_reload_shows(kernel: Worker, root: Path) -> None:
    warmed_up(kernel, root)
    before = kernel.run("shop.cart.price()").told["uses"]
    assert "shop.cart" in before
    save(kernel, root, "def price(): return 3\n")
    after = kernel.run("shop.cart.price()").told
    assert after["uses"]["shop.cart"] != before["shop.cart"]
    assert after["environment"]["parts"]["shop.cart"] == after["uses"]["shop.cart"]
    assert kernel.run("1 + 1").told["uses"] == {}


def test_a_reset_leaves_an_empty_session_and_no_task(kernel: Worker, root: Path) -> None:
    warmed_up(kernel, root)
    kernel.run(
        "import asyncio, threading\nx = 1\nended = threading.Event()\n"
        "async def forever():\n"
        "    try:\n        await asyncio.Event().wait()\n"
        "    finally:\n        ended.set()\n"
        "task = asyncio.ensure_future(forever())\nawait asyncio.sleep(0)"
    )
    assert kernel.ask("reset") == {"left_threads": 0}
    ran = kernel.run("import sys\n[n for n in ('x', 'shop', 'task') if n in globals()]")
    assert ran.value == "[]"
    assert kernel.run("'shop' in sys.modules, 'shop.cart' in sys.modules").value == "(False, False)"
    left = "import asyncio\n[t for t in asyncio.all_tasks() if 'forever' in repr(t)]"
    assert kernel.run(left).value == "[]"


def test_a_thread_that_goes_on_is_counted(kernel: Worker, root: Path) -> None:
    warmed_up(kernel, root)
    kernel.run(
        "import sys, threading\nsys.end = threading.Event()\n"
        "threading.Thread(target=sys.end.wait).start()"
    )
    try:
        assert kernel.ask("reset") == {"left_threads": 1}
    finally:
        kernel.run("import sys; sys.end.set(); del sys.end")


@pytest.mark.promise("SF-EVAL-13")
def test_a_projects_own_interpreter_runs_its_sessions(tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", symlinks=True, with_pip=False)
    python = tmp_path / ".venv" / "bin" / "python"
    lent = next(one for one in sys.path if one.endswith("site-packages"))
    site = next((tmp_path / ".venv" / "lib").glob("python*")) / "site-packages"
    write(site / "own_x.py", "def f(): ...")
    write(site / "own_x-1.0.dist-info" / "RECORD", "own_x.py,sha256=1,1\n")
    with (
        runtime_folder() as runtime,
        worker(
            runtime,
            python=str(python),
            environment={"PATH": "/usr/bin:/bin", "HOME": "/", "HEARTH_BORROW": lent},
        ) as one,
    ):
        one.ready()
        write(tmp_path / "app.py", "import own_x")
        where = str(tmp_path)
        prepared = one.ask("prepare", directory=where, root=where, modules=["app"])
        assert prepared["errors"] == []
        # Its own distributions count, those that hearth lends it do not.
        assert {"python", "app", "own-x"} <= set(prepared["environment"]["parts"])
        assert "ipykernel" not in prepared["environment"]["parts"]
        ran = one.run("import sys; print(sys.prefix)\napp.own_x.f()")
        assert ran.text() == f"{tmp_path / '.venv'}\n"
        assert set(ran.told["uses"]) == {"app", "own-x"}
