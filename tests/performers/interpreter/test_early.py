"""A template that is begun before anything else is used, or leaves nothing behind."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.performers.interpreter.pretended_python import program

from hearth.performers.interpreter import early
from hearth.performers.interpreter.template import start_template


def children() -> list[int]:
    return [one.pid for one in psutil.Process().children()]


async def test_a_template_that_was_begun_is_the_one_that_is_used() -> None:
    before = children()
    early.begin(sys.executable)
    (begun,) = set(children()) - set(before)
    template = await start_template(sys.executable)
    try:
        assert template.is_alive
        assert set(children()) - set(before) == {begun}
        assert early.take(sys.executable) is None
    finally:
        await template.close()
    assert begun not in children()


async def test_one_that_comes_to_nothing_is_started_once_more(tmp_path: Path) -> None:
    # It ends the first time it is run, and is a real one the second time.
    mark = tmp_path / "was-here"
    real = f'exec {sys.executable} "$@"'
    python = program(tmp_path, f"if [ ! -e {mark} ]; then touch {mark}; exit 3; fi\n{real}")
    early.begin(python)
    template = await start_template(python)
    try:
        assert template.is_alive
        assert mark.exists()
    finally:
        await template.close()


def test_what_is_not_needed_is_ended_and_what_cannot_be_is_no_trouble() -> None:
    before = children()
    early.begin(sys.executable)
    assert len(children()) == len(before) + 1
    early.end()
    assert children() == before
    early.end()
    early.begin("/nowhere/python")
    assert early.take("/nowhere/python") is None


def test_it_is_cheap_to_import() -> None:
    code = "import sys, hearth.performers.interpreter.early; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"asyncio", "msgspec", "zmq", "uvloop", "starlette", "jupyter_client"}


@pytest.fixture(autouse=True)
def _nothing_left() -> None:
    assert early.take(sys.executable) is None
