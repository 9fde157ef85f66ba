"""`hearth` alone, `hearth connect`, `hearth -d`: a daemon if there is none, and a prompt in it."""

from __future__ import annotations

import sys

from hearth.clients.cli import choosing, reaching, trusting
from hearth.clients.cli.noting import Note
from hearth.clients.cli.showing import emit, is_terminal, out, tell
from hearth.clients.cli.troubles import OK, Trouble, wrong_usage
from hearth.clients.cli.wire import Wire
from hearth.daemon.home import hearth_home
from hearth.daemon.persons import author

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked
    from hearth.daemon.discovery import Found

SOON: Final = 0.3
"""Seconds that starting may take without a word."""
LARGEST_PORT: Final = 65535
STARTING: Final = ("no-watch", "idle-timeout", "port")
"""Flags that only a daemon that is being started can follow."""


def carry_out(asked: Asked) -> int:
    """Begin; the exit code."""
    choosing.check(asked)
    has_terminal = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    is_prompt = asked.verb.name == "connect" or (has_terminal and not asked.has("json"))
    if asked.has("daemon") or asked.has("supervised") or not is_prompt:
        return _in_background(asked)
    directory = choosing.directory_of(asked)
    found, _ = ensured(asked)
    if has_terminal and not any(asked.has(one) for one in ("session", "bare", "trust")):
        _trust(found, directory)
    # The prompt is built on libraries that nothing else here needs.
    from hearth.clients.repl import main  # noqa: PLC0415 - as the comment says

    return main(
        found,
        session=asked.text("session"),
        directory=directory,
        bare=asked.has("bare"),
        trust=asked.has("trust"),
        plain=asked.has("plain") or not has_terminal,
    )


def ensured(asked: Asked) -> tuple[Found, bool]:
    """The daemon, and whether it was started for this. Trouble if it cannot be."""
    found = reaching.find()
    if found is None:
        return started(asked), True
    late = [f"--{one}" for one in ("supervised", *STARTING) if asked.has(one)]
    if late:
        tell(f"note: the daemon runs already, and {' '.join(late)} came too late for it")
    return found, False


def started(asked: Asked) -> Found:
    """A daemon that is started as it was asked for, once it answers. Trouble."""
    port = asked.number("port")
    if port is not None and not 0 < port <= LARGEST_PORT:
        raise wrong_usage(f"there is no port {port}", f"choose one of 1 to {LARGEST_PORT}")
    idle_timeout = asked.seconds("idle-timeout")
    # Only here: whoever finds a daemon that runs pays for none of this.
    from threading import Timer  # noqa: PLC0415 - as the comment says

    from hearth.daemon import starting  # noqa: PLC0415 - as the comment says

    note = Note()
    soon = Timer(SOON, note.say, ["starting the daemon"])
    soon.start()
    try:
        found = starting.start(
            hearth_home(),
            supervised=asked.has("supervised"),
            watch=not asked.has("no-watch"),
            idle_timeout=idle_timeout,
            port=port,
        )
    except starting.NotStarted as trouble:
        raise Trouble(trouble.what, hint=trouble.hint, code="not_started") from None
    finally:
        soon.cancel()
        soon.join()
        note.clear()
    reaching.compare(found)
    return found


def _in_background(asked: Asked) -> int:
    found, is_new = ensured(asked)
    if asked.has("json"):
        emit(
            {
                "started": is_new,
                "daemon": {
                    "pid": found.pid,
                    "port": found.port,
                    "socket": found.socket,
                    "startedAt": found.started_at,
                    "version": found.version,
                },
            }
        )
        return OK
    how = "is running" if is_new else "was running already"
    out(f"the daemon {how} (pid {found.pid}, http://127.0.0.1:{found.port})")
    tell(
        "`hearth run '1 + 1'` runs code, `hearth` in a terminal opens a prompt; `hearth stop` ends"
    )
    return OK


def _trust(found: Found, directory: str) -> None:
    """Ask whether the project's own configuration may take effect, if it brings any."""
    with Wire(found, author()) as wire:
        shown = trusting.look(wire, directory)
        if shown.get("trusted") or not shown.get("files"):
            return
        trusting.describe(shown)
        if trusting.asks():
            trusting.grant(wire, shown)
        else:
            tell("not trusted: its configuration is left out; `hearth trust` asks again")
