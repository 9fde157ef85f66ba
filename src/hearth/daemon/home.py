"""The folder in which everything of one hearth is kept, and the names in it."""

import errno
import os
from collections.abc import Mapping

DISCOVERY = "daemon.json"
DAEMON_LOCK = "daemon.lock"
"""Locked by the daemon as long as it lives, however it ends."""
START_LOCK = "start.lock"
"""Locked by whoever is starting a daemon."""
SUPERVISOR_LOCK = "supervisor.lock"
TOKENS = "tokens.json"
TRUST = "trust.json"
HISTORY = "history"
INIT_SCRIPT = "init.py"
SOCKET = "hearth.sock"
LOGS = "logs"
DAEMON_LOG = "logs/daemon.log"
SUPERVISOR_LOG = "logs/supervisor.log"
START_LOG = "logs/start.log"

LONGEST_SOCKET = 100
"""Bytes of a socket's path. Linux takes 107, others fewer."""


class HomeUnusable(Exception):
    """The home cannot be used. `what` is a sentence for people, `hint` what would help."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


def hearth_home(environ: Mapping[str, str] | None = None) -> str:
    """The absolute path of the home: `$HEARTH_HOME`, else `~/.hearth`. It need not exist."""
    named = (os.environ if environ is None else environ).get("HEARTH_HOME", "")
    return os.path.abspath(os.path.expanduser(named or "~/.hearth"))  # noqa: PTH100, PTH111 - pathlib costs more than all of this


def ensure_home(home: str) -> None:
    """Make the home and its folder of logs, for its owner alone. HomeUnusable."""
    try:
        os.makedirs(os.path.join(home, LOGS), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH118 - as above
        # What makedirs makes above the last folder follows the umask.
        if os.stat(home).st_mode & 0o077:  # noqa: PTH116 - as above
            os.chmod(home, 0o700)  # noqa: PTH101 - as above
    except OSError as error:
        raise unusable(home, error) from error


def unusable(home: str, error: OSError) -> HomeUnusable:
    """What to tell a person whose home gave this error."""
    what = f"hearth's home {home} cannot be used: {error.strerror or error}"
    if isinstance(error, FileExistsError | NotADirectoryError):
        return HomeUnusable(what, "a file is in its place; move it, or set HEARTH_HOME")
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return HomeUnusable(what, "make room on that disk, or set HEARTH_HOME to another one")
    return HomeUnusable(what, "make it yours to write (chmod u+rwx), or set HEARTH_HOME")


def socket_path(home: str, environ: Mapping[str, str] | None = None) -> str:
    """Where the daemon of this home has its unix socket; its folder may have to be made.

    In the home, unless the path would be too long for a socket: then in a folder of its own under
    the runtime folder or the folder for temporary files.
    """
    path = os.path.join(home, SOCKET)  # noqa: PTH118 - as above
    if len(os.fsencode(path)) <= LONGEST_SOCKET:
        return path
    # Only here, where it is needed: a hash costs an import.
    from hashlib import sha256  # noqa: PLC0415 - as the comment says

    variables = os.environ if environ is None else environ
    named = f"hearth-{os.getuid()}-{sha256(os.fsencode(home)).hexdigest()[:12]}.d"
    for base in (variables.get("XDG_RUNTIME_DIR", ""), variables.get("TMPDIR", "")):
        path = f"{base}/{named}/{SOCKET}"
        if base.startswith("/") and len(os.fsencode(path)) <= LONGEST_SOCKET:
            return path
    return f"/tmp/{named}/{SOCKET}"  # noqa: S108 - made 0700, and its owner is checked
