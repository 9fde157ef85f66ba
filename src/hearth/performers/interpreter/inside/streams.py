"""stdout and stderr of a kernel: every text belongs to the cell that caused it, up to its limit.

The base class forgets which cell a thread belongs to as soon as the next cell begins, closes for
good when code closes it, and lets a cell print without bound.
"""

import contextlib
import os
import select
import sys
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from io import StringIO
from typing import Any, Final

from ipykernel.iostream import OutStream

from .leading import Place, lead, place
from .unsent import Unsent

MESSAGE_CHARACTERS: Final = 1 << 20
_BUFFERED_CHARACTERS: Final = 4 << 20
_REMEMBERED_CELLS: Final = 256
_LATE_LIMIT: Final = 1 << 20
"""What a thread may still print for a cell that was forgotten."""
_PIPE_BYTES: Final = 1 << 16


class Account:
    """What one cell has printed, on both streams together."""

    __slots__ = ("dropped", "left", "parent")

    def __init__(self, parent: dict[str, Any], limit: int | None) -> None:
        self.parent = parent
        self.left = limit
        self.dropped = 0

    def take(self, text: str) -> str:
        """As much of the text as the cell may still print; the rest is counted."""
        if self.left is None:
            return text
        size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        if size <= self.left:
            self.left -= size
            return text
        fitting = text.encode("utf-8", "replace")[: self.left].decode("utf-8", "ignore")
        self.left = 0
        self.dropped += size - len(fitting.encode("utf-8", "replace"))
        return fitting


class Accounts:
    """The accounts of the latest cells, by the id of the request."""

    def __init__(self) -> None:
        self._by_request: OrderedDict[str, Account] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, parent: dict[str, Any], limit: int | None) -> Account:
        """Begin the account of a cell."""
        with self._lock:
            account = Account(parent, limit)
            self._by_request[parent.get("msg_id", "")] = account
            while len(self._by_request) > _REMEMBERED_CELLS:
                self._by_request.popitem(last=False)
            return account

    def of(self, parent: dict[str, Any]) -> Account:
        """The account of whoever caused what is printed now."""
        request = parent.get("msg_id", "")
        account = self._by_request.get(request)
        return account if account is not None else self.open(parent, _LATE_LIMIT)


