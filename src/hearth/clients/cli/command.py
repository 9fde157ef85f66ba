"""One command line, from its words to an exit code."""

from __future__ import annotations

import os
import sys

from hearth.clients.cli.parsing import Asked, parse, wants_json
from hearth.clients.cli.showing import out, report
from hearth.clients.cli.troubles import OK, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # only for the checker: it takes time
    from types import ModuleType
    from typing import TextIO


def carry_out(argv: list[str]) -> int:
    """Do what is asked; the exit code. Interruptions and broken pipes are the caller's."""
    # A caller may have closed them; nothing that is written then matters, but it must go somewhere.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        # What code prints may be no valid text; an output that cannot show it shows a mark.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        ending = _do(parse(argv))
    except Trouble as trouble:
        report(trouble, as_json=wants_json(argv))
        ending = trouble.ending
    return ending


def _do(asked: Asked) -> int:
    if asked.has("help"):
        ending: int = _room("helping").explain(asked.verb)
        return ending
    if asked.has("version"):
        from hearth.daemon.versions import VERSION  # noqa: PLC0415 - only here

        out(f"hearth {VERSION}")
        return OK
    if not asked.verb.room:
        name = asked.verb.name
        raise wrong_usage(
            f"`{name}` must be the first word", f"write: hearth {name} … and the flags behind"
        )
    ending = _room(asked.verb.room).carry_out(asked)
    sys.stdout.flush()
    return ending


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - until the very end


def _room(name: str) -> ModuleType:
    module: ModuleType = __import__(f"hearth.clients.cli.{name}", fromlist=["carry_out"])
    return module
