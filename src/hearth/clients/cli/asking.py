"""One turn of an agent that was asked for from here: followed to its end, answered and stopped."""

from __future__ import annotations

from hearth.clients.cli.followed import Followed
from hearth.clients.cli.messages import Request
from hearth.clients.cli.troubles import Trouble

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final, Protocol

    from hearth.clients.cli.approving import Approval
    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.wire import Wire

    class Output(Protocol):
        """What is shown of a turn."""

        def event(self, envelope: dict[str, Any], raw: str) -> None:
            """This is in the log."""

        def progress(self, progress: dict[str, Any], raw: str) -> None:
            """This is going on."""

        def tell(self, text: str) -> None:
            """A sentence beside it."""

        def tick(self) -> float | None:
            """Turn what turns; the seconds until the next time, if anything does."""

        def close(self) -> None:
            """Nothing comes any more."""


FORKED: Final = frozenset({"conversation_forked", "lookup_failed"})


class AskedTurn(Followed):
    """A turn from here.

    It is ours from `turn_started` on if the agent was idle; if the message had to wait, from its
    delivery on, in whosever turn that is.
    """

    stopping = 30.0  # its tools are stopped before
    _question: Approval | None

    def __init__(self, wire: Wire, session: str, cursor: int, presses: Presses) -> None:
        super().__init__(wire, session, cursor, presses)
        self.turn = ""
        self.message = ""
        """The id under which what was said waits, if it does."""
        self.waits_for: dict[str, Any] | None = None
        """The approval that the agent waits for; if nobody here can give it, `follow` returns."""
        self.branched: dict[str, Any] = {}
        """How the conversation of a new session came to go on from that of another."""
        self.can_approve = False
        self.show: Output
        self._causes = {self.key}
        self._calls: set[str] = set()
        self._cells: set[str] = set()
        self._approval = ""

    def join(self, turn: str) -> None:
        """Follow a turn that runs already."""
        self.turn = turn

    def follow_until_known(self) -> None:
        """Until the turn has an id, or the message under which it waits."""
        while not (self.turn or self.message or self._is_over()):
            self._step()

    def follow_until_branched(self) -> None:
        """Until the conversation of a new session goes on from another. Trouble if it cannot."""
        while not self.branched:
            self._step()
        if self.branched.get("type") == "lookup_failed":
            # Nobody has any use for a session that is not what was asked for.
            self._following.wire.ask(Request("DELETE", self._path))
            raise Trouble(
                f"it cannot branch off there: {self.branched.get('why', '')}",
                hint="`hearth events --session NAME --all` shows the blocks that there are",
                code="lookup_failed",
            )

    def seen(self, view: str) -> dict[str, Any]:
        """A view of the session; empty if there is none. Trouble if the daemon has gone."""
        answer = self._following.wire.ask(Request("GET", f"{self._path}/views/{view}"))
        value = answer.json().get("value") if answer.status == 200 else None
        return value if isinstance(value, dict) else {}

    def _is_over(self) -> bool:
        is_left = self.waits_for is not None and self._question is None and not self.is_stopped
        return self.ending is not None or is_left

    def _tick(self) -> float | None:
        return self.show.tick()

    # -- what comes -----------------------------------------------------------------------------

    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        if progress.get("type") == "progress_dropped" or self._is_ours(progress):
            self.show.progress(progress, raw)

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        event = envelope.get("event", {})
        kind, cause = str(event.get("type")), str(envelope.get("cause", ""))
        if cause == self.key or (self.message and event.get("message") == self.message):
            self._known(kind, event)
        elif kind in FORKED:
            self.branched = event
        if not (cause.partition(".")[0] in self._causes or self._is_ours(event)):
            return
        self._causes.add(cause)
        if kind == "tool_started":
            self._calls.add(str(event.get("call")))
            if event.get("cell"):
                self._cells.add(str(event["cell"]))
        self.show.event(envelope, raw)
        self._ended(kind, event)
        if self.is_stopped and not self._was_stop_sent:
            self.stop()

    def _known(self, kind: str, event: dict[str, Any]) -> None:
        """It is known what becomes of what was sent."""
        match kind:
            case "turn_started":
                self.turn = str(event.get("turn", ""))
            case "message_queued":
                self.message = str(event.get("message", ""))
            case "message_delivered":
                self.turn = str(event.get("turn", ""))
                self._was_stop_sent = False  # it came too late to take the message back
            case "message_withdrawn":
                why = event.get("reason") or "it was taken back before the agent was given it"
                self.ending = {**event, "end": "cancelled", "why": why}
            case _:
                pass

    def _ended(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "turn_finished" and event.get("turn") == self.turn:
            self._take_back()
            self.waits_for = None
            self.ending = event
        elif kind == "approval_requested":
            self.waits_for = event
            self._approval = str(event.get("approval", ""))
            self._ask(event)
        elif kind == "approval_answered":
            self._take_back()
            self.waits_for = None

    def _is_ours(self, said: dict[str, Any]) -> bool:
        return (
            (bool(self.turn) and said.get("turn") == self.turn)
            or said.get("call") in self._calls
            or said.get("cell") in self._cells
            or (bool(self._approval) and said.get("approval") == self._approval)
        )

    def _progress_lost(self) -> None:
        self.show.progress({"type": "progress_dropped", "count": 0}, "")

    def _tell(self, text: str) -> None:
        self.show.tell(text)

    # -- approving ------------------------------------------------------------------------------

    def _ask(self, event: dict[str, Any]) -> None:
        self._take_back()
        if self.can_approve:
            # Only who is asked pays for it.
            from hearth.clients.cli.approving import Approval  # noqa: PLC0415 - as above

            self.show.close()
            self._question = Approval(event)

    def _typed(self) -> None:
        question = self._question
        if question is None:
            return
        try:
            said = question.read()
        except EOFError:
            self._take_back()  # nobody is there any more: the agent goes on waiting
            return
        if said is not None:
            answer, text = said
            self._take_back()
            self.waits_for = None
            self.approve(question.id, answer, text)

    def approve(self, approval: str, answer: str, text: str = "") -> None:
        """Answer what the agent waits for; that another was quicker is no trouble."""
        self._approval = approval
        command = {"type": "answer_approval", "approval": approval, "answer": answer}
        self._post_quietly({**command, "text": text} if text else command)

    # -- stopping -------------------------------------------------------------------------------

    def _stopping_command(self) -> dict[str, Any] | None:
        if self.turn:
            return {"type": "cancel_turn", "turn": self.turn}
        if self.message:
            return {"type": "withdraw_message", "message": self.message}
        return None

    def _stubborn(self) -> str:
        return "the agent did not stop yet; `hearth events --follow` shows what it does"
