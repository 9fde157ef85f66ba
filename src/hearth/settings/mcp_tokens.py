"""What logins at MCP servers gave: kept in hearth's home, by address, for its owner's eyes alone.

May wait for the disk, and may be asked from any thread and process. What is kept is whatever the
protocol's library wants to have kept; nothing of it is shown anywhere.
"""

import logging
import os
import stat
import threading
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from hearth.settings.atomic import write_whole
from hearth.settings.changing import alone_with
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.reading import read_bytes

FILE: Final = "mcp-tokens.json"
_said = logging.getLogger(__name__)


class Login(msgspec.Struct, frozen=True):
    """What is kept of one server. Nothing of it is ever in its `repr`."""

    tokens: dict[str, Any] | None = None
    stored_at: float = 0.0
    """When the tokens came, in seconds of the clock: they say only how long they hold."""
    client: dict[str, Any] | None = None
    """As what hearth is registered there."""
    metadata: dict[str, Any] | None = None
    """What the server that gives tokens says of itself: where they are refreshed."""

    def __repr__(self) -> str:
        """Without secrets."""
        return "Login(…)"


class McpTokens:
    """The file of logins. One that is broken, or that others can write to, holds none."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        self._lock = threading.Lock()
        self._problem: Problem | None = None

    def login(self, url: str) -> Login:
        """What is kept of the server at this address; an empty one if nothing is."""
        with self._lock:
            return self._read().get(url, Login())

    def problem(self) -> Problem | None:
        """Why nothing is kept although there is a file."""
        with self._lock:
            self._read()
            return self._problem

    def keep_tokens(self, url: str, tokens: dict[str, Any]) -> None:
        """Tokens came. OSError."""
        self._change(url, tokens=tokens, stored_at=time.time())

    def keep_client(self, url: str, client: dict[str, Any]) -> None:
        """There hearth was registered. OSError."""
        self._change(url, client=client)

    def keep_metadata(self, url: str, metadata: dict[str, Any]) -> None:
        """It is known where tokens are refreshed. OSError."""
        self._change(url, metadata=metadata)

    def forget(self, url: str) -> bool:
        """Log out; False if nobody was logged in. OSError."""
        with alone_with(self._file, self._lock):
            logins = dict(self._read())
            if logins.pop(url, None) is None:
                return False
            self._write(logins)
            return True

    def _change(self, url: str, **new: Any) -> None:
        with alone_with(self._file, self._lock):
            logins = dict(self._read())
            logins[url] = msgspec.structs.replace(logins.get(url, Login()), **new)
            self._write(logins)

    def _read(self) -> dict[str, Login]:
        was, self._problem = self._problem, None
        try:
            return self._parsed()
        except FileNotFoundError:
            return {}
        except SettingsError as error:
            self._problem = error.problem()
        except OSError as error:
            said = f"cannot be read: {error.strerror}"
            self._problem = self._unusable(said, "a file you may read").problem()
        if self._problem != was:
            _said.warning("%s", self._problem)
        return {}

    def _parsed(self) -> dict[str, Login]:
        now = self._file.stat()
        if now.st_uid != os.geteuid() or now.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise self._unusable("others could read it", "a file that is yours alone: 0600")
        try:
            return msgspec.json.decode(read_bytes(self._file) or b"", type=dict[str, Login])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self._unusable("is broken", "to log in again") from None

    def _unusable(self, what: str, right: str) -> SettingsError:
        return SettingsError(self._file, f"{what}; nobody is logged in at an MCP server", right)

    def _write(self, logins: dict[str, Login]) -> None:
        if self._problem is not None:
            self._file.unlink(missing_ok=True)  # of broken secrets nothing is kept
        write_whole(self._file, msgspec.json.encode(logins), 0o600)
