"""The parent of one command, or of one server: it leaves nothing behind of it, wherever that went.

Run by path, `python -I -S guardian.py <patience> <spared> <input> <directory> <program> ...`, with
a socket as descriptor 0 and what the command writes to as 1 and 2. `input` is the descriptor that
it reads from; 0: from nothing. Anything that comes through the socket,
and its end, which is also the daemon's, means: end the command. The last line that goes back is

    exited <code> <left>     signalled <number> <left>     failed <why>

where `left` counts the processes that the command left running, which are ended too. It is a
process of its own because orphans must become somebody's children to be found; and it imports next
to nothing, because every command waits for it to begin.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time

ASKING = (signal.SIGTERM,)
SUBREAPER = 36
DEATH_SIGNAL = 1
PATIENCE_FOR_STRAYS = 0.3
GIVE_UP = 10.0
AT_ONCE = 500
MOST_DESCRIPTORS = 1 << 20
FIRST_TO_GO = b"500"
COULD_NOT_START = 126
KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
"""The number of the call, by the machine; the C library has no name for it."""
NEW_KEYRING = 1


class Guardian:
    """One command and all that descends from it."""

    def __init__(self, patience: float, spared: int, given: int = 0) -> None:
        self._patience = patience
        self._given = given
        # A sandbox ends all that is in it at once when its first process ends: that one is not
        # asked to, so that what is inside has its time to end.
        self._spared = spared
        self._command = 0
        self._status: int | None = None
        self._line = os.dup(0)  # dup closes it in whoever is executed
        self._wake = os.pipe()
        self._asked = False

    def run(self, directory: str, argv: list[str]) -> None:
        """Run a command to its end, or until it must end; say how it ended."""
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        self._listen()
        guardian = os.getpid()
        # Who is asked to end between fork and exec would take our handler for its own.
        signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
        self._command = os.fork()
        if self._command == 0:
            self._become(guardian, directory, argv)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC), stream)
        if self._given:
            os.close(self._given)
        while self._reap() and self._status is None and not self._asked:
            self._rest(None)
        left = 0
        if self._status is None:
            self._end(self._patience, self._spared)
        elif living := self._living():
            left = 0 if self._spared else len(living)
            self._end(PATIENCE_FOR_STRAYS, 0)
        self._tell(left)

    def _listen(self) -> None:
        for end in self._wake:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._on_asked)
        for ignored in (signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)

    def _on_asked(self, *_: object) -> None:
        self._asked = True

    def _become(self, guardian: int, directory: str, argv: list[str]) -> None:
        """Be the command, which never comes back from here."""
        try:
            os.setsid()
            ctypes.CDLL(None).prctl(DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
            if os.getppid() != guardian:
                os._exit(COULD_NOT_START)
            signal.set_wakeup_fd(-1)
            for usual in (
                signal.SIGCHLD,
                signal.SIGTERM,
                signal.SIGINT,
                signal.SIGHUP,
                signal.SIGPIPE,
                signal.SIGXFSZ,
            ):
                signal.signal(usual, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _go_first_when_memory_is_short()
            if self._spared:
                _leave_keys_behind()
            os.dup2(self._given or os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), 0)
            if self._given:
                os.close(self._given)
            os.chdir(directory)
            os.execv(argv[0], argv)  # noqa: S606 - running a program is what this is for
        except OSError as refused:
            what = refused.filename or argv[0]
            os.write(self._line, f"failed {what}: {refused.strerror}\n".encode("utf-8", "replace"))
        finally:
            os._exit(COULD_NOT_START)

    def _rest(self, seconds: float | None) -> None:
        """Wait until something ended, or somebody wants the end, or time is over."""
        waiting = select.poll()
        waiting.register(self._wake[0], select.POLLIN)
        if not self._asked:
            waiting.register(self._line, select.POLLIN | select.POLLHUP)
        for fd, _ in waiting.poll(None if seconds is None else max(0.0, seconds) * 1000):
            if fd == self._line:
                _read_once(fd)  # what nobody read would break the line before the last word is out
                self._asked = True
            else:
                _empty(fd)

    def _reap(self) -> bool:
        """Take all that ended; whether anything is left to wait for."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self._command:
                    self._status = status
        except ChildProcessError:
            return False

    def _living(self) -> list[int]:
        return [pid for pid in descendants(os.getpid(), AT_ONCE) if not _has_ended(pid)]

    def _end(self, patience: float, spared: int) -> None:
        """Ask all that descends from here to end; kill what is left after a while."""
        for pid in self._living():
            if not (spared and pid == self._command):
                _signal(pid, signal.SIGTERM)
        until = time.monotonic() + patience
        while self._reap() and (wait := until - time.monotonic()) > 0:
            if spared and self._status is None and len(self._living()) <= 1 + spared:
                break  # the sandbox is empty
            self._rest(min(wait, 0.05) if spared else wait)
        until = time.monotonic() + GIVE_UP
        while self._reap() and time.monotonic() < until:
            left = self._living()
            # By groups, because the system kills a group at once: whoever forks cannot outrun it.
            for group in {_group_of(pid) for pid in left} - {os.getpgrp()}:
                _signal(-group, signal.SIGKILL)
            for pid in left:
                _signal(pid, signal.SIGKILL)
            self._rest(0.002)

    def _tell(self, left: int) -> None:
        if self._status is None:
            said = f"signalled {int(signal.SIGKILL)} {left}"
        elif os.WIFSIGNALED(self._status):
            said = f"signalled {os.WTERMSIG(self._status)} {left}"
        else:
            said = f"exited {os.WEXITSTATUS(self._status)} {left}"
        try:
            os.write(self._line, f"{said}\n".encode())
        except OSError:
            # Nobody listens any more: the daemon is gone.
            return


