"""A program that does what a daemon does at its start, or one of the things that go wrong then.

It is run in place of hearth, with the same words. `PRETENDED` says how it behaves:
`serve` (until SIGTERM), `refuse`, `break`, `silent` (never announces itself), `stop` (ends at once,
on purpose), `crash` (ends at once), `misused`. It writes a line to `ran` in the home at each start.
"""

import os
import signal
import socket
import sys
import time
from pathlib import Path

from hearth.daemon.discovery import Found, announce, withdraw
from hearth.daemon.home import hearth_home, socket_path
from hearth.daemon.locking import take

CODES = {"refuse": 1, "break": 1, "stop": 0, "crash": 7, "misused": 2}


def main() -> int:
    home, how = hearth_home(), os.environ["PRETENDED"]
    with Path(home, "ran").open("a") as file:
        file.write(f"{os.getpid()} {' '.join(sys.argv[1:])}\n")
    if how == "refuse":
        sys.stderr.write("error: port 7 is taken\nhint: take another one\n")
    if how == "break":
        raise ZeroDivisionError("a defect")
    if how in CODES:
        return CODES[how]
    return serve(home, announced=how == "serve")


def serve(home: str, *, announced: bool) -> int:
    lock = take(str(Path(home, "daemon.lock")), 1)
    assert lock is not None, "there are two"
    path = socket_path(home)
    with socket.socket(socket.AF_UNIX) as listening:
        Path(path).unlink(missing_ok=True)
        listening.bind(path)
        listening.listen()
        stopped: list[int] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda got, _: stopped.append(got))
        signal.signal(signal.SIGHUP, lambda *_: Path(home, "reloaded").touch())
        mine = Found(
            pid=os.getpid(),
            port=1,
            socket=path,
            token="t",  # noqa: S106 - nobody's
            started_at="now",
            version="0.1.0",
        )
        if announced:
            announce(home, mine)
        until = time.monotonic() + 60
        while not stopped and time.monotonic() < until:
            signal.sigtimedwait([], 0.02)
    Path(home, "heard").write_text(signal.Signals(stopped[0]).name if stopped else "")
    withdraw(home, os.getpid())
    return 0


if __name__ == "__main__":
    sys.exit(main())
