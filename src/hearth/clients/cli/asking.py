"""One turn of an agent that was asked for from here: followed to its end, answered and stopped."""

from __future__ import annotations

from hearth.clients.agents.ways_out import BLOCKS_AT_SHELL
from hearth.clients.cli.followed import Followed
from hearth.clients.cli.messages import Request, fresh_key
from hearth.clients.cli.troubles import REFUSED, Trouble

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Sequence
    from typing import Any, Final, Protocol

    from hearth.clients.agents.deciding import Decision
    from hearth.clients.cli.approving import Approval
    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.wire import Wire

    class Output(Protocol):
        """What is shown of a turn."""

        is_asking: bool
        """Whether a question stands in the last line; who writes behind it ends that first."""

        def event(self, envelope: dict[str, Any], raw: str) -> None:
            """This is in the log."""

        def progress(self, progress: dict[str, Any], raw: str) -> None:
            """This is going on."""

        def tell(self, text: str) -> None:
            """A sentence beside it."""

        def tick(self) -> float | None:
            """Turn what turns; the seconds until the next time, if anything does."""

        def pause(self) -> None:
            """Somebody is asked: nothing turns meanwhile."""

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
        self.waits_for: dict[str, dict[str, Any]] = {}
        """What the agent waits for, by its id, the oldest first; if nobody here can answer it,
        `follow` returns."""
        self._ahead = ""
        """The turn that the message waits behind: who waits for it waits for its questions, too."""
        self.branched: dict[str, Any] = {}
        """How the conversation of a new session came to go on from that of another."""
        self.can_approve = False
        self.show: Output
        self._causes = {self.key}
        self._calls: set[str] = set()
        self._cells: set[str] = set()
        self._approvals: set[str] = set()
        self._sent: set[str] = set()
        """What was answered, until we hear of it."""
        self._is_left = False
        """Whether the agent waits, and nobody here can answer."""

    def join(self, turn: str, approvals: Sequence[dict[str, Any]] = ()) -> None:
        """Follow a turn that runs already, and that waits for these."""
        self.turn = turn
        for one in approvals:
            self._asked_for(one)

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
                hint=BLOCKS_AT_SHELL,
                code="lookup_failed",
            )

    def seen(self, view: str) -> dict[str, Any]:
        """A view of the session; empty if there is none. Trouble if the daemon has gone."""
        answer = self._following.wire.ask(Request("GET", f"{self._path}/views/{view}"))
        value = answer.json().get("value") if answer.status == 200 else None
        return value if isinstance(value, dict) else {}

    def _is_over(self) -> bool:
        return self.ending is not None or (self._is_left and not self.is_stopped)

    def _tick(self) -> float | None:
        # Everything that came is known: what was answered with something else is not asked.
        if self._question is not None:
            if not self.show.is_asking:
                self._question.ask()  # something stands behind it by now
                self.show.is_asking = True
            return None
        if self.waits_for and not self._sent:
            if self.can_approve and not self.is_stopped:
                self._ask(next(iter(self.waits_for.values())))
                return None
            self._is_left = not self.can_approve
        return self.show.tick()

    # -- what comes -----------------------------------------------------------------------------

    def _goes_on(self, progress: dict[str, Any], raw: str) -> None:
        is_asked = self._question is not None and progress.get("type") == "tool_output"
        if not is_asked and (progress.get("type") == "progress_dropped" or self._is_ours(progress)):
            self.show.progress(progress, raw)

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        event = envelope.get("event", {})
        kind, cause = str(event.get("type")), str(envelope.get("cause", ""))
        if cause == self.key or (self.message and event.get("message") == self.message):
            self._known(kind, event)
        elif kind in FORKED:
            self.branched = event
        if self._ahead and not self.turn and event.get("turn") == self._ahead:
            self._went_on_ahead(kind, event)
        if not (cause.partition(".")[0] in self._causes or self._is_ours(event)):
            return
        self._causes.add(cause)
        if kind == "tool_started":
            self._calls.add(str(event.get("call")))
            if event.get("cell"):
                self._cells.add(str(event["cell"]))
        self.show.event(envelope, raw)
        self._ended(kind, envelope)
        if self.is_stopped and not self._was_stop_sent:
            self.stop()

    def _known(self, kind: str, event: dict[str, Any]) -> None:
        """It is known what becomes of what was sent."""
        match kind:
            case "turn_started":
                self.turn = str(event.get("turn", ""))
            case "message_queued":
                self.message = str(event.get("message", ""))
                now = self.seen("conversation").get("now") or {}
                self._ahead = str(now.get("turn") or "")
                for one in now.get("approvals") or ():
                    self._asked_for(one)
            case "message_delivered":
                self.turn = str(event.get("turn", ""))
                self._was_stop_sent = False  # it came too late to take the message back
            case "message_withdrawn":
                why = event.get("reason") or "it was taken back before the agent was given it"
                self.ending = {**event, "end": "cancelled", "why": why}
            case _:
                pass

    def _went_on_ahead(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "turn_finished":
            self._nothing_waits()
        elif kind == "approval_requested":
            self._approvals.add(str(event.get("approval", "")))  # it is ours to answer, too

    def _ended(self, kind: str, envelope: dict[str, Any]) -> None:
        event = envelope.get("event", {})
        if kind == "turn_finished" and event.get("turn") == self.turn:
            self._nothing_waits()
            self.ending = event
        elif kind == "approval_requested":
            origin = envelope.get("origin") or {}
            self._asked_for({"agent": origin.get("name", ""), **event})
        elif kind == "approval_answered":
            self._answered(str(event.get("approval", "")), str(event.get("answer", "")))

    def _nothing_waits(self) -> None:
        self._take_back()
        self.waits_for.clear()
        self._sent.clear()

    def _asked_for(self, approval: dict[str, Any]) -> None:
        name = str(approval.get("approval", ""))
        self.waits_for[name] = approval
        self._approvals.add(name)

    def _answered(self, name: str, answer: str) -> None:
        """Somebody answered; what else waits is asked next, unless it was said no to."""
        self.waits_for.pop(name, None)
        self._sent.discard(name)
        if answer == "reject":
            # That was said to all that waited, and the rest of it is on its way.
            self._sent.update(self.waits_for)
        if self._question is not None and self._question.id == name:
            self._take_back()

    def _is_ours(self, said: dict[str, Any]) -> bool:
        return (
            (bool(self.turn) and said.get("turn") == self.turn)
            or said.get("call") in self._calls
            or said.get("cell") in self._cells
            or said.get("approval") in self._approvals
        )

    def _progress_lost(self) -> None:
        self.show.progress({"type": "progress_dropped", "count": 0}, "")

    def _tell(self, text: str) -> None:
        self.show.tell(text)

    # -- approving ------------------------------------------------------------------------------

    def _ask(self, approval: dict[str, Any]) -> None:
        # Only who is asked pays for it.
        from hearth.clients.agents.asked_for import AskedFor  # noqa: PLC0415 - as above
        from hearth.clients.cli.approving import Approval  # noqa: PLC0415 - as above

        self.show.pause()
        asked = AskedFor(approval, fetch=self.fetch)
        self._question = Approval(asked, len(self.waits_for) - 1)
        self.show.is_asking = True

    def _typed(self) -> None:
        question = self._question
        if question is None:
            return
        try:
            decision = question.read()
        except EOFError:
            # Nobody is there any more: the agent goes on waiting.
            self._take_back()
            self.can_approve = False
            return
        if decision is not None:
            self.show.is_asking = False  # Enter ended that line
            self._take_back()
            self.answer(decision)

    def answer(self, decision: Decision) -> None:
        """Answer what the agent waits for; that another was quicker is no trouble."""
        self._approvals.add(decision.approval)
        # Whoever says no says it to all that is asked at that moment.
        others = self.waits_for if decision.answer == "reject" else ()
        self._sent = {decision.approval, *others}
        answer = self._post(decision.command(), fresh_key())
        if answer.status < 400:
            return
        self._sent = set()
        if (trouble := answer.trouble()).ending != REFUSED:
            raise trouble

    # -- stopping -------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ask for its end; who wants that is asked nothing more."""
        if self._question is not None:
            self._take_back()
            self.show.is_asking = False
            self.show.tell("")  # the line in which it stood ends here
        super().stop()

    def _stopping_command(self) -> dict[str, Any] | None:
        if self.turn:
            return {"type": "cancel_turn", "turn": self.turn}
        if self.message:
            return {"type": "withdraw_message", "message": self.message}
        return None

    def _stubborn(self) -> str:
        return "the agent did not stop yet; `hearth events --follow` shows what it does"
