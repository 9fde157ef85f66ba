"""What a session does for us, a cell or a turn: followed to its end, and stopped by Ctrl-C."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from hearth.clients.cli.following import Following
from hearth.clients.cli.messages import Answer, Request, fresh_key, quoted
from hearth.clients.cli.troubles import REFUSED
from hearth.clients.cli.waiting import wait
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final, Protocol

    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.server_sent import Sent
    from hearth.clients.cli.wire import Wire

    class Pending(Protocol):
        """A question on the terminal that a person has not answered yet."""

        def fileno(self) -> int:
            """Where the answer is typed."""

        def close(self) -> None:
            """Let the terminal go."""


AWAY: Final = 60.0
"""Seconds that the daemon may be gone; what was asked for goes on, or does when it is back."""
UNHEARD: Final = 3.0
"""Seconds within which we hear of a command whose sending was interrupted, if it was taken."""
LOOK: Final = 5.0
"""Seconds between two looks at whether the daemon has fallen silent."""


class Followed(ABC):
    """Something asked for from here. `ending` is the event that ended it, once it has."""

    stopping: float
    """Seconds within which it ends once it is stopped."""

    def __init__(self, wire: Wire, session: str, cursor: int, presses: Presses) -> None:
        self.session = session
        self.key = fresh_key()
        """The cause of all that comes of it."""
        self.ending: dict[str, Any] | None = None
        self.is_stopped = False
        """Whether a person here asked for its end."""
        self._presses = presses
        self._path = f"/sessions/{quoted(session)}"
        self._following = Following(
            wire, f"{self._path}/events", cursor, patience=AWAY, tell=self._tell
        )
        self._following.lost = self._progress_lost
        self._unsaved: set[str] = set()
        """The ids of events that were heard before they were stored."""
        self._question: Pending | None = None
        self._was_stop_sent = False
        self._until = 0.0

    def submit(self, command: dict[str, Any]) -> None:
        """Give it to the session. Trouble if that refuses it."""
        answer = self._post(command, self.key)
        # A repetition of ours that was taken the first time is no trouble.
        if answer.status >= 400 and (trouble := answer.trouble()).code != "duplicate_command":
            raise trouble

    def follow(self) -> None:
        """Until its end. The first Ctrl-C stops it, the second raises KeyboardInterrupt."""
        while not self._is_over():
            self._step()

    def stop(self) -> None:
        """Ask for its end, if it has begun; `follow` then waits for it, but not for ever."""
        self.is_stopped = True
        command = self._stopping_command()
        self._until = time.monotonic() + (UNHEARD if command is None else self.stopping)
        if command is not None and not self._was_stop_sent:
            self._was_stop_sent = True
            # A refusal means that it has just ended by itself, which we are about to hear.
            self._post_quietly(command)

    def fetch(self, sha256: str) -> str:
        """A text that was too large for an event. Trouble."""
        answer = self._following.wire.ask(Request("GET", f"/blobs/{quoted(sha256)}"))
        if answer.status != 200:
            raise answer.trouble()
        return answer.body.decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the connections and of the terminal."""
        self._take_back()
        self._following.close()

    # -- what differs ---------------------------------------------------------------------------

    @abstractmethod
    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        """This is in the log, or will be; nothing is told twice."""

    @abstractmethod
    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        """This is going on."""

    @abstractmethod
    def _progress_lost(self) -> None:
        """Some of what was going on may be missing."""

    @abstractmethod
    def _stopping_command(self) -> dict[str, Any] | None:
        """What asks for its end; None if nothing is known of it yet."""

    @abstractmethod
    def _stubborn(self) -> str:
        """What is told of it if it does not stop."""

    @abstractmethod
    def _tell(self, text: str) -> None:
        """A sentence beside it."""

    @abstractmethod
    def _typed(self) -> None:
        """Something was typed in answer to the question."""

    def _is_over(self) -> bool:
        return self.ending is not None

    def _is_written(self) -> bool:
        """Whether somebody must be there to read what comes."""
        return True

    def _tick(self) -> float | None:
        """Turn what turns; the seconds until the next time, if anything does."""
        return None

    # -- step by step ---------------------------------------------------------------------------

    def _step(self) -> None:
        if self._presses.count and not self.is_stopped:
            self.stop()
        sent = self._following.next(0)
        if sent is not None:
            self._hear(sent)
        elif self.is_stopped and time.monotonic() > self._until:
            self._give_up()
        else:
            soon = self._tick()
            if self._is_over():
                return  # nothing is waited for that nobody here can answer
            left = self._until - time.monotonic() if self.is_stopped else LOOK
            self._wait(left if soon is None else min(left, soon))

    def _wait(self, seconds: float) -> None:
        """Until something comes: from the daemon, from the keyboard, or Ctrl-C."""
        asking = None if self.is_stopped else self._question
        keyboard = None if asking is None else asking.fileno()
        writes = self._is_written() and not self.is_stopped
        if wait(self._following, self._presses, keyboard, seconds, writes=writes):
            self._typed()

    def _hear(self, sent: Sent) -> None:
        said = plain_json.loads(sent.data)
        if sent.kind != "progress":
            self._hear_of(said, sent.data)
            return
        progress = said.get("progress", {})
        match progress.get("type"):
            case "event_unsaved":
                unsaved = plain_json.loads(progress["json"])
                self._hear_of(unsaved, sent.data)
                self._unsaved.add(str(unsaved.get("id")))
            case "store_warning":
                why = progress.get("message", "the store takes nothing at the moment")
                self._tell(f"warning: {why}")
            case _:
                self._goes_on(progress, sent.data)

    def _hear_of(self, envelope: dict[str, Any], raw: str) -> None:
        if envelope.get("id") not in self._unsaved:
            self._happened(envelope, raw)

    def _take_back(self) -> None:
        """Nobody needs to answer the question any more, if there is one."""
        if self._question is not None:
            self._question.close()
            self._question = None

    def _give_up(self) -> None:
        if self._stopping_command() is not None:
            self._tell(self._stubborn())
        raise KeyboardInterrupt

    # -- sending --------------------------------------------------------------------------------

    def _post(self, command: dict[str, Any], key: str) -> Answer:
        wire = self._following.wire
        return wire.ask(Request("POST", f"{self._path}/commands", command, key=key))

    def _post_quietly(self, command: dict[str, Any]) -> None:
        answer = self._post(command, fresh_key())
        if answer.status >= 400 and (trouble := answer.trouble()).ending != REFUSED:
            raise trouble
