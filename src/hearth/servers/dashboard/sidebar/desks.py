"""How each person has the dashboard, kept by the daemon, so that another device shows the same.

Nothing here is worth losing a page for: what cannot be read gives the usual desk, and what cannot
be written is kept in memory.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec.structs import asdict, replace

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar.desk_file import FILE, kept, set_aside, write_whole

MOST_PEOPLE: Final = 64
MOST_ORDERED: Final = 500
MOST_ARCHIVED: Final = 2000
MOST_SEEN: Final = 1000
FEW: Final = 20
"""So many earlier sessions are listed, until somebody wants more."""
MOST_EARLIER: Final = 200
AT_LEISURE: Final = 5.0
"""Seconds after which it is written what somebody has seen."""

Theme: TypeAlias = Literal["system", "light", "dark"]
Id: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
PanelName: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z-]*$|^$", max_length=40)]
PanelWidth: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2000)]
Order: TypeAlias = Annotated[tuple[Id, ...], msgspec.Meta(max_length=MOST_ORDERED)]
Filter: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
HowMany: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MOST_EARLIER)]

_said = logging.getLogger(__name__)


class Desk(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one person has it. What a newer hearth added is read over."""

    theme: Theme = "system"
    order: Order = ()
    """Sessions as the person arranged them; all others stand above these."""
    archived: Annotated[tuple[Id, ...], msgspec.Meta(max_length=MOST_ARCHIVED)] = ()
    """The latest last."""
    collapsed: bool = False
    """Whether the sidebar is put away, where there is room for it."""
    panel: PanelName = ""
    """The panel that is open; empty: none."""
    panel_width: PanelWidth = 0
    """In pixels; 0: the usual one."""
    thinking: bool = False
    """Whether what models think is shown at once."""
    active: Annotated[str, msgspec.Meta(max_length=200)] = ""
    """The session that was looked at last."""
    seen: Annotated[dict[Id, float], msgspec.Meta(max_length=MOST_SEEN)] = {}
    """When each session was last looked at, in seconds since 1970."""
    filter: Filter = ""
    earlier: HowMany = FEW
    """So many sessions of earlier are listed."""


_USUAL: Final = Desk()
_DESKS: Final = msgspec.json.Decoder(dict[str, Desk])


class Desks:
    """The desks of all people. Made once, and closed in the end."""

    def __init__(self, home: str | Path, *, leisure: float = AT_LEISURE) -> None:
        self._path = Path(home) / FILE
        self._leisure = leisure
        self._desks = _read(self._path)
        self._watchers: set[Callable[[str], None]] = set()
        self._dirty = False
        self._writing: asyncio.Task[None] | None = None
        self._due: asyncio.TimerHandle | None = None
        self._told = False

    def of(self, person: str) -> Desk:
        """The desk of a person, by name; the usual one if they never changed anything."""
        return self._desks.get(person, _USUAL)

    async def change(self, person: str, **changes: Any) -> Desk:
        """Change some fields of a desk; it is on the disk when this returns, if it can be.

        msgspec.ValidationError if it cannot be so; then nothing has changed.
        """
        if unknown := changes.keys() - set(Desk.__struct_fields__):
            raise msgspec.ValidationError(f"a desk has no {', '.join(sorted(unknown))}")
        before = self.of(person)
        raw = msgspec.to_builtins({**asdict(before), **changes})
        desk = msgspec.convert(raw, Desk)
        if desk == before:
            return before
        self._put(person, desk)
        for watcher in tuple(self._watchers):
            watcher(person)
        await self._written()
        return desk

    def note_seen(self, person: str, session: SessionId, at: float) -> None:
        """A person has seen what happened in a session up to now. Nobody is told of it."""
        desk = self.of(person)
        if desk.seen.get(session, 0.0) >= at:
            return
        newest = sorted({**desk.seen, session: at}.items(), key=_by_time)[-MOST_SEEN:]
        self._note(person, replace(desk, seen=dict(newest)))

    def note_active(self, person: str, session: SessionId) -> None:
        """A person turned to a session. Nobody is told of it."""
        desk = self.of(person)
        if desk.active != session:
            self._note(person, replace(desk, active=session))

    def _note(self, person: str, desk: Desk) -> None:
        """Change something that nobody waits for; it is written at leisure."""
        self._put(person, desk)
        self._dirty = True
        if self._due is None and self._writing is None:
            self._due = asyncio.get_running_loop().call_later(self._leisure, self._begin)

    def watch(self, watcher: Callable[[str], None]) -> Callable[[], None]:
        """Call this with the name of whoever changed a desk, until what this gives is called."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._dirty or self._writing is not None:
            await self._written()

    # -- the file -----------------------------------------------------------------------------

    def _put(self, person: str, desk: Desk) -> None:
        # The one that was changed last stands last, so that the first one is the oldest.
        self._desks.pop(person, None)
        self._desks[person] = desk
        while len(self._desks) > MOST_PEOPLE:
            del self._desks[next(iter(self._desks))]

    async def _written(self) -> None:
        """Wait until the disk has what is in memory now."""
        self._dirty = True
        await asyncio.shield(self._begin())

    def _begin(self) -> "asyncio.Task[None]":
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        return self._writing

    async def _write(self) -> None:
        """Write until nothing is new; what changes meanwhile is written together."""
        try:
            while self._dirty:
                self._dirty = False
                content = msgspec.json.format(msgspec.json.encode(self._desks), indent=1)
                try:
                    await asyncio.to_thread(write_whole, self._path, content)
                    self._told = False
                except OSError as error:
                    self._tell(error)
        finally:
            self._writing = None

    def _tell(self, error: OSError) -> None:
        """Once: whoever arranges things does so many times."""
        if not self._told:
            self._told = True
            why = error.strerror or error
            _said.warning("how the dashboard is arranged is not kept: %s: %s", self._path, why)


def _read(path: Path) -> dict[str, Desk]:
    """The desks of a file; none if it cannot be used, which then lies beside under another name."""
    try:
        content = kept(path)
        return {} if content is None else _DESKS.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        aside: Mapping[bool, str] = {True: "it is left as it is", False: "it was set aside"}
        moved = set_aside(path)
        _said.warning("%s cannot be used: %s; %s", path, error, aside[moved is None])
        return {}


def _by_time(seen: tuple[str, float]) -> float:
    return seen[1]
