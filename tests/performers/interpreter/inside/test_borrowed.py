"""ipykernel where the project has none."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.driving import LAUNCH, runtime_folder, worker

SITE = sysconfig.get_path("purelib")


def _bare_python(folder: Path) -> str:
    """An environment of this very Python with nothing in it."""
    subprocess.run(  # noqa: S603 - our own Python
        [sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120
    )
    return str(folder / "bin" / "python")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _bare_python(tmp_path_factory.mktemp("bare") / "venv")


def _environment(**more: str) -> dict[str, str]:
    kept = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/")}
    return {**kept, **more}


def test_a_project_without_ipykernel_borrows_it(bare: str) -> None:
    with (
        runtime_folder() as runtime,
        worker(runtime, python=bare, environment=_environment(HEARTH_BORROW=SITE)) as one,
    ):
        one.ready()
        assert one.run("import sys; sys.prefix").value == repr(str(Path(bare).parents[1]))
        assert SITE not in one.run("print(sys.path)").text()
        assert one.run("import hypothesis").content["ename"] == "ModuleNotFoundError"
        assert one.run("import hearth").content["ename"] == "ModuleNotFoundError"
        assert one.run("import os; 'HEARTH_BORROW' in os.environ").value == "False"
        assert one.run("import journal").content["ename"] == "ModuleNotFoundError"


@pytest.mark.parametrize(
    ("lent", "why"),
    [
        ("", "nothing was offered to borrow"),
        ("/lib/python3.1/site-packages", "hearth's own is for Python 3.1"),
        ("/no/such/folder", "/no/such/folder holds none that this Python can load"),
    ],
)
def test_where_nothing_can_be_borrowed_one_line_says_what_helps(
    bare: str, lent: str, why: str
) -> None:
    with (
        runtime_folder() as runtime,
        worker(runtime, python=bare, environment=_environment(HEARTH_BORROW=lent)) as one,
    ):
        ended = one.ended()
        assert ended["code"] == 78
        assert why in ended["message"]
        assert "a session needs ipykernel 7 or newer" in ended["message"]
        assert f"hint: {bare} -m pip install" in ended["message"]


def test_what_is_too_old_is_passed_over(bare: str, tmp_path: Path) -> None:
    (tmp_path / "ipykernel").mkdir()
    (tmp_path / "ipykernel" / "__init__.py").write_text("raise RuntimeError('too old')")
    (tmp_path / "ipykernel" / "_version.py").write_text('__version__ = "6.29.5"')
    (tmp_path / "ipykernel-6.29.5.dist-info").mkdir()
    metadata = "Metadata-Version: 2.1\nName: ipykernel\nVersion: 6.29.5\n"
    (tmp_path / "ipykernel-6.29.5.dist-info" / "METADATA").write_text(metadata)
    surroundings = _environment(HEARTH_BORROW=SITE, PYTHONPATH=str(tmp_path))
    with (
        runtime_folder() as runtime,
        worker(runtime, python=bare, environment=surroundings) as one,
    ):
        assert one.ready().run("1").value == "1"


def test_a_template_borrows_too(bare: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own program
        [bare, str(LAUNCH), "template"],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert b"a session needs ipykernel" in done.stderr
    assert b"Traceback" not in done.stderr
