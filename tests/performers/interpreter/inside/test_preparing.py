import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from tests.performers.interpreter.inside.unchanged import unchanged_process, write
from traitlets.config import Config

from hearth.performers.interpreter.inside import preparing
from hearth.performers.interpreter.inside.preparing import ASKS, import_again, prepare, reset


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    with unchanged_process(tmp_path):
        yield


@pytest.fixture
def shell() -> Any:
    config = Config({"HistoryManager": {"enabled": False}})
    return InteractiveShell(config=config)  # type: ignore[no-untyped-call]  # IPython's own lacks them


def run(shell: Any, root: Path, *modules: str, **more: Any) -> dict[str, Any]:
    args = {"directory": str(root), "root": str(root), "modules": list(modules)}
    return prepare(shell, {**args, **more})


def test_the_asks_are_these() -> None:
    assert {"prepare": prepare, "reset": reset} == ASKS


class TestSurroundings:
    def test_folder_variables_arguments_and_search_path_are_the_projects(
        self, tmp_path: Path, shell: Any
    ) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        sys.path.insert(0, "/elsewhere")
        answer = run(
            shell,
            tmp_path,
            directory=str(inner),
            paths=[str(tmp_path / "src"), str(tmp_path)],
            argv=["--fast", "x"],
            environment={"COLOUR": "red"},
        )
        assert Path.cwd() == inner
        assert os.environ["COLOUR"] == "red"
        assert sys.argv == ["", "--fast", "x"]
        assert sys.path[:4] == ["", str(tmp_path), str(tmp_path / "src"), "/elsewhere"]
        assert answer["errors"] == []
        assert 0 <= answer["duration"] < 60

    def test_a_second_preparation_takes_the_first_out(self, tmp_path: Path, shell: Any) -> None:
        run(shell, tmp_path, paths=["/one"])
        run(shell, tmp_path, paths=["/two"])
        assert sys.path[:3] == ["", str(tmp_path), "/two"]
        assert "/one" not in sys.path
        assert sys.path.count(str(tmp_path)) == 1
        assert sys.argv == [""]

    def test_what_was_in_the_search_path_already_is_not_taken_out(
        self, tmp_path: Path, shell: Any
    ) -> None:
        sys.path.append("/kept")
        run(shell, tmp_path, paths=["/kept"])
        run(shell, tmp_path)
        assert sys.path.count("/kept") == 1

    def test_a_folder_that_is_not_there_is_an_error_and_the_rest_goes_on(
        self, tmp_path: Path, shell: Any
    ) -> None:
        write(tmp_path / "shop.py", "")
        answer = run(shell, tmp_path, "shop", directory=str(tmp_path / "gone"))
        assert answer["errors"] == [
            f"{tmp_path}/gone: cannot be entered: No such file or directory"
        ]
        assert answer["imported"] == ["shop"]


