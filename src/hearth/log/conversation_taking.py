"""The entries of a file as the events of a new session, each held to the rules of all sessions."""

from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from hearth.core.rules.lines import segments_of
from hearth.core.rules.session import IllegalEvent, SessionState, evolve
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    Block,
    ErrorBlock,
    NoticeBlock,
    NoticeKind,
    Role,
    StopReason,
    TextBlock,
    ToolCallBlock,
)
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import (
    BlockId,
    CallId,
    InputId,
    RequestId,
    SessionId,
    TurnId,
    block_id,
)
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.origin import SYSTEM, Actor, Origin
from hearth.log.archive import imported_id
from hearth.log.conversation_extras import (
    aside_of,
    author_of,
    config_of,
    effort_of,
    extra_of,
)
from hearth.log.conversation_format import (
    MESSAGE,
    MODEL_CHANGE,
    ROLES,
    BadConversation,
    Entry,
    Json,
    Read,
)
from hearth.log.conversation_messages import (
    parts_of,
    result_block,
    said_text,
    usage_of,
    written_block,
)

IMPORTED: Final = "imported"
NOTES: Final = "{} entries name a parent that is not before them; they begin anew"


class Taken(NamedTuple):
    """A conversation as the facts of a session."""

    facts: tuple[Fact, ...]
    notes: tuple[str, ...]


class _Call(NamedTuple):
    """A call that was met, and what came of it."""

    call: CallId
    name: str
    turn: TurnId
    step: int
    block: BlockId
    result: BlockId | None = None


class _Place(NamedTuple):
    """The conversation as it was behind an entry."""

    line: Line
    model: str


def taken(path: Path, read: Read, session: SessionId) -> Taken:
    """The events of a file as those of `session`, which has none yet. BadConversation."""
    taking = _Taking(path, read, session)
    return Taken(taking.facts(), (*read.notes, *taking.notes()))


