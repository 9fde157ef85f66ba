"""Interpreters in a sandbox do all that others do, and nothing to the rest of the machine."""

import ast
import ctypes
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.contracts import performer as contract
from tests.contracts.performer import Play, Troupe

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.containing import contained, wrapping
from hearth.performers.interpreter.inside.keyring import KEYCTL
from hearth.performers.interpreter.launcher import LAUNCHER
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime, runtime_folder
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.walls import Ground, Walls
from hearth.performers.sandbox import bubblewrap
from hearth.performers.sandbox.bubblewrap import Sandbox
from hearth.performers.sandbox.places import hearth_places


class ContainedTroupe:
    """Performers that follow each other in one home, whose interpreters are all contained."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._script = home / "script.py"
        self._script.write_text(contract.SCRIPT)

    def performer(self) -> LiveInterpreter:
        return LiveInterpreter(
            self.home,
            Preferences(orphan_after=60.0, spares=0),
            walls=lambda _: Walls(contained=True),
        )

    def script(self) -> Path:
        return self._script


@pytest.fixture
async def troupe(tmp_path: Path) -> AsyncIterator[Troupe]:
    made = ContainedTroupe(tmp_path)
    yield made
    last = LiveInterpreter(tmp_path)
    await last.end_all()
    await last.close()


class TestItIsAnInterpreter(contract.InterpreterContract):
    """It passes what every interpreter must."""

    # What is asked of it there does not reach its process, and is asked in test_live.
    test_it_never_raises_whatever_it_is_asked = None  # type: ignore[assignment]  # left out


class TestItOutlivesItsDaemon(contract.OutlivingContract):
    """Its processes live on."""


@dataclass(frozen=True)
class Place:
    """A person's home with a project, outside of /tmp, which is another one in the sandbox."""

    home: Path
    own: Path
    root: Path

    def performer(self, walls: Walls) -> LiveInterpreter:
        environ = {"HOME": str(self.home)}
        return LiveInterpreter(
            self.own,
            Preferences(spares=0),
            walls=lambda _: walls,
            sandbox=Sandbox(hearth_places(str(self.own), environ), environ),
        )


@pytest.fixture
def place() -> Iterator[Place]:
    made = Path(tempfile.mkdtemp(prefix=".hearth-test-", dir=Path.home())).resolve()
    try:
        for name in (".ssh", ".hearth", "project"):
            (made / name).mkdir()
        (made / ".ssh/key").write_text("private", encoding="utf-8")
        (made / ".hearth/tokens.json").write_text("token", encoding="utf-8")
        (made / ".hearth/init.py").write_text("from_start = 7\n", encoding="utf-8")
        yield Place(made, made / ".hearth", made / "project")
    finally:
        shutil.rmtree(made)


@asynccontextmanager
async def _playing(place: Place, walls: Walls) -> AsyncIterator[Play]:
    live = place.performer(walls)
    play = Play(live)
    try:
        await play.begin(fx.StartWorker(1, SessionConfig(directory=str(place.root))))
        await play.stage.heard(r.WorkerReady)
        yield play
    finally:
        await live.end_all()
        await play.leave()


async def _value(play: Play, code: str, nth: int = 1) -> Any:
    await play.run(code)
    ended = await play.stage.heard(r.CellEnded, nth)
    assert isinstance(ended.ending, r.Succeeded), ended
    return ast.literal_eval(str(ended.ending.value))


LOOKS = """
import os, pathlib, socket, subprocess, urllib.parse
def tried(what):
    try:
        return str(what())
    except Exception as error:
        return type(error).__name__
def connected():
    socket.create_connection(("127.0.0.1", PORT), 5).close()
    return "connected"
home, worker = pathlib.Path("HOME"), pathlib.Path("WORKER")
{
    "key": tried((home / ".ssh/key").read_text),
    "token": tried((home / ".hearth/tokens.json").read_text),
    "outside": tried(lambda: (home / "canary").write_text("x")),
    "inside": tried(lambda: pathlib.Path("file").write_text("x")),
    "daemon": tried(lambda: os.kill(DAEMON, 0)),
    "child": subprocess.run(["cat", str(home / ".ssh/key")], capture_output=True).stdout.decode(),
    "network": tried(connected),
    "forged": tried(lambda: (worker / "guardian.json").write_text("x")),
    "others": tried(lambda: sorted(os.listdir(worker))),
    "start": from_start,
    "secret": os.environ.get("MY_API_KEY", ""),
}
"""


