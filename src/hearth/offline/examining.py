"""What `hearth doctor` looks at, one function each. None of them changes anything that is used."""

import asyncio
import os
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from hearth.daemon.discovery import find
from hearth.daemon.home import DISCOVERY, TRUST, hearth_home, socket_path
from hearth.daemon.starting import answers
from hearth.daemon.versions import VERSION, sentence
from hearth.log.event_log import LogError
from hearth.offline.store import opened, store_of
from hearth.performers.interpreter.checking import tools
from hearth.performers.interpreter.project.environments import Environments
from hearth.performers.sandbox.bubblewrap import Sandbox
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import global_file
from hearth.settings.roots import find_root_anyway
from hearth.settings.trust import TrustBook

PORTS: Final = range(37749, 37760)
PATIENCE: Final = 15.0
LITTLE: Final = 1 << 30
TOO_LITTLE: Final = 100 << 20
"""Bytes of free space on the home's disk."""


class Finding(NamedTuple):
    """How one thing stands."""

    about: str
    state: Literal["ok", "warn", "bad"]
    what: str
    hint: str = ""


async def examined() -> list[Finding]:
    """Everything, in the order in which it matters."""
    looks: tuple[Callable[[], Awaitable[list[Finding]]], ...] = (
        _in_thread(_home),
        _in_thread(_disk),
        _in_thread(_settings),
        _in_thread(_daemon),
        _in_thread(_port),
        _in_thread(_socket),
        _store,
        _python,
        _in_thread(_tools),
        _in_thread(_sandbox),
    )
    return [one for look in looks for one in await look()]


def _in_thread(look: Callable[[], list[Finding]]) -> Callable[[], Awaitable[list[Finding]]]:
    async def looked() -> list[Finding]:
        return await asyncio.to_thread(look)

    return looked


def _home() -> list[Finding]:
    home = Path(hearth_home())
    if not home.exists():
        above = next(one for one in home.parents if one.exists())
        if not _refuses(above):
            return [Finding("home", "ok", f"{home} is made by the first start")]
        hint = "make it, or set HEARTH_HOME to a folder of yours"
        return [Finding("home", "bad", f"{home} cannot be made", hint)]
    if not home.is_dir():
        hint = "move the file, or set HEARTH_HOME"
        return [Finding("home", "bad", f"{home} is no folder", hint)]
    if why := _refuses(home):
        hint = f"chmod u+rwx {home}, make room, or set HEARTH_HOME"
        return [Finding("home", "bad", f"{home} cannot be written: {why}", hint)]
    if home.stat().st_mode & 0o077:
        what = f"others can look into {home}"
        return [Finding("home", "warn", what, f"chmod 700 {home}; the next start does it too")]
    return [Finding("home", "ok", f"{home} is yours alone")]


