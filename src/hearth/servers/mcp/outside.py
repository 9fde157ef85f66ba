"""What tools need of the world around sessions; whoever serves the door gives it.

Where there is none (no daemon around, nothing on the disk), a tool says that it is not available.
"""

from typing import Protocol

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.wire import Part


class ArchiveTrouble(Exception):
    """Why a session could not be exported or imported; `kind` is the type of the error."""

    def __init__(self, kind: str, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.hint = hint


class ExportMade(Part, frozen=True):
    """An export that is on the disk."""

    file: str
    """Its name among the exports, to import it by."""
    path: str
    events: int
    size: int
    digest: str


class Archives(Protocol):
    """Sessions as files, all in one folder of hearth's own."""

    async def export(self, session: SessionId) -> ExportMade:
        """Write a session as it stands into a new file there. ArchiveTrouble."""

    async def content(self, file: str, most: int) -> str | None:
        """What an export says, if it is not longer than so many bytes. ArchiveTrouble."""

    async def take(self, file: str, session: SessionId) -> int:
        """A file there as a new session; how many events it has. ArchiveTrouble."""

    async def take_content(self, content: str, session: SessionId) -> int:
        """The same with what an export says. ArchiveTrouble."""


class FoundProjects(Part, frozen=True):
    """The projects that belong to a folder."""

    root: str
    source: str
    """How the root was found."""
    projects: tuple[str, ...]
    notices: tuple[str, ...] = ()


class Projects(Protocol):
    """Who knows where projects are."""

    async def found(self, directory: str) -> FoundProjects:
        """Those of the root that this directory belongs to."""
