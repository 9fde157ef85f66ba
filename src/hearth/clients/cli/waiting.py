"""Waiting for whatever comes next: for all that follows a session from the command line."""

from __future__ import annotations

import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from hearth.clients.cli.following import Following
    from hearth.clients.cli.pressing import Presses


def wait(
    following: Following, presses: Presses, keyboard: int | None, seconds: float, *, writes: bool
) -> bool:
    """Until something comes: from the daemon, from Ctrl-C, or from the keyboard (then True).

    BrokenPipeError if we write to somebody who has gone: who has nothing more to write, because
    all that is kept was shown, would never find out otherwise.
    """
    sources = [following.fileno(), presses.fileno()]
    if keyboard is not None:
        sources.append(keyboard)
    readable, _, _ = select.select(sources, [], [], max(0.0, seconds))
    if presses.fileno() in readable:
        presses.heard()
        return False
    if not readable and writes and nobody_reads():
        raise BrokenPipeError
    return keyboard is not None and keyboard in readable


def nobody_reads() -> bool:
    """Whether whoever read our output has gone."""
    try:
        waiting = select.poll()
        waiting.register(sys.stdout.fileno(), 0)
        return any(found & select.POLLERR for _, found in waiting.poll(0))
    except (OSError, ValueError):  # it is no file: somebody keeps it in memory
        return False
