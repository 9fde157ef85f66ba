"""Messages with numbers: whatever the kernel publishes or replies is journaled, then sent.

The number travels as one more identity frame, `#<n>`, before the delimiter, where every Jupyter
client skips what it does not know.
"""

import itertools
import os
import threading
from typing import Any

from ipykernel.iostream import IOPubThread
from jupyter_client.session import DELIM, Session

from .journal import IOPUB, REPLY, Writer

_ids = itertools.count()


class NumberedSession(Session):
    """Numbers replies."""

    journal: Writer | None = None
    _replied = ""

    def has_replied(self, request: str) -> bool:
        """Whether the last reply was the one to this request."""
        return self._replied == request

    @property
    def msg_id(self) -> str:
        """Unique across threads; the count of the base class is not taken atomically."""
        return f"{self.session}_{os.getpid()}_{next(_ids)}"

    def serialize(self, msg: dict[str, Any], ident: Any = None) -> list[bytes]:
        """Every reply passes here once, with the list of identities it goes to."""
        frames: list[bytes] = super().serialize(msg, ident)
        if (
            self.journal is not None
            and isinstance(ident, list)
            and ident
            and msg["header"]["msg_type"].endswith("_reply")
        ):
            self._replied = msg["parent_header"].get("msg_id", "")
            number = self.journal.put(REPLY, frames)
            frames.insert(frames.index(DELIM), b"#%d" % number)
        return frames


class NumberedIOPubThread(IOPubThread):
    """Numbers what is published; the one thread that publishes makes the order."""

    journal: Writer | None = None
    _handling = False

    @property
    def is_settled(self) -> bool:
        """Whether everything that was given to it so far has been sent."""
        # In this order: an event is taken out of the queue only while it counts as handled.
        return not self._events and not self._handling

    def schedule(self, f: Any) -> None:
        """Have something done by the thread: at once if this is it.

        The base class would put it behind what waits already, and a cell that lets nobody else
        run could begin before what it flushed is sent.
        """
        if threading.current_thread() is self.thread:
            f()
        else:
            super().schedule(f)

    def _handle_event(self, msg: Any) -> None:
        self._handling = True
        try:
            super()._handle_event(msg)
        finally:
            self._handling = False

    def _really_send(self, msg: list[bytes], *args: Any, **kwargs: Any) -> None:
        if self.closed:
            return
        if self.journal is not None and self._is_master_process():
            number = self.journal.put(IOPUB, msg)
            at = msg.index(DELIM)
            msg = [*msg[:at], b"#%d" % number, *msg[at:]]
        super()._really_send(msg, *args, **kwargs)
