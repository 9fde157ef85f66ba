"""Variants that were given to a session from here: followed to their end, and stopped by Ctrl-C."""

from __future__ import annotations

from hearth.clients.cli.followed import Followed
from hearth.clients.cli.messages import quoted
from hearth.clients.cli.showing import tell

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.wire import Wire


class RunningTrial(Followed):
    """A trial from here."""

    stopping = 20.0  # stubborn code is killed before

    def __init__(self, wire: Wire, session: str, presses: Presses) -> None:
        seen = wire.get(f"/sessions/{quoted(session)}")
        super().__init__(wire, session, int(seen["seq"]), presses)
        self.cell = ""

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        del raw
        event = envelope.get("event", {})
        if envelope.get("cause") != self.key:
            return
        match event.get("type"):
            case "trial_started":
                self.cell = str(event.get("cell", ""))
                if self.is_stopped:
                    self.stop()  # by whoever did not wait for it to begin
            case "trial_ended":
                self.ending = event
            case _:
                pass

    def _stopping_command(self) -> dict[str, Any] | None:
        return {"type": "cancel_cell", "cell": self.cell} if self.cell else None

    def _stubborn(self) -> str:
        return f"{self.cell} did not stop; `hearth status` shows what it does"

    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        """What variants print is told once they have ended: side by side."""

    def _progress_lost(self) -> None:
        """None of it is told."""

    def _typed(self) -> None:
        """Nothing is asked: whoever tries variants cannot answer all of them."""

    def _tell(self, text: str) -> None:
        tell(text)
