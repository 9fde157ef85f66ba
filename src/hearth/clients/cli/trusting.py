"""`hearth trust`: a person lets a project's own configuration take effect."""

from __future__ import annotations

import os
import sys

from hearth.clients.cli import showing
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out, tell
from hearth.clients.cli.troubles import FAILED, OK, wrong_usage
from hearth.clients.cli.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.parsing import Asked


def carry_out(asked: Asked) -> int:
    """Show what is to be trusted, ask, and grant it; the exit code."""
    directory = os.path.abspath(asked.words[0] if asked.words else os.curdir)  # noqa: PTH100 - pathlib is slow
    if not os.path.isdir(directory):  # noqa: PTH112 - pathlib is slow
        raise wrong_usage(f"there is no directory {directory}", "name one that is there")
    with reach() as wire:
        return _trust(wire, asked, look(wire, directory))


def _trust(wire: Wire, asked: Asked, shown: dict[str, Any]) -> int:
    is_new = not shown.get("trusted") and bool(shown.get("digest"))
    if is_new and not asked.has("json"):
        describe(shown)
    if is_new and not (asked.has("yes") or asks()):
        if asked.has("json"):
            emit({**shown, "trusted": False})
        elif not showing.is_terminal(sys.stdin):
            tell("nothing was changed; `--yes` trusts it without asking")
        return FAILED
    if is_new:
        shown = grant(wire, shown)
    if asked.has("json"):
        emit(shown)
    elif is_new:
        out(f"{showing.folder(shown['root'])} is trusted, as it is now")
        tell("sessions that are open there take it up when they are reset or begun anew")
    elif shown.get("trusted"):
        out(f"{showing.folder(shown['root'])} is trusted already")
    else:
        out(f"{showing.folder(shown['root'])} cannot be looked at, and is not trusted")
        return FAILED
    return OK


def look(wire: Wire, directory: str) -> dict[str, Any]:
    """The project of a directory, the files that would take effect, and whether they may."""
    shown: dict[str, Any] = wire.get(f"/trust?directory={quoted(directory)}")
    return shown


def ensure(wire: Wire, directory: str) -> None:
    """Trust what the project of a directory brings, without asking. Trouble."""
    shown = look(wire, directory)
    if shown.get("files") and not shown.get("trusted"):
        grant(wire, shown)


def describe(shown: dict[str, Any]) -> None:
    """Tell what is to be trusted."""
    files = shown.get("files", ())
    folder = showing.folder(shown["root"])
    if files:
        tell(f"{folder} brings files of its own that take effect:")
        for file in files:
            tell(f"  {file.get('path', file) if isinstance(file, dict) else file}")
    else:
        tell(
            f"{folder} brings nothing that takes effect by itself; agents could note things there."
        )
    tell("It can change how sessions run there, and let code run. Trust it only if you know it.")


def asks() -> bool:
    """Whether a person says yes. Without one, nobody does."""
    if not showing.is_terminal(sys.stdin) or not showing.is_terminal(sys.stderr):
        return False
    sys.stderr.write("Trust it? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def grant(wire: Wire, shown: dict[str, Any]) -> dict[str, Any]:
    """Trust exactly what was shown. Trouble if it has changed since."""
    body = {"root": shown["root"], "digest": shown["digest"]}
    granted: dict[str, Any] = wire.ask(Request("POST", "/trust", body)).good()
    return granted
