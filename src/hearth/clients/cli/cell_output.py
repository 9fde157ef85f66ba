"""What one cell shows, in a terminal or a pipe, as it comes: nothing twice and nothing missing."""

from __future__ import annotations

import sys

from hearth.clients.cli.kept_texts import whole
from hearth.clients.cli.showing import DIM, is_terminal, painted, tell

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.kept_texts import Fetch


class CellOutput:
    """Writes what a cell writes: its stdout to ours, its stderr to ours.

    Live pieces may be left out when we are slow; from then on nothing is shown live, and the rest
    comes out of the closing event, which has all of it.
    """

    def __init__(self, fetch: Fetch) -> None:
        """`fetch` gives the text that is kept under a hash."""
        self._fetch = fetch
        self._shown = {"stdout": 0, "stderr": 0}
        """How many characters of each were written already."""
        self._displays = 0
        self._is_held = False
        self._is_open_line = False

    def chunk(self, stream: str, text: str) -> None:
        """The cell wrote this just now."""
        if not self._is_held and stream in self._shown:
            self._shown[stream] += len(text)
            self._write(stream, text)

    def display(self, data: dict[str, Any], display: str) -> None:
        """The cell showed this just now; what has a name may be shown again, changed."""
        if self._is_held or data.get("is_result"):
            return  # the value comes last, when it is known
        if not display:
            self._displays += 1
        else:
            self._hold()  # of what changes, the last is what counts
            return
        self._show(data)

    def cleared(self) -> None:
        """The cell took back what it had shown; what was written stays written."""
        self._shown = {"stdout": 0, "stderr": 0}
        self._displays = 0

    def dropped(self) -> None:
        """Some pieces were left out."""
        self._hold()

    def close(self, outputs: list[dict[str, Any]], dropped: int) -> None:
        """All that the cell showed: what was not written yet is."""
        left, displays = dict(self._shown), self._displays
        for output in outputs:
            if output.get("type") == "stream_text":
                stream, text = str(output.get("stream")), self.text(output.get("text"))
                known = min(left.get(stream, 0), len(text))
                left[stream] = left.get(stream, 0) - known
                self._write(stream, text[known:])
            elif not output.get("is_result"):
                if displays:
                    displays -= 1
                else:
                    self._show(output)
        if dropped:
            self.end_line()
            tell(f"{dropped} bytes of output were too many to be kept")

    def late(self, outputs: list[dict[str, Any]]) -> None:
        """What came after the cell had ended."""
        self._shown, self._displays = {"stdout": 0, "stderr": 0}, 0
        self.close(outputs, 0)

    def value(self, text: str) -> None:
        """The value of the cell's last expression."""
        self.end_line()
        self._write("stdout", text if text.endswith("\n") else text + "\n")

    def end_line(self) -> None:
        """Begin a new line, unless one begins anyway."""
        if self._is_open_line:
            self._write("stdout", "\n")

    def text(self, value: Any) -> str:
        """A text that is here, or kept elsewhere."""
        return whole(value, self._fetch)

    def _hold(self) -> None:
        self._is_held = True

    def _show(self, data: dict[str, Any]) -> None:
        bundle = data.get("bundle", {})
        plain = self.text(bundle.get("text/plain"))
        others = [kind for kind in bundle if kind != "text/plain"]
        if not plain and others:
            plain = painted(DIM, f"[{others[0]}: `hearth open` shows it]")
        self.end_line()
        self._write("stdout", plain if plain.endswith("\n") else plain + "\n")

    def _write(self, stream: str, text: str) -> None:
        if not text:
            return
        to = sys.stderr if stream == "stderr" else sys.stdout
        if to is sys.stderr:
            sys.stdout.flush()
        to.write(text)
        to.flush()
        if to is sys.stdout or is_terminal(sys.stderr):
            self._is_open_line = not text.endswith("\n")
