"""The sockets the daemon listens on: one on loopback, one in the file system."""

import errno
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BACKLOG: Final = 512


class PortInUse(OSError):
    """No port could be had; `port` is the only one, or the first, that was tried."""

    def __init__(self, port: int, last: int) -> None:
        tried = f"port {port} is" if last <= port else f"the ports {port} to {last} are all"
        super().__init__(errno.EADDRINUSE, f"{tried} in use on 127.0.0.1")
        self.port = port


class SocketInUse(OSError):
    """Somebody answers on the unix socket: another daemon lives."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EADDRINUSE, f"another process listens on {path}")
        self.path = path


@dataclass(frozen=True, slots=True)
class Bound:
    """Sockets that listen, to be given to `HttpDoor.open`, which closes them in the end."""

    sockets: tuple[socket.socket, ...]
    port: int
    path: Path | None = None

    def close(self) -> None:
        """Listen no longer, and leave no file behind. Safe to call twice."""
        for one in self.sockets:
            one.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def bind(host: str, first_port: int, last_port: int, unix_path: str | Path | None) -> Bound:
    """Listen on the first free port of these (0: on any), and on the unix socket.

    PortInUse if none is free, SocketInUse if a process answers on the unix socket, OSError if it
    cannot be made. A socket file that nobody listens on is replaced.
    """
    tcp = _tcp(host, first_port, last_port)
    port: int = tcp.getsockname()[1]
    if unix_path is None:
        return Bound((tcp,), port)
    try:
        path = Path(unix_path)
        return Bound((tcp, _unix(path)), port, path)
    except BaseException:
        tcp.close()
        raise


def _tcp(host: str, first: int, last: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, max(first, last) + 1):
        one = socket.socket(family, socket.SOCK_STREAM)
        try:
            # What was closed a moment ago is free; what somebody listens on is not.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Connections inherit it: an answer never waits for the client's acknowledgement.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.bind((host, port))
            one.listen(BACKLOG)
        except OSError as error:
            one.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
        else:
            one.settimeout(0)
            return one
    raise PortInUse(first, last)


def _unix(path: Path) -> socket.socket:
    if path.is_socket():
        if _is_answered(path):
            raise SocketInUse(path)
        path.unlink(missing_ok=True)
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Linux gives the file the mode of the socket: it is its owner's from its first moment on.
        os.fchmod(one.fileno(), 0o600)
        one.bind(str(path))
        path.chmod(0o600)
        one.listen(BACKLOG)
    except BaseException:
        one.close()
        raise
    one.settimeout(0)
    return one


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionError, FileNotFoundError):
            return False
        except OSError:
            return True  # A full queue, or not ours to open: somebody is there.
    return True
