"""What went wrong in somebody's file, and where: data, for what ran must not raise into us."""

import traceback
from collections.abc import Callable
from typing import NamedTuple


class Problem(NamedTuple):
    """An error that a file raised."""

    name: str
    message: str
    file: str = ""
    line: "int | None" = None

    def told(self) -> str:
        """`file:line: Name: message`, without what is not known."""
        where = "".join(f"{one}:" for one in (self.file, self.line) if one)
        return " ".join(filter(None, (where, ": ".join(filter(None, (self.name, self.message))))))


def problem_of(error: BaseException, is_own: Callable[[str], bool]) -> Problem:
    """What an error says, and the innermost line of an own file that it went through."""
    name = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return Problem(name, error.msg, error.filename, error.lineno)
    frames = traceback.extract_tb(error.__traceback__)
    own = next((one for one in reversed(frames) if is_own(one.filename)), None)
    return Problem(name, _message(error), own.filename if own else "", own.lineno if own else None)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - an exception's own __str__ may be what is broken
        return "(it cannot say what)"
