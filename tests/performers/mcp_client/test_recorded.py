import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import is_running

from hearth.performers.mcp_client.recorded import FOLDER, Recorded, began

PAUSE = "import threading; threading.Event().wait(600)"


@pytest.fixture
def left() -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-c", PAUSE]
    process = subprocess.Popen(argv, start_new_session=True)  # noqa: S603 - our own Python
    yield process
    process.kill()
    process.wait(20)


@pytest.mark.promise("LK-POOL-11")
def test_what_outlived_its_daemon_is_ended_by_the_next(
    tmp_path: Path, left: subprocess.Popen[bytes]
) -> None:
    Recorded(tmp_path).note("fake", 2**22 + 1, left.pid)
    assert Recorded(tmp_path).sweep() == ("fake",)
    left.wait(20)
    assert not is_running(left.pid)
    assert list((tmp_path / FOLDER).iterdir()) == []
    assert Recorded(tmp_path).sweep() == ()


def test_a_guardian_that_is_left_is_ended_too(
    tmp_path: Path, left: subprocess.Popen[bytes]
) -> None:
    Recorded(tmp_path).note("fake", left.pid, 0)
    assert Recorded(tmp_path).sweep() == ("fake",)
    left.wait(20)


def test_what_has_ended_in_order_is_forgotten(tmp_path: Path) -> None:
    recorded = Recorded(tmp_path)
    recorded.note("fake", os.getpid(), os.getpid())
    recorded.forget(os.getpid())
    recorded.forget(os.getpid())
    assert recorded.sweep() == ()


@pytest.mark.parametrize(
    "changed", [{"server_began": 1}, {"boot": "another"}, {"server": 0, "server_began": 0}]
)
def test_nobody_else_is_ever_ended(
    tmp_path: Path, left: subprocess.Popen[bytes], changed: dict[str, object]
) -> None:
    Recorded(tmp_path).note("fake", 2**22 + 1, left.pid)
    (file,) = (tmp_path / FOLDER).iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    assert Recorded(tmp_path).sweep() == ()
    assert is_running(left.pid)


def test_a_broken_note_is_no_reason_to_end_anything(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "5.json").write_text("{")
    assert Recorded(tmp_path).sweep() == ()
    assert Recorded(tmp_path / "nowhere").sweep() == ()


def test_a_process_is_known_by_when_it_began(left: subprocess.Popen[bytes]) -> None:
    assert began(left.pid) > 0
    assert began(2**22 + 1) == 0
