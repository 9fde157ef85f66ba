"""`hearth --server`: what a daemon's process does before and after it runs."""

import logging
import os
import sys
from pathlib import Path
from typing import Final

from hearth.app import run
from hearth.credentials.token_file import TokensUnusable
from hearth.daemon.discovery import find
from hearth.daemon.home import (
    DAEMON_LOCK,
    DAEMON_LOG,
    HomeUnusable,
    ensure_home,
    hearth_home,
    unusable,
)
from hearth.daemon.locking import take
from hearth.daemon.starting import ERROR, HINT
from hearth.log.event_log import LogError
from hearth.performers.interpreter.runtime import RuntimeUnusable
from hearth.servers.http.sockets import PortInUse, SocketInUse
from hearth.serving.logs import keep_log, let_go
from hearth.serving.options import Misused, Options, parse
from hearth.serving.running import serve

WRONG_USAGE: Final = 2
FAILED: Final = 1
A_MOMENT: Final = 0.5
SUCCESSION: Final = 25.0
"""Seconds that one daemon waits for another that is ending."""

_said = logging.getLogger(__name__)


class CannotServe(Exception):
    """There will be no daemon. `what` says why, `hint` what would help."""

    def __init__(self, what: str, hint: str, code: int = FAILED) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.code = code


def main(argv: list[str]) -> int:
    """Be a daemon with these options until it is ended; the exit code.

    0: it was ended on purpose. 2: no new start would help. Anything else: one may.
    """
    home = hearth_home()
    try:
        options = parse(argv)
        lock = _locked(home)
        try:
            _logged(home, options)
        finally:
            os.close(lock)
    except Misused as misused:
        return _refused(misused.what, misused.hint, WRONG_USAGE)
    except CannotServe as trouble:
        return _refused(trouble.what, trouble.hint, trouble.code)
    return 0


def _locked(home: str) -> int:
    """Become the one daemon of this home. CannotServe."""
    path = str(Path(home, DAEMON_LOCK))
    try:
        ensure_home(home)
        lock = take(path, A_MOMENT)
        if lock is None and (found := find(home)) is not None:
            raise CannotServe(
                f"a daemon of {home} runs already, as process {found.pid}",
                "`hearth status` tells about it, `hearth stop` ends it",
                WRONG_USAGE,
            )
        # Whoever has the lock is either not announced yet, or no longer: that does not last.
        lock = lock if lock is not None else take(path, SUCCESSION)
    except HomeUnusable as trouble:
        raise CannotServe(trouble.what, trouble.hint) from trouble
    except OSError as error:
        raise _no_home(home, error) from error
    if lock is None:
        raise CannotServe(
            f"another daemon of {home} is starting or ending, and does not come to its end",
            f"{Path(home, DAEMON_LOG)} tells what it does",
        )
    return lock


def _logged(home: str, options: Options) -> None:
    try:
        kept = keep_log(Path(home, DAEMON_LOG))
    except OSError as error:
        raise _no_home(home, error) from error
    try:
        _served(home, options)
    except CannotServe as trouble:
        _said.error("%s; hint: %s", trouble.what, trouble.hint)
        raise
    except Exception:
        _said.exception("the daemon ends by a defect")
        raise
    finally:
        _said.info("the daemon has ended")
        let_go(kept)


def _served(home: str, options: Options) -> None:
    """Run it; what it cannot open is told with what would help. CannotServe."""
    try:
        run(serve(home, options))
    except PortInUse as taken:
        hint = "end whoever listens there, or set another: --port, or daemon.port in hearth.jsonc"
        raise CannotServe(str(taken.strerror), hint) from taken
    except SocketInUse as taken:
        hint = "end it, or set HEARTH_HOME to another home"
        raise CannotServe(str(taken.strerror), hint) from taken
    except TokensUnusable as trouble:
        raise CannotServe(trouble.what, trouble.hint) from trouble
    except LogError as trouble:
        hint = (
            "`hearth doctor` looks at the store, `hearth config explain daemon.database` at which"
        )
        raise CannotServe(str(trouble), hint) from trouble
    except RuntimeUnusable as trouble:
        what, _, hint = str(trouble).partition("; hint: ")
        raise CannotServe(what, hint or "`hearth doctor` looks at it") from trouble
    except OSError as error:
        raise _no_home(home, error) from error


def _no_home(home: str, error: OSError) -> CannotServe:
    trouble = unusable(home, error)
    return CannotServe(trouble.what, trouble.hint)


def _refused(what: str, hint: str, code: int) -> int:
    sys.stderr.write(f"{ERROR}{what}\n{HINT}{hint}\n")
    return code
