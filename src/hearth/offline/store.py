"""The log of this home, opened beside a daemon that may be using it."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from hearth.api import Viewed
from hearth.core.rules.naming import Called, meant
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.daemon.home import hearth_home
from hearth.engine.restoring import fold_name
from hearth.engine.viewing import Viewing
from hearth.log.event_log import EventLog
from hearth.log.opening import choose_log, owner_name, sqlite_path
from hearth.offline.answering import Trouble
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import global_file

OWNER_SUFFIX = "-offline"


class Store(NamedTuple):
    """Where the log of this home is."""

    home: Path
    url: str | None

    @property
    def file(self) -> Path | None:
        """The file of an SQLite log; None for another store. UnknownStore."""
        return sqlite_path(self.url, self.home)

    @property
    def is_there(self) -> bool:
        """Whether there can be anything in it. A server is asked, not looked at."""
        return self.file is None or self.file.exists()


def store_of(environ: Mapping[str, str] | None = None) -> Store:
    """The store that the settings and the environment name."""
    variables = os.environ if environ is None else environ
    settings = SettingsKeeper(global_file(variables), variables).current().settings
    return Store(Path(hearth_home(variables)), settings.daemon.database)


@asynccontextmanager
async def opened(store: Store) -> AsyncIterator[EventLog]:
    """The log, under a name of its own: what the daemon has claimed is not ours. LogError."""
    owner = f"{await owner_name(store.home)}{OWNER_SUFFIX}"
    log = choose_log(store.url, store.home, owner)
    try:
        await log.open()
        yield log
    finally:
        await log.close()


async def sessions_of(log: EventLog) -> tuple[SessionRow, ...]:
    """All sessions of a log, the most recently used first."""
    viewed = await Viewing(log, fold_name(), {}, {}).view("sessions", None)
    value = viewed.value if isinstance(viewed, Viewed) else None
    return value.rows if isinstance(value, Sessions) else ()


async def session_named(log: EventLog, said: str) -> SessionId:
    """The session of a log that is meant by `said`. Trouble."""
    return session_among(await sessions_of(log), said)


def session_among(rows: Iterable[SessionRow], said: str) -> SessionId:
    """The session that is meant by an id, a name, or the unique beginning of either. Trouble."""
    found = meant(said, (Called(row.session, row.name, row.stopped) for row in rows))
    if isinstance(found, Refused):
        hint = next((one for one in found.remedy if not one.isidentifier()), "")
        raise Trouble("unknown_session", found.why, hint or "`hearth sessions` lists them", 4)
    return found