async def _looked(place: Place, walls: Walls, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("MY_API_KEY", "a-secret-key")
    with socket.create_server(("127.0.0.1", 0)) as server:
        async with _playing(place, walls) as play:
            (folder,) = Runtime(runtime_folder(place.own)).workers()
            code = LOOKS.replace("HOME", str(place.home)).replace("WORKER", str(folder.path))
            code = code.replace("PORT", str(server.getsockname()[1]))
            found = await _value(play, code.replace("DAEMON", str(os.getpid())))
            assert isinstance(found, dict)
            assert (folder.path / "guardian.json").read_bytes().startswith(b"{")
            return found


async def test_it_writes_to_its_project_and_sees_no_keys(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await _looked(place, Walls(contained=True), monkeypatch) == {
        "key": "FileNotFoundError",
        "token": "FileNotFoundError",
        "outside": "OSError",
        "inside": "1",
        "daemon": "ProcessLookupError",
        "child": "",
        "network": "ConnectionRefusedError",
        "forged": "1",  # in a folder of its own, that nobody else sees
        "others": "['guardian.json', 'in']",
        "start": 7,
        "secret": "",
    }
    assert (place.root / "file").exists()
    assert not (place.home / "canary").exists()


async def test_it_has_what_the_person_wants_it_to_have(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    walls = Walls(
        contained=True,
        network=True,
        readable=(str(place.home / ".ssh/key"), str(place.own)),
        keep=("MY_*",),
    )
    found = await _looked(place, walls, monkeypatch)
    names = ("key", "network", "secret", "token")
    assert [found[one] for one in names] == [
        "private",
        "connected",
        "a-secret-key",
        "FileNotFoundError",
    ]


@pytest.mark.skipif(os.uname().machine not in KEYCTL, reason="another machine")
async def test_it_has_no_keys_of_the_persons_session(place: Place) -> None:
    number = KEYCTL[os.uname().machine]
    own = ctypes.CDLL(None).syscall(number, 0, -3, 0)
    asked = f"import ctypes; ctypes.CDLL(None).syscall({number}, 0, -3, 0)"
    async with _playing(place, Walls(contained=True)) as play:
        theirs = await _value(play, asked)
    if own == -1:
        pytest.skip("there are no keyrings here")
    assert theirs != own


async def test_how_it_ended_is_told_although_its_sandbox_ended(place: Place) -> None:
    async with _playing(place, Walls(contained=True)) as play:
        await play.run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
        lost = await play.stage.heard(r.WorkerLost)
        assert lost.exit is r.Exit.CRASH
        assert "SIGSEGV" in str(lost.message)


async def test_a_link_in_the_place_of_what_it_left_behind_is_not_followed(place: Place) -> None:
    """What it had printed and not sent is read by the daemon, who sees more than it does."""
    async with _playing(place, Walls(contained=True)) as play:
        (folder,) = Runtime(runtime_folder(place.own)).workers()
        name = folder.inside / "unsent-stdout"
        await play.run(
            f"import os; os.remove({str(name)!r}); os.symlink({str(place.home / '.ssh/key')!r}, "
            f"{str(name)!r}); os.rename({str(folder.journal)!r}, {str(folder.journal) + 'x'!r})"
        )
        ended = await play.stage.heard(r.CellEnded)
        assert isinstance(ended.ending, r.Raised)
        assert "busy" in str(ended.ending.failure).lower()
        assert name.is_symlink()
        assert folder.unsent("stdout") == ("", "")


async def test_other_walls_are_another_interpreter(place: Place) -> None:
    wanted = [Walls()]
    live = place.performer(Walls())
    live._warming._planning._walls = lambda _: wanted[0]
    play = Play(live)
    config = SessionConfig(directory=str(place.root))
    try:
        await play.begin(fx.StartWorker(1, config))
        await play.stage.heard(r.WorkerReady)
        wanted[0] = Walls(contained=True)
        await play.begin(fx.ResetWorker(2, config))
        await play.stage.heard(r.WorkerReady, 2)
        await play.begin(
            fx.ExecuteInWorker(2, CellId("c1"), f"open({str(place.home)!r} + '/x', 'w')")
        )
        ended = await play.stage.heard(r.CellEnded)
        assert isinstance(ended.ending, r.Raised)
        assert not (place.home / "x").exists()
    finally:
        await live.end_all()
        await play.leave()


async def test_where_nothing_can_be_contained_none_is_started(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter(()))
    launching = Launching(runtime, Preferences(spares=0))
    ground = Ground(walls=Walls(contained=True))
    try:
        with pytest.raises(CannotStart, match=r"sandbox\.interpreter.*there is no bubblewrap"):
            await launching.take(sys.executable, None, ground)
        with pytest.raises(CannotStart, match="not for bash"):
            await launching.foreign("bash", "/", None, ground)
    finally:
        await launching.close()
    assert list(runtime.workers()) == []


def test_the_command_line_runs_the_launcher_with_its_part_of_the_folder(runtime: Runtime) -> None:
    folder = runtime.new()
    folder.contain()
    folder.write_connection()
    command = contained(folder, "/usr/bin/python3", Ground(), Sandbox(()))
    assert command[-4:-1] == [str(LAUNCHER), "kernel", str(folder.path / "in")]
    assert folder.connection()["ip"] == str(folder.path / "in/s")
    assert (folder.inside / "connection.json").exists()


async def test_where_nothing_can_be_contained_no_program_of_the_project_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap, "programs", lambda: iter(()))
    assert wrapping(Sandbox(()))(["/evil/python"], "/evil") == ("/bin/false",)
    monkeypatch.undo()
    wrapped = wrapping(Sandbox(()))(["/evil/python"], "/usr")
    assert wrapped[-1] == "/evil/python"
    assert len(wrapped) > 10
