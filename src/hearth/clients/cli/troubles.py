"""Why a command did not do what it was asked for, and the exit codes that say so."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Mapping
    from typing import Any, Final

OK: Final = 0
FAILED: Final = 1
"""The code failed, or what was asked for did not succeed."""
WRONG_USAGE: Final = 2
NO_DAEMON: Final = 3
REFUSED: Final = 4
UNREACHABLE: Final = 5
"""There is a daemon, but no sensible word with it."""
WAITING: Final = 6
"""An agent waits for a person's answer, and nobody is there to give it."""
INTERRUPTED: Final = 130

MEANINGS: Final = {
    OK: "it was done",
    FAILED: "the code failed, or what was asked for did not succeed",
    WRONG_USAGE: "wrong usage",
    NO_DAEMON: "no daemon is running",
    REFUSED: "the daemon refused it; it says why and what would help",
    UNREACHABLE: "the daemon cannot be reached or understood",
    WAITING: "the agent waits for a person's answer, and nobody was there to give it",
    INTERRUPTED: "interrupted with Ctrl-C",
}


class Trouble(Exception):
    """Ends a command: what is wrong, what would help, and `ending`, the exit code."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        code: str = "failed",
        ending: int = FAILED,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.ending = ending
        self.more = dict(more or {})
        """What else a program may want to know: state, available, remedy, …"""

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "error": {**self.more, "code": self.code, "message": self.message, "hint": self.hint}
        }


def wrong_usage(message: str, hint: str) -> Trouble:
    """The trouble of a command line that cannot be understood."""
    return Trouble(message, hint=hint, code="usage", ending=WRONG_USAGE)


def no_daemon(home: str) -> Trouble:
    """The trouble of asking a daemon that is not there."""
    return Trouble(
        "no daemon is running",
        hint="`hearth -d` starts one; `hearth` starts one and opens a prompt",
        code="no_daemon",
        ending=NO_DAEMON,
        more={"home": home},
    )


def unreachable(message: str, hint: str = "", code: str = "unreachable") -> Trouble:
    """The trouble of a daemon that is there but does not answer as it should."""
    return Trouble(
        message,
        hint=hint
        or "`hearth doctor` looks for the reason; logs/daemon.log in its home may say more",
        code=code,
        ending=UNREACHABLE,
    )
