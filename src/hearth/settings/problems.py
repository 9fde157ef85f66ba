"""What is wrong with settings: told with the file, the line, the key and what would be right.

    SettingsError          a file that cannot be used, where it must be used: sessions do not begin
    Problem                the same as data, where hearth goes on without: a warning

Neither ever holds a value of the file: it could be a secret.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class SettingsError(Exception):
    """A settings file that cannot be used. It is never skipped in silence."""

    file: Path
    what: str
    """What is wrong."""
    right: str = ""
    """What would be right."""
    key: str = ""
    """The path to the key, like `session.isRoot`; "" if it is the file as a whole."""
    line: int | None = None

    def __str__(self) -> str:
        return str(self.problem())

    def problem(self) -> "Problem":
        """The same as data."""
        return Problem(str(self.file), self.what, self.right, self.key, self.line)


@dataclass(frozen=True)
class Problem:
    """Something in the settings that does not hold although somebody wrote it."""

    source: str
    """A file, or `$NAME` for a variable of the environment."""
    what: str
    right: str = ""
    key: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}" if self.line else self.source
        key = f"{self.key}: " if self.key else ""
        return f"{where}: {key}{self.what}" + (f"; right would be {self.right}" * bool(self.right))
