"""One cell that was given to a session from here: followed to its end, answered and stopped."""

from __future__ import annotations

import os
import sys
import time

from hearth.clients.agents.undo_text import not_kept
from hearth.clients.cli.followed import Followed
from hearth.clients.cli.kept_texts import beginning_of
from hearth.clients.cli.messages import quoted
from hearth.clients.cli.showing import first_line, tell
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.cell_output import CellOutput
    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.wire import Wire

ENDINGS: Final = frozenset({"cell_finished", "cell_failed", "cell_cancelled", "cell_withdrawn"})


class RunningCell(Followed):
    """A cell from here."""

    stopping = 20.0  # stubborn code is killed before
    _question: Question | None

    def __init__(self, wire: Wire, session: str, presses: Presses) -> None:
        seen = wire.get(f"/sessions/{quoted(session)}")
        super().__init__(wire, session, int(seen["seq"]), presses)
        self.cell = ""
        self.output: CellOutput | None = None
        """Is shown what the cell shows, as it does."""
        self._before = seen["value"]

    def linger(self, seconds: float) -> None:
        """Show for so long what comes after its end; until Ctrl-C at most."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._presses.count:
            sent = self._following.next(0)
            if sent is not None:
                self._hear(sent)
            else:
                self._wait(left)

    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        del raw
        kind, is_ours = progress.get("type"), bool(self.cell) and progress.get("cell") == self.cell
        if self.output is None:
            return
        if kind == "progress_dropped":
            self.output.dropped()
        elif kind == "output_chunk" and is_ours:
            self.output.chunk(str(progress.get("stream")), str(progress.get("text", "")))
        elif kind == "display_shown" and is_ours:
            self.output.display(progress.get("data", {}), str(progress.get("display", "")))
        elif kind == "output_cleared" and is_ours:
            self.output.cleared()

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        del raw
        event = envelope.get("event", {})
        kind = event.get("type")
        if envelope.get("cause") == self.key and kind in {"cell_queued", "cell_started"}:
            self._known(event)
        if not self.cell or event.get("cell") != self.cell:
            return
        match kind:
            case "cell_not_kept" if self.output is not None:
                why = [str(one) for one in event.get("obstacles") or ()]
                tell(f"note: {not_kept(self.cell, why)}")
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

    def _stopping_command(self) -> dict[str, Any] | None:
        return {"type": "cancel_cell", "cell": self.cell} if self.cell else None

    def _stubborn(self) -> str:
        return f"{self.cell} did not stop; `hearth status` shows what it does"

    def _typed(self) -> None:
        text = self._question.read() if self._question is not None else None
        if text is None:
            return
        self._take_back()
        if text:
            self._post_quietly(
                {"type": "answer_input", "text": text.removesuffix("\n"), "cell": self.cell}
            )
        else:
            tell("the input has ended: stopping the code")
            self.stop()

    def _is_written(self) -> bool:
        return self.output is not None

    def _tell(self, text: str) -> None:
        tell(text)

    def _progress_lost(self) -> None:
        if self.output is not None:
            self.output.dropped()

    def _answered(self, origin: dict[str, Any]) -> None:
        if self._question is not None:
            self._take_back()
            if origin:
                tell(f"answered by {origin.get('name') or origin.get('actor')}")


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

    def fileno(self) -> int:
        """For select."""
        return sys.stdin.fileno()

    def read(self) -> str | None:
        """What was typed, with its end of line; None if the line has none yet; empty at the end."""
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
