"""What the doors know of the process around them."""

import json
import os
from pathlib import Path

from hearth.daemon.versions import VERSION
from hearth.servers.http.sockets import Bound
from hearth.serving.stopping import Stopping
from hearth.serving.this_daemon import ThisDaemon

BOUND = Bound((), 4000, Path("/s"))


async def test_a_daemon_tells_who_it_is_and_is_found_when_it_says_so(tmp_path: Path) -> None:
    stopping = Stopping(None)
    daemon = ThisDaemon(str(tmp_path), BOUND, "SQLite at x", stopping, lambda: 3)
    info = daemon.info()
    assert (info.pid, info.port, info.socket) == (os.getpid(), 4000, "/s")
    assert (info.version, info.home, info.resumed) == (VERSION, str(tmp_path), 3)
    assert info.store == "SQLite at x"
    daemon.rotated("early")
    assert not (tmp_path / "daemon.json").exists()
    daemon.announce("first")
    said = json.loads((tmp_path / "daemon.json").read_bytes())
    assert said["token"] == "first"  # noqa: S105 - nobody's
    assert said["startedAt"].endswith("Z")
    assert info.started_at.isoformat(timespec="milliseconds").startswith(said["startedAt"][:-1])
    daemon.rotated("second")
    again = json.loads((tmp_path / "daemon.json").read_bytes())
    assert again == {**said, "token": "second"}
    daemon.withdraw()
    assert not (tmp_path / "daemon.json").exists()
    daemon.rotated("late")
    assert not (tmp_path / "daemon.json").exists()


async def test_whoever_stops_it_says_what_becomes_of_the_sessions(tmp_path: Path) -> None:
    stopping = Stopping(None)
    daemon = ThisDaemon(str(tmp_path), BOUND, "", stopping, lambda: 0)
    daemon.stop(end_sessions=False)
    assert stopping.asked
    assert not stopping.end_sessions
    daemon.stop(end_sessions=True)
    assert stopping.end_sessions