class _Taking:
    def __init__(self, path: Path, read: Read, session: SessionId) -> None:
        self._path = path
        self._read = read
        self._state = SessionState(session)
        self._facts: list[Fact] = []
        self._places: dict[str, _Place] = {}
        self._calls: dict[str, _Call] = {}
        self._blocks: dict[str, BlockId] = {}
        """The first block of each entry."""
        self._turn_there = ""
        """What the file calls the turn that is open."""
        self._cause = InputId(f"{IMPORTED}-0")
        self._last: Block | None = None
        """What was said last in the turn that is open."""
        self._orphans = 0
        self._line = 1

    def facts(self) -> tuple[Fact, ...]:
        """All of them. BadConversation."""
        header = self._read.header
        self._happen(e.SessionStarted(config_of(header)), header.timestamp)
        # It has no interpreter, and none is started for it before somebody asks.
        self._happen(e.SessionStopped(IMPORTED), header.timestamp)
        at = header.timestamp
        for number, entry in enumerate(self._read.entries, start=1):
            self._line, self._cause = entry.line, InputId(f"{IMPORTED}-{number}")
            at = entry.at
            self._go_to(entry)
            self._take(entry)
            talk = self._state.talk
            closed = segments_of(talk.line, self._state.version)
            line = replace(talk.line, segments=closed, since=self._state.version + 1)
            self._places[entry.id] = _Place(line, talk.model)
        self._finish(at)
        return tuple(self._facts)

    def notes(self) -> tuple[str, ...]:
        """What was not as it should be."""
        return (NOTES.format(self._orphans),) if self._orphans else ()

    def _go_to(self, entry: Entry) -> None:
        """Go back to the entry that this one follows, if the conversation is not there."""
        if entry.parent is not None and entry.parent not in self._places:
            self._orphans += 1
        there = self._places.get(entry.parent or "", _Place(Line(), ""))
        if there.line.leaf == self._state.talk.line.leaf:
            return
        self._finish(entry.at)
        line = replace(there.line, since=self._state.version + 1)
        self._happen(t.BranchSwitched(line, IMPORTED, there.model), entry.at)

    def _take(self, entry: Entry) -> None:
        if entry.type == MESSAGE:
            self._message(entry)
        elif entry.type == MODEL_CHANGE:
            provider, model = str(entry.fields.get("provider", "")), entry.fields.get("modelId")
            if not isinstance(model, str) or not model:
                raise self._bad("another model needs a `modelId`")
            name = f"{provider}:{model}" if provider else model
            self._happen(t.ModelChanged(name, effort_of(extra_of(entry.fields))), entry.at)
        else:
            self._info(entry)

    def _info(self, entry: Entry) -> None:
        extra, name = extra_of(entry.fields), entry.fields.get("name")
        if isinstance(name, str) and name:
            self._happen(e.SessionRenamed(name), entry.at)
        if (block := aside_of(extra)) is not None:
            self._seal(entry, Role.SYSTEM, block, SYSTEM)
        elif (effort := effort_of(extra)) is not None:
            self._happen(t.ModelChanged("", effort), entry.at)

    def _message(self, entry: Entry) -> None:
        message = entry.fields.get("message")
        if not isinstance(message, dict) or str(message.get("role")) not in ROLES:
            raise self._bad(f"a message needs a role: one of {', '.join(sorted(ROLES))}")
        match message["role"]:
            case "user":
                self._begin(entry, by_person=True)
                said = TextBlock(said_text(message.get("content")))
                person = author_of(extra_of(entry.fields), Actor.PERSON, "")
                self._seal(entry, Role.USER, said, person)
            case "assistant":
                self._begin(entry)
                self._answer(entry, message)
            case _:
                self._result(entry, message)

    def _begin(self, entry: Entry, *, by_person: bool = False) -> None:
        """Begin a turn, unless this is part of the one that is open."""
        extra = extra_of(entry.fields)
        there = str(extra.get("turn", ""))
        goes_on = there == self._turn_there if there else not by_person
        if self._state.talk.open is not None and goes_on:
            return
        self._finish(entry.at)
        turn = TurnId(f"t{self._state.talk.turns + 1}")
        origin = author_of(extra, Actor.PERSON, "") if by_person else SYSTEM
        self._happen(t.TurnStarted(turn), entry.at, origin)
        self._turn_there, self._last = there, None

    def _finish(self, at: datetime) -> None:
        """End the turn that is open, in the way its last words tell."""
        turn = self._state.talk.open
        if turn is None:
            return
        last = self._last
        end = t.TurnEnd.DONE
        if isinstance(last, ErrorBlock):
            end = t.TurnEnd.FAILED
        elif isinstance(last, NoticeBlock) and last.kind is NoticeKind.CANCELLED:
            end = t.TurnEnd.CANCELLED
        self._happen(t.TurnFinished(turn.turn, end, turn.steps, turn.usage), at)

    def _answer(self, entry: Entry, message: Json) -> None:
        talk = self._state.talk
        turn = talk.open
        if turn is None:
            raise AssertionError("a turn was begun for it")
        request, step = RequestId(f"r{talk.requests + 1}"), turn.steps
        model = str(message.get("model") or talk.model)
        agent = author_of(extra_of(entry.fields), Actor.AGENT, model)
        self._happen(t.ModelAsked(request, turn.turn, step), entry.at)
        for part in parts_of(message.get("content")):
            block = written_block(part, model)
            is_partial = bool(extra_of(part).get("partial"))
            if isinstance(block, ToolCallBlock):
                call = CallId(f"k{self._state.talk.calls + 1}")
                block = replace(block, call=call)
                place = block_id(self._state.version + 1)
                self._calls[block.wire_id] = _Call(call, block.name, turn.turn, step, place)
            self._seal(entry, Role.ASSISTANT, block, agent, is_partial=is_partial)
        try:
            stop = StopReason(message.get("stopReason", "end"))
        except ValueError:
            stop = StopReason.OTHER
        usage = usage_of(message)
        self._happen(t.StepFinished(turn.turn, step, request, model, stop, usage), entry.at)

    def _result(self, entry: Entry, message: Json) -> None:
        said = str(message.get("toolCallId", ""))
        known = self._calls.get(said)
        if known is None:
            raise self._bad(f"it is the result of a call {said!r} that is nowhere before it")
        block = result_block(message, known.call, known.name)
        turn = self._state.talk.open
        waits = turn is not None and any(
            one.call == known.call and not one.is_done for one in turn.calls
        )
        place = block_id(self._state.version + 1)
        origin = author_of(extra_of(entry.fields), Actor.AGENT, self._state.talk.model)
        # On another branch it stands in the place of the result that the call has on its own.
        instead = None if waits else known.result or known.block
        self._seal(entry, Role.TOOL, block, origin, of=known, replaces=instead)
        self._calls[said] = known._replace(result=place)

    def _seal(  # noqa: PLR0913 - what a block consists of
        self,
        entry: Entry,
        role: Role,
        content: Block,
        origin: Origin,
        *,
        of: _Call | None = None,
        replaces: BlockId | None = None,
        is_partial: bool = False,
    ) -> None:
        talk = self._state.talk
        turn = talk.open
        block = block_id(self._state.version + 1)
        step = turn.step if turn is not None else 0
        replaces = replaces or self._blocks.get(str(extra_of(entry.fields).get("replaces", "")))
        sealed = t.BlockSealed(
            block=block,
            turn=of.turn if of is not None else turn.turn if turn is not None else TurnId(""),
            step=of.step if of is not None else step,
            role=role,
            content=content,
            parent=talk.line.leaf,
            replaces=replaces,
            partial=is_partial,
        )
        self._happen(sealed, entry.at, origin)
        self._blocks.setdefault(entry.id, block)
        self._last = content

    def _happen(self, event: Event, at: datetime, origin: Origin = SYSTEM) -> None:
        version = self._state.version + 1
        name = imported_id(self._state.session, self._read.digest, version)
        fact = Fact(id=name, at=at, origin=origin, cause=self._cause, event=event)
        try:
            self._state = evolve(self._state, fact)
        except IllegalEvent as illegal:
            raise self._bad(f"it cannot have happened here: {illegal}") from illegal
        self._facts.append(fact)

    def _bad(self, why: str) -> BadConversation:
        return BadConversation(self._path, self._line, why)
