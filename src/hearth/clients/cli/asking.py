"""One turn of an agent that was asked for from here: followed to its end, answered and stopped."""

from __future__ import annotations

import time

from hearth.clients.cli.following import Following
from hearth.clients.cli.messages import Answer, Request, fresh_key, quoted
from hearth.clients.cli.troubles import REFUSED, Trouble
from hearth.clients.cli.waiting import wait
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final, Protocol

    from hearth.clients.cli.approving import Approval
    from hearth.clients.cli.pressing import Presses
    from hearth.clients.cli.server_sent import Sent
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


AWAY: Final = 60.0
"""Seconds that the daemon may be gone; the turn goes on when it is back."""
STOPPING: Final = 30.0
"""Seconds within which a turn that is cancelled ends: its tools are stopped before."""
UNHEARD: Final = 3.0
"""Seconds within which we hear of a message whose sending was interrupted, if it was taken."""
LOOK: Final = 5.0
"""Seconds between two looks at whether the daemon has fallen silent."""
FORKED: Final = frozenset({"conversation_forked", "lookup_failed"})


class AskedTurn:
    """A turn from here. `ending` is how it ended, once it has.

    It is ours from `turn_started` on if the agent was idle; if the message had to wait, from its
    delivery on, in whosever turn that is.
    """

    def __init__(self, wire: Wire, session: str, cursor: int, presses: Presses) -> None:
        self.session = session
        self.key = fresh_key()
        self.turn = ""
        self.message = ""
        """The id under which what was said waits, if it does."""
        self.ending: dict[str, Any] | None = None
        self.waits_for: dict[str, Any] | None = None
        """The approval that the agent waits for; if nobody here can give it, `follow` returns."""
        self.branched: dict[str, Any] = {}
        """How the conversation of a new session came to go on from that of another."""
        self.is_stopped = False
        """Whether a person here asked for its end."""
        self.can_approve = False
        self.show: Output
        self._presses = presses
        self._path = f"/sessions/{quoted(session)}"
        self._following = Following(
            wire, f"{self._path}/events", cursor, patience=AWAY, tell=self._tell
        )
        self._following.lost = self._progress_lost
        self._causes = {self.key}
        self._calls: set[str] = set()
        self._cells: set[str] = set()
        self._question: Approval | None = None
        self._approval = ""
        self._unsaved: set[str] = set()
        """The ids of events that were heard before they were stored."""
        self._was_stop_sent = False
        self._until = 0.0

    def submit(self, command: dict[str, Any]) -> None:
        """Give it to the session. Trouble if that refuses it."""
        answer = self._post(command, self.key)
        # A repetition of ours that was taken the first time is no trouble.
        if answer.status >= 400 and answer.trouble().code != "duplicate_command":
            raise answer.trouble()

    def join(self, turn: str) -> None:
        """Follow a turn that runs already."""
        self.turn = turn

    def follow(self) -> None:
        """Until its end. The first Ctrl-C cancels the turn, the second raises KeyboardInterrupt."""
        while not self._is_over():
            self._step()

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

    def fetch(self, sha256: str) -> str:
        """A text that was too large for an event. Trouble."""
        answer = self._following.wire.ask(Request("GET", f"/blobs/{quoted(sha256)}"))
        if answer.status != 200:
            raise answer.trouble()
        return answer.body.decode("utf-8", "replace")

    def seen(self, view: str) -> dict[str, Any]:
        """A view of the session; empty if there is none. Trouble if the daemon has gone."""
        answer = self._following.wire.ask(Request("GET", f"{self._path}/views/{view}"))
        value = answer.json().get("value") if answer.status == 200 else None
        return value if isinstance(value, dict) else {}

    def close(self) -> None:
        """Let go of the connections and of the terminal."""
        self._answered()
        self._following.close()

    # -- waiting --------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        is_left = self.waits_for is not None and self._question is None and not self.is_stopped
        return self.ending is not None or is_left

    def _step(self) -> None:
        if self._presses.count and not self.is_stopped:
            self.stop()
        sent = self._following.next(0)
        if sent is not None:
            self._hear(sent)
        elif self.is_stopped and time.monotonic() > self._until:
            self._give_up()
        else:
            soon = self.show.tick()
            left = self._until - time.monotonic() if self.is_stopped else LOOK
            self._wait(left if soon is None else min(left, soon))

    def _wait(self, seconds: float) -> None:
        """Until something comes: from the daemon, from the keyboard, or Ctrl-C."""
        asking = self._question if not self.is_stopped else None
        keyboard = asking.fileno() if asking is not None else None
        writes = not self.is_stopped
        typed = wait(self._following, self._presses, keyboard, seconds, writes=writes)
        if typed and asking is not None:
            self._typed(asking)

    # -- what comes -----------------------------------------------------------------------------

    def _hear(self, sent: Sent) -> None:
        said = plain_json.loads(sent.data)
        if sent.kind != "progress":
            self._happened(said, sent.data)
            return
        progress = said.get("progress", {})
        kind = progress.get("type")
        if kind == "event_unsaved":
            unsaved = plain_json.loads(progress["json"])
            self._happened(unsaved, sent.data)
            self._unsaved.add(str(unsaved.get("id")))
        elif kind == "store_warning":
            self._tell(
                f"warning: {progress.get('message', 'the store takes nothing at the moment')}"
            )
        elif kind == "progress_dropped" or self._is_ours(progress):
            self.show.progress(progress, sent.data)

    def _happened(self, envelope: dict[str, Any], raw: str) -> None:
        if envelope.get("id") in self._unsaved:
            return
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
            self._answered()
            self.waits_for = None
            self.ending = event
        elif kind == "approval_requested":
            self.waits_for = event
            self._approval = str(event.get("approval", ""))
            self._ask(event)
        elif kind == "approval_answered":
            self._answered()
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
        self._answered()
        if self.can_approve:
            # Only who is asked pays for it.
            from hearth.clients.cli.approving import Approval  # noqa: PLC0415 - as above

            self.show.close()
            self._question = Approval(event)

    def _typed(self, question: Approval) -> None:
        try:
            said = question.read()
        except EOFError:
            self._answered()  # nobody is there any more: the agent goes on waiting
            return
        if said is not None:
            answer, text = said
            self._answered()
            self.waits_for = None
            self.approve(question.id, answer, text)

    def approve(self, approval: str, answer: str, text: str = "") -> None:
        """Answer what the agent waits for; that another was quicker is no trouble."""
        self._approval = approval
        command = {"type": "answer_approval", "approval": approval, "answer": answer}
        self._post_quietly({**command, "text": text} if text else command)

    def _answered(self) -> None:
        if self._question is not None:
            self._question.close()
            self._question = None

    # -- stopping -------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ask for its end, if it has begun; `follow` then waits for it, but not for ever."""
        self.is_stopped = True
        is_known = bool(self.turn or self.message)
        self._until = time.monotonic() + (STOPPING if is_known else UNHEARD)
        if is_known and not self._was_stop_sent:
            self._was_stop_sent = True
            # A refusal means that it has just ended by itself, which we are about to hear.
            self._post_quietly(
                {"type": "cancel_turn", "turn": self.turn}
                if self.turn
                else {"type": "withdraw_message", "message": self.message}
            )

    def _give_up(self) -> None:
        if self.turn or self.message:
            self._tell("the agent did not stop yet; `hearth events --follow` shows what it does")
        raise KeyboardInterrupt

    # -- sending --------------------------------------------------------------------------------

    def _post(self, command: dict[str, Any], key: str) -> Answer:
        wire = self._following.wire
        return wire.ask(Request("POST", f"{self._path}/commands", command, key=key))

    def _post_quietly(self, command: dict[str, Any]) -> None:
        answer = self._post(command, fresh_key())
        if answer.status >= 400 and (trouble := answer.trouble()).ending != REFUSED:
            raise trouble