def descendants(pid: int, most: int) -> list[int]:
    """What descends from a process, zombies among it; hardly more than `most`."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) <= most:
        for child in _children(waiting.pop()):
            if child not in found:
                found.append(child)
                waiting.append(child)
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib takes longer than the rest
    except OSError:
        return found  # it is gone
    for task in tasks:
        found.extend(map(int, _read(f"/proc/{pid}/task/{task}/children").split()))
    return found


def _has_ended(pid: int) -> bool:
    """Whether only its status is left of it."""
    content = _read(f"/proc/{pid}/stat")
    return content[content.rfind(b")") + 2 :][:1] in {b"", b"Z", b"X"}


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""  # it is gone
    try:
        return os.read(fd, 1 << 20)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _read_once(fd: int) -> None:
    try:
        os.read(fd, 512)
    except OSError:
        return  # the daemon ended in the middle of something


def _empty(fd: int) -> None:
    try:
        while os.read(fd, 512):
            pass
    except BlockingIOError:
        return


def _group_of(pid: int) -> int:
    """Its process group; ours if it is gone."""
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return os.getpgrp()


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        # It ended meanwhile, or became somebody else's, as what sudo starts does.
        return


def _go_first_when_memory_is_short() -> None:
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(fd, FIRST_TO_GO)
        os.close(fd)
    except OSError:
        return  # a machine without it chooses by size alone


def _leave_keys_behind() -> None:
    """Begin with an empty keyring: a sandbox takes that of the person's session along."""
    number = KEYCTL.get(os.uname().machine)
    if number is not None and sys.maxsize > 1 << 32:
        # Where the system has none, or forbids it, there are no keys to be read either.
        ctypes.CDLL(None).syscall(number, NEW_KEYRING, ctypes.c_void_p(None))


def main(arguments: list[str]) -> None:
    """Guard what the arguments say."""
    # An event loop may leave descriptors open in what it starts, the line to the daemon among them,
    # through which a command could say of itself what it likes.
    patience, spared, given, directory, *argv = arguments
    os.closerange(3, max(3, int(given)))
    os.closerange(max(3, int(given) + 1), MOST_DESCRIPTORS)
    Guardian(float(patience), int(spared), int(given)).run(directory, argv)


if __name__ == "__main__":
    main(sys.argv[1:])
