"""The daemon's log: one JSON object a line, in a file that never grows without end.

Each line has `time`, `level`, `logger` and `message`; where they are known also `request`,
`session` and `origin`, and of a request how it was answered. A defect has its `traceback`.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

from hearth.servers.http.telling import about

LARGEST: Final = 8 * 1024 * 1024
KEPT: Final = 3
"""Bytes of one file, and how many older ones are kept beside it."""
TOLD: Final = ("request", "session", "origin", "method", "path", "status", "ms")
"""What a record may carry besides its message."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about(),
        }
        line |= {name: vars(record)[name] for name in TOLD if name in vars(record)}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        # In ASCII: neither a terminal nor what is no Unicode (a path may be so) is troubled by it.
        return json.dumps(line, default=str).replace("\x7f", "\\u007f")


class Kept(RotatingFileHandler):
    """The file of the log, readable by its owner alone."""

    def __init__(self, path: Path) -> None:
        self.shown: logging.Handler | None = None
        """Who shows the same to a person, if one is there."""
        super().__init__(path, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8")
        self.setFormatter(JsonLines())

    def _open(self) -> Any:
        stream = super()._open()
        Path(self.baseFilename).chmod(0o600)
        return stream

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """A line that cannot be written (the disk is full) is lost, and nothing else with it."""


def keep_log(path: Path, level: int = logging.INFO) -> Kept:
    """Have everything that this process logs written there, and shown to who watches. OSError."""
    kept = Kept(path)
    root = logging.getLogger()
    root.addHandler(kept)
    root.setLevel(level)
    if sys.stderr.isatty():
        shown = logging.StreamHandler(sys.stderr)
        shown.setFormatter(logging.Formatter("%(message)s"))
        root.addHandler(shown)
        kept.shown = shown
    return kept


def let_go(kept: Kept) -> None:
    """Log no more."""
    root = logging.getLogger()
    if kept.shown is not None:
        root.removeHandler(kept.shown)
    root.removeHandler(kept)
    kept.close()