class CellStream(OutStream):
    """One of the two streams."""

    accounts: Accounts
    _buffers: dict[Account, StringIO]  # type: ignore[assignment]  # the base keys them by header

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._reading = threading.Lock()
        self._buffered = 0
        self.unsent: Unsent | None = None
        self._written_end: int | None = None
        self._pipe: Place | None = None
        """What both ends of the pipe lead to."""
        self._began_at: Place | None = None
        """What the process began to write to."""
        super().__init__(*args, **kwargs)

    @property
    def parent_header(self) -> dict[str, Any]:
        """The request that caused what is printed here and now."""
        try:
            return self._parent_header.get()
        except LookupError:
            # A thread: it belongs to the cell that started it.
            started_by = getattr(threading.current_thread(), CAUSE, None)
            return started_by if started_by is not None else self._parent_header_global

    @parent_header.setter
    def parent_header(self, value: dict[str, Any]) -> None:
        self._parent_header.set(value)
        self._parent_header_global = value

    def write(self, string: str) -> int:
        """Keep the text until it is sent, a fifth of a second later at most."""
        if not isinstance(string, str):
            raise TypeError(f"write() argument must be str, not {type(string)}")
        if self.pub_thread is None:
            raise ValueError("I/O operation on closed file")
        account = self.accounts.of(self.parent_header)
        with self._buffer_lock:
            text = account.take(string)
            if text:
                self._buffers[account].write(text)
                self._buffered += len(text)
                if self.unsent is not None and self._is_master_process():
                    self.unsent.add(account.parent.get("msg_id", ""), text)
        if not text:
            return len(string)
        if not self._is_master_process():
            self.pub_thread.schedule(self._flush)
        elif self._buffered > _BUFFERED_CHARACTERS:
            # Whoever prints faster than it can be sent waits.
            self.flush()
        else:
            self._schedule_flush()
        return len(string)

    def flush(self) -> None:
        """Wait until all that was printed or displayed is on its way; mostly it is already."""
        publisher: Any = self.pub_thread
        if publisher is not None and not self._buffered and publisher.is_settled:
            return
        thread = publisher.thread if publisher is not None else None
        if thread is None or not thread.is_alive() or thread is threading.current_thread():
            self._flush()
            return
        publisher.schedule(self._flush)
        # The base class waits for an Event. An interrupt that is raised while one is entered or
        # left keeps its lock for ever, and the thread that publishes with it. A bare lock has no
        # such moment.
        through = threading.Lock()
        through.acquire()
        publisher.schedule(through.release)
        through.acquire(timeout=self.flush_timeout)

    def close(self) -> None:
        """Stay open: the next cell prints too."""
        self.flush()

    def drain(self) -> None:
        """Take over what programs have written to the descriptor so far."""
        if self._fid is not None:
            with self._reading:
                while self._read_some():
                    pass

    # In a copy of the process, which has nothing of the original's threads, pipes and locks

    @property
    def original(self) -> int | None:
        """The descriptor that leads to where the process began to write; none if it was closed.

        Code can do that, and its number may be that of anything by now.
        """
        fd: int | None = getattr(self, "_original_stdstream_copy", None)
        return fd if self.leads_back(fd) else None

    def leads_back(self, fd: int | None) -> bool:
        """Whether a descriptor leads to where the process began to write."""
        found = place(fd)
        return found is not None and found == self._began_at

    def begin_at(self, fd: int) -> None:
        """Be in a process that has begun to write elsewhere: where this descriptor leads."""
        if (original := self.original) is not None:
            os.dup2(fd, original, inheritable=False)
        self._began_at = place(fd)

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """Both ends of the pipe that programs write to instead."""
        return self._fid, self._written_end

    def let_go(self) -> None:
        """Have the descriptor lead to where the process began to write, without a pipe."""
        if self._fid is None:
            return
        # A copy that ended here would be told as kept. Code may have closed any of them.
        with contextlib.suppress(OSError):
            if place(self._original_stdstream_fd) == self._pipe:
                lead(self._original_stdstream_fd, self.original)
        for end in self.ends:
            if end is not None and place(end) == self._pipe:
                os.close(end)

    def begin_anew(self, publisher: Any, unsent: Unsent | None) -> None:
        """Be the stream of this process; whoever holds it prints here from now on."""
        self._reading = threading.Lock()
        self._buffer_lock = threading.RLock()
        self._buffers = defaultdict(StringIO)
        self._buffered = 0
        self._flush_pending = self._subprocess_flush_pending = False
        self._parent_header_global = {}
        self._master_pid = os.getpid()
        self.pub_thread, self._io_loop = publisher, publisher.io_loop
        self.unsent = unsent
        if self._fid is not None:
            self._lead_into_pipe()

    def _setup_stream_redirects(self, name: str) -> None:
        self._original_stdstream_fd = getattr(sys, name).fileno()
        self._original_stdstream_copy = os.dup(self._original_stdstream_fd)
        self._began_at = place(self._original_stdstream_copy)
        self._lead_into_pipe()

    def _lead_into_pipe(self) -> None:
        # The second end is kept: without it, code that closes its own would leave none.
        self._fid, self._written_end = os.pipe()
        self._pipe = place(self._fid)
        os.dup2(self._written_end, self._original_stdstream_fd)
        self._exc = None
        self.watch_fd_thread = threading.Thread(target=self._watch_pipe_fd, daemon=True)
        self.watch_fd_thread.start()

    def _rotate_buffers(self) -> dict[Account, StringIO]:
        with self._buffer_lock:
            self._buffered = 0
            buffers = self._buffers
            self._buffers = defaultdict(StringIO)
        return buffers

    def _flush_buffers(self) -> Iterator[tuple[dict[str, Any], str]]:
        # What is added until the buffers are taken is sent too: at worst it is kept a while longer.
        kept = self.unsent.length if self.unsent is not None else 0
        for account, buffer in self._rotate_buffers().items():
            text = buffer.getvalue()
            for at in range(0, len(text), MESSAGE_CHARACTERS):
                yield account.parent, text[at : at + MESSAGE_CHARACTERS]
        if self.unsent is not None and kept and self._is_master_process():
            with self._buffer_lock:
                self.unsent.drop(kept)

    def _watch_pipe_fd(self) -> None:
        """Runs in a thread. Unlike the base class it never writes to the original descriptor."""
        if self._fid is None:
            return
        os.set_blocking(self._fid, False)
        waiting = select.poll()
        waiting.register(self._fid, select.POLLIN)
        try:
            while self._should_watch:
                waiting.poll()
                with self._reading:
                    self._read_some()
        except (OSError, ValueError):
            # The descriptor was closed by somebody's code: what programs print is no longer seen,
            # what Python prints is.
            return

    def _read_some(self) -> bool:
        try:
            content = os.read(self._fid, _PIPE_BYTES)  # type: ignore[arg-type]  # asked before
        except BlockingIOError:
            return False
        if content:
            self.write(content.decode("utf-8", "replace"))
        return bool(content)


CAUSE: Final = "_hearth_cause"
"""The attribute of a thread that names the request that started it."""


def follow_threads(stream: CellStream) -> None:
    """From now on every thread remembers which request it was started for."""
    start = threading.Thread.start

    def start_for_cause(thread: threading.Thread) -> None:
        if not hasattr(thread, CAUSE):
            setattr(thread, CAUSE, stream.parent_header or None)
        start(thread)

    start_for_cause.__doc__ = start.__doc__
    # There is no other way in that every thread goes through.
    setattr(threading.Thread, "start", start_for_cause)  # noqa: B010 - an assignment has no type
