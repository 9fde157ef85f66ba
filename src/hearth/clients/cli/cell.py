"""One cell that was given to a session from here: followed to its end, answered and stopped."""

from __future__ import annotations

import sys
import time

from hearth.clients.cli.following import Following
from hearth.clients.cli.kept_texts import beginning_of
from hearth.clients.cli.messages import Answer, Request, fresh_key, quoted
from hearth.clients.cli.showing import first_line, tell
from hearth.clients.cli.troubles import REFUSED
from hearth.clients.cli.waiting import wait
from hearth.clients.cli.wire import Wire
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.cell_output import CellOutput
    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.server_sent import Sent

AWAY: Final = 60.0
"""Seconds that the daemon may be gone while its interpreter runs our code."""
STOPPING: Final = 20.0
"""Seconds within which code that is stopped ends; stubborn code is killed before."""
UNHEARD: Final = 3.0
"""Seconds within which we hear of a cell whose submission was interrupted, if it was taken."""
LOOK: Final = 5.0
"""Seconds between two looks at whether the daemon has fallen silent."""
ENDINGS: Final = frozenset({"cell_finished", "cell_failed", "cell_cancelled", "cell_withdrawn"})


class RunningCell:
    """A cell from here. `ending` is the event that ended it, once it has."""

    def __init__(self, wire: Wire, session: str, presses: Presses) -> None:
        self.session = session
        self._presses = presses
        self.ending: dict[str, Any] | None = None
        self.cell = ""
        self.is_stopped = False
        """Whether a person here asked for its end."""
        self.output: CellOutput | None = None
        """Is shown what the cell shows, as it does."""
        self._path = f"/sessions/{quoted(session)}"
        seen = wire.get(self._path)
        self._before = seen["value"]
        self._following = Following(
            wire, f"{self._path}/events", int(seen["seq"]), patience=AWAY, tell=tell
        )
        self._following.lost = self._progress_lost
        self._key = fresh_key()
        self._was_stop_sent = False
        self._until = 0.0
        self._question: Question | None = None

    def submit(self, command: dict[str, Any]) -> None:
        """Give it to the session. Trouble if that refuses it."""
        answer = self._post(command, self._key)
        # A repetition of ours that was taken the first time is no trouble.
        if answer.status >= 400 and answer.trouble().code != "duplicate_command":
            raise answer.trouble()

    def follow(self) -> None:
        """Until its end. The first Ctrl-C stops the code, the second raises KeyboardInterrupt."""
        while self.ending is None:
            if self._presses.count and not self.is_stopped:
                self.stop()
            sent = self._following.next(0)
            if sent is not None:
                self._hear(sent)
            elif self.is_stopped and time.monotonic() > self._until:
                self._give_up()
            else:
                self._wait(LOOK if not self.is_stopped else self._until - time.monotonic())

    def linger(self, seconds: float) -> None:
        """Show for so long what comes after its end; until Ctrl-C at most."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._presses.count:
            sent = self._following.next(0)
            if sent is not None:
                self._hear(sent)
            else:
                self._wait(left)

    def fetch(self, sha256: str) -> str:
        """A text that was too large for an event. Trouble."""
        answer = self._following.wire.ask(Request("GET", f"/blobs/{quoted(sha256)}"))
        if answer.status != 200:
            raise answer.trouble()
        return answer.body.decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the connections and of the terminal."""
        if self._question is not None:
            self._question.close()
        self._following.close()

    def _wait(self, seconds: float) -> None:
        """Until something comes: from the daemon, from the keyboard, or Ctrl-C."""
        asking = self._question if not self.is_stopped else None
        keyboard = sys.stdin.fileno() if asking is not None else None
        writes = self.output is not None and not self.is_stopped
        typed = wait(self._following, self._presses, keyboard, seconds, writes=writes)
        if typed and asking is not None:
            self._typed(asking)

    def _hear(self, sent: Sent) -> None:
        said = plain_json.loads(sent.data)
        if sent.kind != "progress":
            self._happened(said)
            return
        progress = said.get("progress", {})
        kind, is_ours = progress.get("type"), bool(self.cell) and progress.get("cell") == self.cell
        if kind == "event_unsaved":
            self._happened(plain_json.loads(progress["json"]))
        elif kind == "store_warning":
            tell(f"warning: {progress.get('message', 'the store takes nothing at the moment')}")
        elif self.output is None:
            return
        elif kind == "progress_dropped":
            self.output.dropped()
        elif kind == "output_chunk" and is_ours:
            self.output.chunk(str(progress.get("stream")), str(progress.get("text", "")))
        elif kind == "display_shown" and is_ours:
            self.output.display(progress.get("data", {}), str(progress.get("display", "")))
        elif kind == "output_cleared" and is_ours:
            self.output.cleared()

    def _happened(self, envelope: dict[str, Any]) -> None:
        event = envelope.get("event", {})
        kind = event.get("type")
        if envelope.get("cause") == self._key and kind in {"cell_queued", "cell_started"}:
            self._known(event)
        if not self.cell or event.get("cell") != self.cell:
            return
        match kind:
            case "input_requested":
                self._question = Question(event)
            case "input_answered":
                self._answered(envelope.get("origin", {}))
            case "cell_output_added" if self.ending is not None and self.output is not None:
                self.output.late(self.outputs_of(event))
            case _ if kind in ENDINGS and self.ending is None:
                self._answered({})
                self.ending = {**event, "origin": envelope.get("origin", {})}
            case _:
                pass

    def outputs_of(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """All that a cell showed, wherever it is kept."""
        outputs = event.get("outputs") or []
        if isinstance(outputs, dict):
            outputs = plain_json.loads(self.fetch(str(outputs["sha256"])))
        return list(outputs)

    def _known(self, event: dict[str, Any]) -> None:
        """The cell has its id; perhaps it was stopped before we heard of it."""
        self.cell = str(event.get("cell", ""))
        if event["type"] == "cell_queued" and self.output is not None:
            tell(f"waiting: {_busy(self._before)}")
        if self.is_stopped and not self._was_stop_sent:
            self.stop()

    def stop(self) -> None:
        """Ask for its end, if it runs; `follow` then waits for it, but not for ever."""
        self.is_stopped = True
        self._until = time.monotonic() + (STOPPING if self.cell else UNHEARD)
        if self.cell and not self._was_stop_sent:
            self._was_stop_sent = True
            # A refusal means that it has just ended by itself, which we are about to hear.
            self._post_quietly({"type": "cancel_cell", "cell": self.cell})

    def _give_up(self) -> None:
        if self.cell:
            tell(f"{self.cell} did not stop; `hearth status` shows what it does")
        raise KeyboardInterrupt

    def _typed(self, question: Question) -> None:
        text = question.read()
        if text is None:
            return
        self._question = None
        question.close()
        if text:
            self._post_quietly(
                {"type": "answer_input", "text": text.removesuffix("\n"), "cell": self.cell}
            )
        else:
            tell("the input has ended: stopping the code")
            self.stop()

    def _progress_lost(self) -> None:
        if self.output is not None:
            self.output.dropped()

    def _answered(self, origin: dict[str, Any]) -> None:
        if self._question is not None:
            self._question.close()
            self._question = None
            if origin:
                tell(f"answered by {origin.get('name') or origin.get('actor')}")

    def _post(self, command: dict[str, Any], key: str) -> Answer:
        wire = self._following.wire
        return wire.ask(Request("POST", f"{self._path}/commands", command, key=key))

    def _post_quietly(self, command: dict[str, Any]) -> None:
        answer = self._post(command, fresh_key())
        if answer.status >= 400 and (trouble := answer.trouble()).ending != REFUSED:
            raise trouble


class Question:
    """What the code asks with `input()`, on the terminal, until somebody answers."""

    def __init__(self, event: dict[str, Any]) -> None:
        self._typed = ""
        self._before: list[Any] | None = None
        if event.get("password"):
            self._hide()  # before anybody is asked to type it
        sys.stdout.flush()
        sys.stderr.write(str(event.get("prompt", "")))
        sys.stderr.flush()

    def read(self) -> str | None:
        """What was typed, with its end of line; None if the line has none yet; empty at the end."""
        import os  # noqa: PLC0415 - beside the only place that needs it

        typed = os.read(sys.stdin.fileno(), 65536).decode("utf-8", "replace")
        self._typed += typed
        if not typed:
            return self._typed + "\n" if self._typed else ""
        return self._typed if self._typed.endswith("\n") else None

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._before is not None:
            import termios  # noqa: PLC0415 - not every system has it

            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
            self._before = None
            sys.stderr.write("\n")

    def _hide(self) -> None:
        import termios  # noqa: PLC0415 - not every system has it

        self._before = termios.tcgetattr(sys.stdin.fileno())
        silent = list(self._before)
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, silent)


def _busy(status: dict[str, Any]) -> str:
    current = status.get("current")
    if not current:
        is_cold = status.get("state") == "warming_up"
        return f"the session is {'warming up' if is_cold else 'busy'}"
    who = current.get("origin", {}).get("name") or "somebody"
    code = first_line(str(current.get("script", "")) or beginning_of(current.get("code")), 50)
    return f"the session runs {current.get('cell', 'a cell')} of {who}: {code}"
