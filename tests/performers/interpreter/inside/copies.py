"""Copies and branches of real kernels in tests, asked for as the daemon does."""

import contextlib
import itertools
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.performers.interpreter.inside.driving import Worker, new_folder, until

from hearth.performers.interpreter.inside import journal, waking

_requests = itertools.count(1)


def copies(one: Worker) -> dict[str, int]:
    """The frozen copies that are recorded, and their processes."""
    written = (one.folder / "copies").glob("[!.]*.json")
    found = (json.loads(path.read_text()) for path in written)
    return {content["name"]: content["pid"] for content in found}


def obstacles(one: Worker) -> list[str]:
    """What is in the way of a copy, also of one that is made now."""
    told: list[str] = one.ask("obstacles", channel="control")["obstacles"]
    return told


def is_free(one: Worker) -> None:
    """Nothing is in the way any more: what has ended for Python may take a while to be gone."""
    until(lambda: obstacles(one) == [], "nothing is in the way")


def ask_to_wake(one: Worker, copy: str, request: str = "", number: int = 0) -> str:
    """Write the request and tell the guardian; answers which it was."""
    request = request or f"r{next(_requests)}"
    content = {"copy": copy, "request": request, "number": number}
    waking.write(one.folder / waking.FILE, content)
    os.kill(one.guardian, waking.ASKED)
    return request


def wake(one: Worker, copy: str, *, number: int = 0) -> str:
    """Have a copy take the kernel's place; answers what the problem was, "" if none was."""
    request = ask_to_wake(one, copy, number=number)
    until(lambda: one.state.get("woken") == request, "the request was carried out")
    return str(one.state.get("wake_problem", ""))


def undo(one: Worker, copy: str) -> None:
    """Wake a copy, and wait until it answers and is heard."""
    before = one.kernel
    number = one.ask("journal_position", channel="control")["number"]
    problem = wake(one, copy, number=number)
    assert problem == ""
    assert one.kernel != before
    one.ready()
    until(lambda: _came_back(one), "the client has come back to every socket")
    one.ask("ping", channel="control")  # by the end of it, they have greeted each other


def _came_back(one: Worker) -> bool:
    """Each of its sockets does so by itself; what is asked by one that has not is not heard."""
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    connected = {row[7] for row in rows if len(row) > 7 and row[5] == "03"}
    return {f"{one.folder}/s-{port}" for port in (1, 2, 3, 4)} <= connected


def drop(one: Worker, name: str) -> None:
    """Be rid of a copy, as the daemon is."""
    os.kill(copies(one)[name], signal.SIGKILL)
    (one.folder / "copies" / f"{name}.json").unlink()


@contextlib.contextmanager
def branch(one: Worker, runtime: Path, **settings: Any) -> Iterator[Worker]:
    """A live branch; it is ended when the test is over."""
    folder = new_folder(runtime, **settings)
    made = one.ask("branch", channel="control", folder=str(folder))
    assert made["obstacles"] == []
    assert made["branched"]
    other = Worker(folder, made["guardian"])
    try:
        other.ready()
        assert other.state["guardian"]["pid"] == made["guardian"]
        assert other.kernel == made["kernel"]
        yield other
    finally:
        other.close()


def journaled(one: Worker) -> list[dict[str, Any]]:
    """What is printed in its journal, in order."""
    found = []
    for _, channel, frames in journal.read_after(one.folder / "journal", 0):
        if channel == journal.IOPUB:
            at = frames.index(b"<IDS|MSG>")
            header, content = json.loads(frames[at + 2]), json.loads(frames[at + 5])
            if header["msg_type"] == "stream":
                found.append(content)
    return found


def printed(one: Worker) -> str:
    """All of it as one text."""
    return "".join(content["text"] for content in journaled(one))