class TestModules:
    @pytest.mark.promise("SF-EVAL-05")
    def test_what_needs_another_module_first_is_tried_again(
        self, tmp_path: Path, shell: Any
    ) -> None:
        # `late` can only be imported once `early` was: by itself it goes round in a circle.
        write(tmp_path / "late.py", "from early import x\ny = 1")
        write(tmp_path / "early.py", "x = 1\nfrom late import y")
        write(tmp_path / "first.py", "import sys\nwhere = sys.modules['second'].here")
        write(tmp_path / "second.py", "import sys\nhere = sys.modules['third'].here")
        write(tmp_path / "third.py", "here = 3")
        answer = run(shell, tmp_path, "late", "first", "early", "second", "third")
        assert answer["errors"] == []
        assert sorted(answer["imported"]) == ["early", "first", "late", "second", "third"]
        assert answer["rounds"] == 3
        assert shell.user_ns["first"].where == 3
        assert {"early", "late"} <= set(answer["environment"]["parts"])

    @pytest.mark.promise("SF-EVAL-05")
    def test_a_round_without_progress_is_the_last(self, tmp_path: Path, shell: Any) -> None:
        counter = "import os\nos.environ['TRIES'] = os.environ.get('TRIES', '') + '.'\n"
        write(tmp_path / "never.py", counter + "raise RuntimeError('not yet')")
        write(tmp_path / "fine.py", "")
        answer = run(shell, tmp_path, "never", "fine")
        assert (answer["rounds"], os.environ["TRIES"]) == (2, "..")
        assert answer["errors"] == [f"never: {tmp_path}/never.py:3: RuntimeError: not yet"]

    @pytest.mark.promise("SF-EVAL-06")
    def test_a_module_that_cannot_be_imported_is_listed_and_spoils_nothing(
        self, tmp_path: Path, shell: Any
    ) -> None:
        write(tmp_path / "needs.py", "\nimport not_installed")
        write(tmp_path / "broken.py", "x = 1\ndef f(:\n")
        write(tmp_path / "exits.py", "import sys\nsys.exit(3)")
        write(tmp_path / "rude.py", "class Rude(BaseException): ...\nraise Rude")
        write(tmp_path / "shop" / "__init__.py", "")
        write(tmp_path / "shop" / "cart.py", "total = 5")
        names = ["needs", "broken", "exits", "rude", "gone", "shop.cart"]
        answer = run(shell, tmp_path, *names)
        assert answer["imported"] == ["shop.cart"]
        assert answer["rounds"] == 2
        assert answer["errors"] == [
            f"needs: {tmp_path}/needs.py:2: ModuleNotFoundError: No module named 'not_installed'",
            f"broken: {tmp_path}/broken.py:2: SyntaxError: invalid syntax",
            f"exits: {tmp_path}/exits.py:2: SystemExit: 3",
            f"rude: {tmp_path}/rude.py:2: Rude",
            "gone: ModuleNotFoundError: No module named 'gone'",
        ]
        assert shell.user_ns["shop"].cart.total == 5
        assert "needs" not in shell.user_ns

    def test_an_interrupt_ends_the_warm_up(self, tmp_path: Path, shell: Any) -> None:
        write(tmp_path / "stop.py", "raise KeyboardInterrupt")
        write(tmp_path / "after.py", "")
        answer = run(shell, tmp_path, "stop", "after")
        assert answer["imported"] == []
        assert answer["errors"] == [f"stop: {tmp_path}/stop.py:1: KeyboardInterrupt"]

    def test_an_error_that_cannot_say_what_it_is_is_told_all_the_same(
        self, tmp_path: Path, shell: Any
    ) -> None:
        write(tmp_path / "mute.py", "class E(Exception):\n  __str__ = None\nraise E")
        (error,) = run(shell, tmp_path, "mute")["errors"]
        assert error == f"mute: {tmp_path}/mute.py:3: E: (it cannot say what)"

    def test_packages_are_bound_by_name_and_are_nobodys_variables(
        self, tmp_path: Path, shell: Any
    ) -> None:
        write(tmp_path / "shop" / "__init__.py", "secret = 1")
        run(shell, tmp_path, "shop")
        assert isinstance(shell.user_ns["shop"], ModuleType)
        assert shell.user_ns_hidden["shop"] is shell.user_ns["shop"]
        assert "secret" not in shell.user_ns

    def test_what_modules_print_is_printed(
        self, tmp_path: Path, shell: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write(tmp_path / "loud.py", "print('hello')")
        run(shell, tmp_path, "loud")
        assert capsys.readouterr().out == "hello\n"

    def test_one_that_failed_is_imported_once_its_file_is_mended(
        self, tmp_path: Path, shell: Any
    ) -> None:
        file = write(tmp_path / "shop" / "cart.py", "def f(:")
        write(tmp_path / "other.py", "1 / 0")
        run(shell, tmp_path, "shop.cart", "other")
        assert import_again(shell, [str(tmp_path / "elsewhere.py")]) == {}
        problem = import_again(shell, [str(file)])["shop.cart"]
        assert problem is not None
        assert (problem.name, problem.file, problem.line) == ("SyntaxError", str(file), 1)
        file.write_text("total = 1", "utf-8")
        assert import_again(shell, [str(file)]) == {"shop.cart": None}
        assert shell.user_ns["shop"].cart.total == 1
        assert import_again(shell, [str(file)]) == {}


class TestProfile:
    @pytest.mark.promise("SF-EVAL-07")
    def test_the_persons_runs_first_then_the_projects_and_the_later_wins(
        self, tmp_path: Path, shell: Any
    ) -> None:
        mine = write(tmp_path / "init.py", "a = b = 'mine'\nwhere = __file__")
        projects = write(tmp_path / ".hearthrc.py", "b = a + ' and ours'\nc = get_ipython()")
        answer = run(shell, tmp_path, profile=[str(mine), str(projects)])
        assert answer["errors"] == []
        assert shell.user_ns["a"] == "mine"
        assert shell.user_ns["b"] == "mine and ours"
        assert shell.user_ns["c"] is shell
        assert shell.user_ns["where"] == str(mine)
        assert "__file__" not in shell.user_ns

    def test_a_profile_that_raises_is_told_with_its_line_and_others_run(
        self, tmp_path: Path, shell: Any
    ) -> None:
        raises = write(tmp_path / "a.py", "x = 1\n\n1 / 0\ny = 2")
        exits = write(tmp_path / "b.py", "raise SystemExit")
        broken = write(tmp_path / "c.py", "\n(")
        fine = write(tmp_path / "d.py", "z = 3")
        files = [str(one) for one in (raises, exits, broken, tmp_path / "gone.py", fine)]
        errors = run(shell, tmp_path, profile=files)["errors"]
        assert errors == [
            f"{raises}:3: ZeroDivisionError: division by zero",
            f"{exits}:1: SystemExit",
            f"{broken}:2: SyntaxError: '(' was never closed",
            (
                f"{tmp_path}/gone.py: FileNotFoundError: [Errno 2] No such file or directory: "
                f"'{tmp_path}/gone.py'"
            ),
        ]
        assert (shell.user_ns["x"], shell.user_ns["z"]) == (1, 3)
        assert "y" not in shell.user_ns

    def test_it_may_prepare_what_modules_need_and_keeps_its_names(
        self, tmp_path: Path, shell: Any
    ) -> None:
        profile = write(tmp_path / "p.py", "import os\nos.environ['MODE'] = 'test'\nshop = 'mine'")
        write(tmp_path / "shop.py", "import os\nos.environ['MODE']")
        answer = run(shell, tmp_path, "shop", profile=[str(profile)])
        assert answer["imported"] == ["shop"]
        assert shell.user_ns["shop"] == "mine"


@pytest.mark.promise("SF-EVAL-08")
def test_a_bare_session_has_nothing_of_the_project(tmp_path: Path, shell: Any) -> None:
    write(tmp_path / "project" / "shop.py", "")
    root = tmp_path / "project"
    answer = run(shell, root, "shop", paths=[str(root / "src")], bare=True)
    assert (answer["imported"], answer["rounds"], answer["errors"]) == ([], 0, [])
    assert "shop" not in sys.modules
    assert "shop" not in shell.user_ns
    assert str(root) not in sys.path
    assert Path.cwd() == root


class TestReset:
    def test_names_and_the_projects_modules_are_forgotten(self, tmp_path: Path, shell: Any) -> None:
        write(tmp_path / "shop" / "__init__.py", "")
        write(tmp_path / "shop" / "cart.py", "")
        site = tmp_path / ".venv" / "lib" / "site-packages"
        write(site / "installed.py", "")
        run(shell, tmp_path, "shop.cart", "installed", paths=[str(site)])
        shell.run_cell("x = 1")
        assert reset(shell, {}) == {"left_threads": len(preparing._threads())}
        assert "x" not in shell.user_ns
        assert "shop" not in shell.user_ns
        assert not {"shop", "shop.cart"} & set(sys.modules)
        assert "installed" in sys.modules
        assert "__main__" in sys.modules
        shell.run_cell("y = 2")
        assert shell.user_ns["y"] == 2

    def test_afterwards_it_can_be_prepared_again(self, tmp_path: Path, shell: Any) -> None:
        file = write(tmp_path / "shop.py", "total = 1")
        run(shell, tmp_path, "shop")
        file.write_text("total = 22", "utf-8")
        reset(shell, {})
        assert run(shell, tmp_path, "shop")["imported"] == ["shop"]
        assert shell.user_ns["shop"].total == 22

    async def test_tasks_of_the_user_are_cancelled(self, shell: Any) -> None:
        namespace: dict[str, Any] = {"__name__": "__main__", "asyncio": asyncio}
        exec("async def wait(): await asyncio.Event().wait()", namespace)  # noqa: S102 - as a cell would
        theirs = asyncio.ensure_future(namespace["wait"]())
        await asyncio.sleep(0)
        reset(shell, {})
        with pytest.raises(asyncio.CancelledError):
            await theirs

    async def test_tasks_of_the_interpreter_are_not(self, shell: Any) -> None:
        namespace: dict[str, Any] = {"__name__": "ipykernel.kernelbase"}
        exec("async def wait(event): return await event.wait()", namespace)  # noqa: S102 - stands in for the kernel's own
        event = asyncio.Event()
        ours = asyncio.ensure_future(namespace["wait"](event))
        await asyncio.sleep(0)
        reset(shell, {})
        event.set()
        assert await ours is True

    def test_threads_of_the_user_are_counted(self, shell: Any) -> None:
        before = reset(shell, {})["left_threads"]
        end = threading.Event()
        thread = threading.Thread(target=end.wait)
        thread.start()
        try:
            assert reset(shell, {}) == {"left_threads": before + 1}
        finally:
            end.set()
            thread.join()

    def test_threads_of_the_interpreter_are_not(self, shell: Any) -> None:
        before = reset(shell, {})["left_threads"]
        end = threading.Event()

        def watch() -> None:
            end.wait()

        watch.__module__ = "ipykernel.iostream"
        thread = threading.Thread(target=watch)
        thread.start()
        try:
            assert reset(shell, {}) == {"left_threads": before}
        finally:
            end.set()
            thread.join()
