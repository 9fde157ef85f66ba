"""The words behind `hearth --server`."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

USAGE: Final = "hearth --server [--port PORT] [--no-watch] [--idle-timeout SECONDS]"
HIGHEST_PORT: Final = 65535


class Misused(Exception):
    """Words that mean nothing. `what` says which, `hint` what would be right."""

    def __init__(self, what: str, hint: str = USAGE) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was said on the command line; None is: nothing was said, the settings count."""

    port: int | None = None
    watch: bool | None = None
    idle_timeout: float | None = None


def parse(words: Sequence[str]) -> Options:
    """The options of a daemon. Misused."""
    port: int | None = None
    watch: bool | None = None
    idle_timeout: float | None = None
    rest = _split(words)
    for word in rest:
        match word:
            case "--port":
                port = _port(next(rest, None))
            case "--no-watch":
                watch = False
            case "--idle-timeout":
                idle_timeout = _seconds(next(rest, None))
            case _:
                raise Misused(f"hearth --server does not know {word!r}")
    return Options(port=port, watch=watch, idle_timeout=idle_timeout)


def _split(words: Sequence[str]) -> Iterator[str]:
    """`--port=7` is read as `--port 7`."""
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.startswith("--"):
            yield name
            yield value
        else:
            yield word


def _port(text: str | None) -> int:
    if text is not None and text.isascii() and text.isdecimal() and 0 < int(text) <= HIGHEST_PORT:
        return int(text)
    raise Misused(f"--port needs a number from 1 to {HIGHEST_PORT}, not {text or 'nothing'}")


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text or "")
    except ValueError:
        seconds = 0.0
    if seconds > 0 and math.isfinite(seconds):
        return seconds
    raise Misused(f"--idle-timeout needs a number of seconds above 0, not {text or 'nothing'}")
