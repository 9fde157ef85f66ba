"""`.hearth/` in the root of a project: what hearth keeps there."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

IGNORED: Final = """\
# What belongs to one person stays with that person; skills are for everyone.
/sessions/
/knowledge/
"""


@dataclass(frozen=True)
class ProjectFolder:
    """The folder of one project. Asking for its paths makes nothing."""

    root: Path

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.root / ".hearth"

    @property
    def sessions(self) -> Path:
        """For sessions that were written out. Not for git."""
        return self.path / "sessions"

    @property
    def knowledge(self) -> Path:
        """For what agents learned here. Not for git."""
        return self.path / "knowledge"

    @property
    def skills(self) -> Path:
        """For skills, which everyone who works on the project shares."""
        return self.path / "skills"

    def make(self) -> None:
        """Make whatever of it is missing; what is there stays as it is. OSError."""
        for folder in (self.sessions, self.knowledge, self.skills):
            folder.mkdir(parents=True, exist_ok=True)
        with (
            contextlib.suppress(FileExistsError),
            (self.path / ".gitignore").open("x", encoding="utf-8") as file,
        ):
            file.write(IGNORED)
