"""An agent's turns, told as they happen: what it thinks, writes and calls, and how it ends.

What was shown of an answer while it was written is not shown again when it is sealed; what was
missed is. Nothing of the conversation is kept but what is needed for that, while a turn runs.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, assert_never

from msgspec.structs import replace

from hearth.clients.repl.deed_noticing import deed_noticed, how_answered, requested
from hearth.clients.repl.painting import Paint, author
from hearth.clients.repl.pieces import Piece, aside, text_of
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.told_turn import Delta, ToldTurn
from hearth.clients.repl.tool_telling import Calls
from hearth.clients.repl.turn_noticing import (
    ended,
    error_of,
    notice_of,
    one_line,
    retrying,
    turn_noticed,
)
from hearth.core.views.conversation import Conversation
from hearth.core.views.talk import Approval
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, MessageId, TurnId
from hearth.core.vocabulary.origin import Actor, Origin

BRANCHED: Final = ".branch"
"""What the cause of a branch that is made for a command ends in."""


class Sealed(NamedTuple):
    """A block with all that its telling depends on."""

    block: BlockId
    step: int
    role: Role
    content: Block
    author: Origin
    is_mine: bool = False
    is_past: bool = False
    """It is told again: what helped when it came may do something else by now."""


class TurnTeller:
    """Turns events and progress of one session's conversation into pieces for a terminal."""

    def __init__(
        self, paint: Paint, is_mine: Callable[[InputId], bool], *, tells_others: bool = True
    ) -> None:
        """Without `tells_others`, turns that are not one's own are passed over."""
        self.root = ""
        """Of the project: files in it are called as they are called there."""
        self._paint = paint
        self._is_mine = is_mine
        self._tells_others = tells_others
        self._turn: ToldTurn | None = None
        self._calls = Calls(paint)
        self._cells: set[CellId] = set()
        """Those of the agent that run: what other calls do meanwhile is told after them."""
        self._held: list[Piece] = []
        self._knows = 0
        """The version up to which everything was told when we came."""
        self._queued: dict[MessageId, Text] = {}
        """What waits for the agent: it is known again when it is delivered."""

    @property
    def live(self) -> str:
        """What is just being written."""
        turn = self._turn
        return "" if turn is None or self._is_passed_over(turn) else turn.live

    def attach(self, view: Conversation, running: CellId | None) -> list[Piece]:
        """Begin in the middle: a turn may be running already. What it did so far is told.

        `running` is the cell that runs, which is told by others.
        """
        self._knows = view.version
        turn = view.now.turn
        pieces = self.retell(view, turn, running) if turn is not None else []
        for block in view.open:
            pieces += self._of(block.turn).resumed(block)
        self._queued = {one.message: one.text for one in view.now.queue}
        for one in view.now.approvals:
            how = self._how(one)
            pieces += aside(requested(one, one.agent, self._paint, how))
        return pieces if self._tells_others else []

    def retell(
        self, view: Conversation, only: TurnId | None = None, running: CellId | None = None
    ) -> list[Piece]:
        """The blocks of a conversation, or of one turn of it, as they are told when they come.

        What was said has its name above it, by which it can be edited and gone on from.
        """
        ended_calls = {
            row.content.call for row in view.rows if isinstance(row.content, ToolResultBlock)
        }
        begun = {one.call: one for one in view.calls}
        pieces: list[Piece] = []
        for row in view.rows:
            if only is not None and row.turn != only:
                continue
            turn = self._of(row.turn)
            turn.since = turn.since or row.at
            if row.role is Role.ASSISTANT:
                turn.model = row.author.name
                if isinstance(row.content, TextBlock):
                    pieces.append(turn.head(row.block))
            sealed = Sealed(row.block, row.step, row.role, row.content, row.author, is_past=True)
            pieces += self._block(turn, sealed)
            if not isinstance(row.content, ToolCallBlock):
                continue
            one = begun.get(row.content.call)
            if one is not None and one.cell is not None and one.cell == running:
                self._calls.runs(one.call)
            elif one is not None:
                # What a cell came to stands in the result, once there is one.
                cell = None if one.call in ended_calls else one.cell
                started = t.ToolStarted(one.call, one.turn, one.step, one.name, cell, one.shares)
                pieces += turn.headed(self._calls.started(started))
        return pieces

    def tell(self, envelope: Envelope) -> list[Piece]:
        """What one event adds."""
        if envelope.version <= self._knows:
            return []
        event, is_mine = envelope.event, self._is_mine(envelope.cause)
        if isinstance(event, t.TurnStarted):
            turn = self._open(event.turn, is_mine=is_mine)
            turn.since, turn.purpose = envelope.at, event.purpose
        elif isinstance(event, t.MessageDelivered) and is_mine and not self._tells_others:
            self._of(event.turn).adopt()  # its answer is for whoever waits here, too
        if isinstance(event, d.DeedEvent | t.ApprovalRequested | t.ApprovalAnswered):
            pieces = self._after_cells(self._deed(envelope))
        else:
            pieces = self._tell(envelope)
        known = self._turn if self._turn and self._turn.id == getattr(event, "turn", "") else None
        passed_over = not is_mine if known is None else self._is_passed_over(known)
        if isinstance(event, t.TurnFinished):
            self._turn = None
        return [] if passed_over and not self._tells_others else pieces

    def show(self, progress: Delta | p.ToolOutput) -> list[Piece]:
        """What one piece of progress adds."""
        if isinstance(progress, p.ToolOutput):
            if self._turn is None:
                return []
            head = self._calls.head(progress.call)
            shown = self._turn.put_out(progress.call, head, progress.text)
            return [] if self._is_passed_over(self._turn) else self._after_cells(shown)
        turn = self._of(progress.turn)
        pieces = turn.heard(progress)
        return [] if self._is_passed_over(turn) else pieces

    def cell_started(
        self, envelope: Envelope, event: e.CellStarted
    ) -> tuple[list[Piece], bool] | None:
        """The line above a cell that the agent runs, and whether that shows all of its code.

        None for cells of others.
        """
        if envelope.origin.actor is not Actor.AGENT:
            return None
        called = self._calls.cell_started(event.cell, event.code)
        if called is not None:
            self._cells.add(event.cell)
        return called

    def cell_ended(self, cell: CellId) -> list[Piece]:
        """What other calls did while the agent's cell ran."""
        self._cells.discard(cell)
        if self._cells:
            return []
        held, self._held = self._held, []
        return held

    def _after_cells(self, pieces: list[Piece]) -> list[Piece]:
        if not self._cells:
            return pieces
        self._held += pieces
        return []

    # -- events -----------------------------------------------------------------------------------

    def _tell(self, envelope: Envelope) -> list[Piece]:
        event = envelope.event
        match event:
            case t.MessageQueued():
                self._queued[event.message] = event.text
            case t.MessageWithdrawn():
                self._queued.pop(event.message, None)
            case t.MessageDelivered():
                return self._delivered(envelope, event)
            case t.TurnPrepared():
                self._of(event.turn).model = event.choice.name
            case t.BlockSealed():
                return self._sealed(envelope, event)
            case t.StepFinished():
                self._of(event.turn).stepped(event.step)
            case t.ToolStarted():
                # Where cells of others are passed over, their results tell of them.
                begun = event if self._tells_others else replace(event, cell=None)
                return self._after_cells(self._of(event.turn).headed(self._calls.started(begun)))
            case t.RetryScheduled():
                was_begun = self._of(event.turn).struck()
                return aside(retrying(event, self._paint, was_begun=was_begun))
            case t.TurnFinished():
                return self._finished(envelope, event)
            case _:
                pass
        mine = self._is_mine(InputId(envelope.cause.removesuffix(BRANCHED)))
        return aside(turn_noticed(envelope, self._paint, is_mine=mine))

    def _deed(self, envelope: Envelope) -> list[Piece]:
        """What an agent asks for, may not do, or did."""
        event = envelope.event
        if isinstance(event, t.ApprovalRequested):
            turn = self._of(event.turn)
            is_put = turn.is_mine and self._tells_others
            how = "" if is_put else self._how(event)
            return self._aside(requested(event, envelope.origin.name, self._paint, how))
        call: list[Piece] = []
        if isinstance(event, d.ToolRefused):
            call = self._of(event.turn).headed(self._calls.refused(event.call, event.name))
        mine = self._is_mine(InputId(envelope.cause.removesuffix(BRANCHED)))
        said = deed_noticed(envelope, self._paint, is_mine=mine, root=self.root)
        return [*call, *self._aside(said)]

    def _aside(self, text: str) -> list[Piece]:
        """Lines beside what tools write: what they write next says again whose it is."""
        if text and self._turn is not None:
            self._turn.interrupted()
        return aside(text)

    def _delivered(self, envelope: Envelope, event: t.MessageDelivered) -> list[Piece]:
        text = self._queued.pop(event.message, "")
        whose = "" if self._is_mine(envelope.cause) else f" of {author(envelope.origin)}"
        return aside(self._paint.dim(f"{event.message}{whose} delivered: {one_line(text)}"))

    def _finished(self, envelope: Envelope, event: t.TurnFinished) -> list[Piece]:
        since = self._of(event.turn).since
        took = (envelope.at - since).total_seconds() if since is not None else None
        self._calls.forget()
        return aside(ended(event, took, self._paint))

    def _sealed(self, envelope: Envelope, event: t.BlockSealed) -> list[Piece]:
        mine = self._is_mine(envelope.cause)
        if event.replaces is not None:
            by = "" if mine else f" ({author(envelope.origin)})"
            replaced = clean(event.replaces, colour=False)
            said = f"{event.block} stands in the place of {replaced}{by}"
            answer = "; .regenerate has it answered" if event.role is Role.USER else ""
            return aside(self._paint.dim(f"{said}{answer}"))
        sealed = Sealed(event.block, event.step, event.role, event.content, envelope.origin, mine)
        return self._block(self._of(event.turn), sealed)

    # -- blocks -----------------------------------------------------------------------------------

    def _block(self, turn: ToldTurn, sealed: Sealed) -> list[Piece]:
        content = sealed.content
        pieces: Iterable[Piece] = ()
        match content:
            case TextBlock() if sealed.role is Role.USER:
                pieces = self._message(sealed, content.text)
            case TextBlock() | ThinkingBlock():
                pieces = turn.sealed(sealed.block, sealed.step, content)
            case ToolCallBlock():
                self._calls.called(content)
            case ToolResultBlock():
                head = self._calls.head(content.call)
                rest, written = turn.returned(content.call, head)
                result = self._calls.returned(content, sealed.block, written)
                pieces = self._after_cells(turn.headed([*rest, *result]))
            case ErrorBlock():
                helps = None if sealed.is_past else turn.purpose
                pieces = aside(error_of(content, self._paint, helps))
            case NoticeBlock():
                pieces = aside(notice_of(content, self._paint))
            case _:
                assert_never(content)
        return list(pieces)

    def _message(self, sealed: Sealed, text: Text) -> list[Piece]:
        """A message. One's own was seen when it was typed; one that waited is told as delivered."""
        if sealed.author.actor is Actor.SYSTEM:
            return aside(self._paint.dim(one_line(text)))
        if sealed.is_mine or next(iter(self._queued.values()), None) == text:
            return []
        who = self._paint.rule(f"{sealed.block}  {author(sealed.author)} to the agent")
        return aside(f"{who}\n{clean(text_of(text), colour=False).strip()}")

    # -- turns ------------------------------------------------------------------------------------

    def _open(self, turn: TurnId, *, is_mine: bool) -> ToldTurn:
        self._turn = ToldTurn(turn, self._paint, is_mine=is_mine)
        return self._turn

    def _of(self, turn: TurnId) -> ToldTurn:
        """The turn that is told; one that nobody told us of is somebody else's."""
        if self._turn is None or self._turn.id != turn:
            return self._open(turn, is_mine=False)
        return self._turn

    def _how(self, one: Approval | t.ApprovalRequested) -> str:
        elsewhere = "`hearth approve` answers it, in another terminal"
        return how_answered(one) if self._tells_others else elsewhere

    def _is_passed_over(self, turn: ToldTurn) -> bool:
        return not self._tells_others and not turn.is_mine