def _refuses(folder: Path) -> str:
    """Why nothing can be written there; empty if it can. By trying: bits do not tell all."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _disk() -> list[Finding]:
    home = Path(hearth_home())
    place = next(one for one in (home, *home.parents) if one.exists())
    free = shutil.disk_usage(place).free
    what = f"{free / (1 << 30):.1f} GiB are free on the disk of {home}"
    if free < TOO_LITTLE:
        hint = "make room: what cannot be kept is refused"
        return [Finding("disk", "bad", what, hint)]
    if free < LITTLE:
        return [Finding("disk", "warn", what, "make room, or `hearth log prune`")]
    return [Finding("disk", "ok", what)]


def _settings() -> list[Finding]:
    file = global_file(os.environ)
    snapshot = SettingsKeeper(file, os.environ).current(Path.cwd())
    if not snapshot.warnings:
        used = ", ".join(snapshot.sources) or "nothing is set"
        return [Finding("settings", "ok", used)]
    hint = "`hearth config` shows what counts"
    return [Finding("settings", "warn", str(one), hint) for one in snapshot.warnings]


def _daemon() -> list[Finding]:
    home = hearth_home()
    left = Path(home, DISCOVERY).exists()
    found = find(home)
    if found is None and left:
        return [Finding("daemon", "ok", "none runs; what a dead one had left was removed")]
    if found is None:
        return [Finding("daemon", "ok", "none runs; `hearth` starts one")]
    where = f"process {found.pid}, port {found.port}, {found.version}"
    if not answers(found):
        hint = f"kill {found.pid}, then start it again: sessions are kept"
        return [Finding("daemon", "bad", f"{where}: does not answer on {found.socket}", hint)]
    if differs := sentence(found.version):
        what, _, hint = differs.partition("; hint: ")
        return [Finding("daemon", "warn", what, hint)]
    return [Finding("daemon", "ok", where)]


def _port() -> list[Finding]:
    found = find(hearth_home())
    if found is not None:
        return [Finding("port", "ok", f"{found.port} is the daemon's")]
    settings = SettingsKeeper(global_file(os.environ), os.environ).current().settings
    wanted = [settings.daemon.port] if settings.daemon.port else list(PORTS)
    free = next((port for port in wanted if _is_free(port)), None)
    if free is not None:
        return [Finding("port", "ok", f"{free} is free")]
    tried = f"port {wanted[0]}" if len(wanted) == 1 else f"every port {wanted[0]} to {wanted[-1]}"
    hint = "end whoever listens there, or set daemon.port in hearth.jsonc"
    return [Finding("port", "bad", f"{tried} is taken", hint)]


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _socket() -> list[Finding]:
    home = hearth_home()
    path = Path(socket_path(home))
    if path.parent == Path(home):
        return [Finding("socket", "ok", str(path))]
    what = f"{path}: the path of the home is too long for a socket"
    if path.parent.exists() and path.parent.stat().st_uid != os.getuid():
        hint = f"remove {path.parent}, or use a shorter HEARTH_HOME"
        return [Finding("socket", "bad", f"{path.parent} belongs to somebody else", hint)]
    return [Finding("socket", "ok", what)]


async def _store() -> list[Finding]:
    store = store_of()
    try:
        if not store.is_there:
            return [Finding("store", "ok", f"{store.file} is made by the first start")]
        async with asyncio.timeout(PATIENCE), opened(store) as log:
            heads = await log.heads()
            events = await log.head()
            what = f"{log.name}: {len(heads)} streams, {events} events"
            warnings = [Finding("store", "warn", one) for one in log.warnings]
        if store.file is not None:
            warnings += await asyncio.to_thread(_looked_through, store.file)
        return [Finding("store", "ok", what), *warnings]
    except TimeoutError:
        hint = "is the database reachable? `hearth config explain daemon.database`"
        return [Finding("store", "bad", f"it did not answer within {PATIENCE:g} s", hint)]
    except (LogError, OSError) as error:
        hint = "`hearth config explain daemon.database` says where it is from"
        return [Finding("store", "bad", str(error), hint)]


def _looked_through(file: Path) -> list[Finding]:
    """What SQLite's own quick check finds; `hearth log check` looks at everything."""
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        said = [row[0] for row in connection.execute("PRAGMA quick_check(1)")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    finally:
        connection.close()
    if said == ["ok"]:
        return []
    hint = "`hearth log check` tells more; then restore a backup: `hearth log restore`"
    return [Finding("store", "bad", f"{file} is damaged: {said[0]}", hint)]


async def _python() -> list[Finding]:
    own = f"hearth {VERSION} on Python {'.'.join(map(str, sys.version_info[:3]))}"
    root, errors = await asyncio.to_thread(find_root_anyway, Path.cwd())
    book = TrustBook(Path(hearth_home(), TRUST))
    if not await asyncio.to_thread(book.is_trusted, root):
        # Its interpreter is a program of the project: to ask it what it is would run it.
        what = f"{root.path} is not trusted: nothing of it is run"
        hint = f"`hearth trust {root.path}` shows what would be, and asks"
        return [Finding("hearth", "ok", own), Finding("project", "ok", what, hint)]
    found = await Environments().find(root.path)
    of = "hearth's own" if found.source == "hearth" else f"the project's ({found.source})"
    lent = f"ipykernel {found.kernel}" if found.kernel else "hearth lends its ipykernel"
    what = f"sessions in {root.path} run in {of} Python {found.version}, {lent}"
    return [
        Finding("hearth", "ok", own),
        Finding("python", "ok", what),
        *(Finding("python", "warn", one) for one in found.problems),
        *(Finding("project", "bad", str(one), "sessions do not start here") for one in errors),
    ]


def _tools() -> list[Finding]:
    found = []
    for tool in ("ruff", "ty"):
        try:
            found.append(Finding(tool, "ok", tools.find(tool)))
        except tools.Unavailable as missing:
            what, _, hint = str(missing).partition("; ")
            found.append(Finding(tool, "warn", f"{what}: code is checked less", hint))
    return found


def _sandbox() -> list[Finding]:
    """By running something in it: whether the program is there tells little."""
    standing = Sandbox().probed()
    if not standing.is_on:
        what = f"what agents run is not contained: {standing.why}"
        return [Finding("sandbox", "warn", what, "docs/guides/sandbox.md says what it needs")]
    found = [Finding("sandbox", "ok", "what agents run is contained")]
    return found + [Finding("sandbox", "warn", one) for one in standing.why.split("; ") if one]
