"""The daemon from its first breath to its last: opens everything in order, and closes it so."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import stat
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, NamedTuple

from hearth.app import Living, living
from hearth.credentials.tokens import Tokens
from hearth.daemon.home import TRUST, socket_path
from hearth.daemon.versions import VERSION
from hearth.engine.clock import Clock, SystemClock
from hearth.engine.engine import USUAL_SESSION_LIMIT
from hearth.servers.http.around import Around
from hearth.servers.http.door import HttpDoor
from hearth.servers.http.sockets import Bound, bind
from hearth.servers.http.streams.attendance import Attendance
from hearth.serving.archiving import SessionArchives
from hearth.serving.configuring import ShownSettings
from hearth.serving.idling import Idling
from hearth.serving.notifying import Notifying
from hearth.serving.options import Options
from hearth.serving.overseeing import Parts, ShownAgents
from hearth.serving.preferring import preferences, preferred
from hearth.serving.project_folders import ProjectFolders
from hearth.serving.reloading import Reloading
from hearth.serving.resumed import Resumed
from hearth.serving.searching import ShownSearch
from hearth.serving.showing_projects import ShownProjects
from hearth.serving.stopping import Stopping
from hearth.serving.this_daemon import ThisDaemon
from hearth.serving.trusting import ShownTrust
from hearth.settings.agents import agents_settings
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import global_file
from hearth.settings.mcp import mcp_settings
from hearth.settings.permissions import permissions_of
from hearth.settings.schema import Settings
from hearth.settings.trust import TrustBook

HOST: Final = "127.0.0.1"
FIRST_PORT: Final = 37749
LAST_PORT: Final = 37759
ENDING: Final = 20.0
"""Seconds that interpreters have to end."""

AT_LEISURE: Final = 2.0

_said = logging.getLogger(__name__)


class Wanted(NamedTuple):
    """How this daemon is to be: what was said at its start counts before what is set."""

    port: int | None
    watch: bool
    idle_timeout: float | None


def wanted(options: Options, settings: Settings) -> Wanted:
    """What counts."""
    said = settings.daemon
    watch = options.watch if options.watch is not None else said.watch
    return Wanted(
        port=options.port or said.port,
        watch=watch is not False,
        idle_timeout=options.idle_timeout or said.idle_timeout,
    )


async def serve(home: str, options: Options) -> None:
    """Be the daemon of this home until somebody ends it. The lock of the home must be held.

    Whatever cannot be opened raises, after all that was opened is closed again: LogError,
    RuntimeUnusable, TokensUnusable, PortInUse, SocketInUse, OSError.
    """
    me = asyncio.current_task()
    stopping = Stopping(me)
    stopping.on_signals(asyncio.get_running_loop())
    try:
        await _serve(home, options, stopping)
    except asyncio.CancelledError:
        if me is None or not stopping.asked:
            raise
        me.uncancel()
        _said.info("the daemon was stopped while it started")


async def _serve(home: str, options: Options, stopping: Stopping) -> None:
    notifying, clock = Notifying(), SystemClock()
    book = TrustBook(Path(home, TRUST))
    keeper = await asyncio.to_thread(
        SettingsKeeper, global_file(os.environ), os.environ, trusted=book.is_trusted
    )
    snapshot = await asyncio.to_thread(keeper.current)
    for problem in snapshot.warnings:
        _said.warning("settings: %s", problem)
    settings = snapshot.settings
    how = wanted(options, settings)
    tokens = Tokens(home)
    await asyncio.to_thread(tokens.open)
    permissions = permissions_of(keeper)
    async with AsyncExitStack() as stack:
        # Before everything that takes long: who cannot listen is told at once.
        bound = await asyncio.to_thread(_bound, home, how.port)
        stack.callback(_unbound, home, bound)
        living_ = await stack.enter_async_context(
            living(
                Path(home),
                settings.daemon.database,
                preferences=preferences(settings.interpreter),
                watch=how.watch,
                trusts=book.is_trusted,
                prefers=preferred(keeper),
                most_sessions=settings.sessions.most or USUAL_SESSION_LIMIT,
                agents=agents_settings(keeper),
                permissions=permissions,
                mcp=mcp_settings(keeper),
            )
        )
        stack.push_async_callback(_end_sessions, living_, stopping)
        resumed = Resumed(living_.engine)
        stack.push_async_callback(resumed.close)
        await resumed.open()
        folders = ProjectFolders(living_.engine, book.is_trusted)
        stack.push_async_callback(folders.close)
        folders.open()
        attendance = Attendance()

        def apply(now: Settings) -> None:
            living_.engine.most_sessions = now.sessions.most or USUAL_SESSION_LIMIT

        reloading = Reloading(keeper, living_.engine, clock, apply)
        stack.push_async_callback(reloading.close)
        reloading.open()
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reloading.reload)
        equipment = living_.equipment
        overseen = ShownAgents(
            Parts(
                permissions=permissions,
                grants=equipment.grants,
                sandbox=equipment.sandbox,
                servers=equipment.servers,
                mcp=equipment.mcp,
                place_of=equipment.place_of,
            )
        )
        daemon = ThisDaemon(home, bound, living_.store, stopping, lambda: resumed.count)
        door = HttpDoor(
            Around(
                hearth=living_.engine,
                fetch=living_.engine.fetch,
                rows=living_.engine.rows,
                tokens=tokens,
                daemon=daemon,
                config=ShownSettings(keeper),
                trust=ShownTrust(book),
                agents=overseen,
                attendance=attendance,
                archives=SessionArchives(Path(home), living_.engine.log),
                projects=ShownProjects(),
                search=ShownSearch(living_.engine.log),
            )
        )
        stack.push_async_callback(door.close)
        await door.open(bound.sockets)
        if how.idle_timeout is not None:
            idling = Idling(living_.engine, attendance.counts, how.idle_timeout, clock)
            stack.push_async_callback(idling.close)
            idling.open(lambda: stopping.ask("nobody was there", end_sessions=True))
        # Last of all: whoever finds the file can talk to us.
        daemon.announce(tokens.person)
        stack.callback(daemon.withdraw)
        stack.callback(notifying.stopping)
        stopping.serving()
        notifying.ready()
        _said.info("hearth %s listens on %s:%d and %s", VERSION, HOST, bound.port, bound.path)
        _settle_down()
        warming = asyncio.create_task(_warm(living_, overseen, clock))
        stack.callback(warming.cancel)
        await stopping.wait()


def _bound(home: str, port: int | None) -> Bound:
    """Listen. PortInUse, SocketInUse, OSError."""
    path = Path(socket_path(home))
    if path.parent != Path(home):
        _private(path.parent)
    return bind(HOST, port or FIRST_PORT, port or LAST_PORT, path)


def _unbound(home: str, bound: Bound) -> None:
    """Listen no more, and leave nothing of it."""
    bound.close()
    if bound.path is not None and bound.path.parent != Path(home):
        with contextlib.suppress(OSError):  # whatever else is in it is not ours
            bound.path.parent.rmdir()


def _private(folder: Path) -> None:
    """Make a folder in a place that others use too; one that somebody prepared is refused."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(1, "it belongs to somebody else", str(folder))
    folder.chmod(0o700)


async def _end_sessions(living_: Living, stopping: Stopping) -> None:
    """With the daemon if that is wanted; otherwise they wait for the next one."""
    if not stopping.end_sessions:
        return
    try:
        async with asyncio.timeout(ENDING):
            await living_.end_all()
    except TimeoutError:
        _said.warning("not every interpreter ended within %g s", ENDING)


async def _warm(living_: Living, overseen: ShownAgents, clock: Clock) -> None:
    """What the first request to a model would wait for, once whoever started us has a prompt.

    And the first who asks how agents are contained.
    """
    await clock.sleep(AT_LEISURE)
    await overseen.guarded()
    await living_.models.warm()


def _settle_down() -> None:
    """What is there now stays: it is not looked at again whenever garbage is looked for."""
    gc.collect()
    gc.freeze()
