"""What each conversation sends, kept as bytes: a step reads and encodes only what it added.

A tape is a cache of the log. Where it cannot be carried on it is made anew, and comes out the same.
"""

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from hearth.core.rules.conversation import Composer, without_old_thinking
from hearth.core.rules.lines import segments_of
from hearth.core.vocabulary.blocks import Role, WireNote
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.lines import ModelChoice, Segment
from hearth.core.vocabulary.messages import Message
from hearth.core.vocabulary.modelling import AskModel
from hearth.core.vocabulary.turns import BlockSealed, ModelAsked
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.language_model.codec import Opening
from hearth.performers.language_model.pictures import as_seen
from hearth.performers.language_model.pieces import Encode, Hashes, Laid, Pieces
from hearth.performers.language_model.reading import Beginning, Found, Reading

MOST_TAPES: Final = 64
MOST_BYTES: Final = 256 * 1024 * 1024
"""Of all tapes; those that were not used for longest go first."""
OTHER_EFFORT: Final = "the model was to think more, or less, than before"
OTHER_LINE: Final = "the conversation went another way than before"


class Witness(Protocol):
    """Sees every closed message of a conversation once, in order."""

    def take(self, message: Message) -> None:
        """The next one."""


class Encoding(Protocol):
    """How a tape is made."""

    def opening(self, opening: Opening) -> bytes:
        """What stands before the first message."""

    def encode(self, message: Message, choice: ModelChoice, *, marked: bool) -> bytes:
        """A message as its piece of a request."""

    def closing(self) -> bytes:
        """What stands behind the last message."""

    def witness(self) -> Witness | None:
        """Who else is to see the messages of a new tape."""


@dataclass(frozen=True, slots=True)
class _Before:
    """What is remembered of the request before."""

    choice: ModelChoice
    prefix: int
    beginning: Beginning
    hashes: Hashes


@dataclass(frozen=True, slots=True)
class Draft:
    """A request, ready to be sent."""

    opening: Opening
    body: bytes
    """All of it."""
    note: WireNote
    messages: tuple[Message, ...]
    """Those that are not closed yet."""
    hashes: Hashes
    tape: "Tape"


class NothingToSay(Exception):
    """There is no message that a model could be sent."""


class Tape:
    """One conversation with one model, up to one version of its log."""

    def __init__(
        self, session: SessionId, ask: AskModel, beginning: Beginning, encoding: Encoding
    ) -> None:
        self.choice = ask.choice
        self.prefix = ask.prefix
        self.beginning = beginning
        self.opening = opening_of(session, ask.choice, beginning)
        self.segments: tuple[Segment, ...] = ()
        self.witness = encoding.witness()
        self.before: _Before | None = None
        self._composer = Composer()
        self._encode = encoder(encoding, ask)
        self._around = encoding.opening(self.opening), encoding.closing()
        self._pieces = self._started()
        self._head = len(beginning.tools.encode()) + len(beginning.system.encode())

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return self._pieces.size + self._head

    def is_for(self, ask: AskModel) -> bool:
        """Whether requests of this kind can come from it at all."""
        return self.prefix == ask.prefix and self.choice == ask.choice

    def follow(self, before: _Before | None) -> None:
        """Compare what is sent with this. Only before anything was read."""
        self.before = before
        if before is not None and self._is_like(before):
            self._pieces = self._started(before.hashes)

    async def wind(self, reading: Reading, session: SessionId, ask: AskModel) -> bool:
        """Read on as far as the request reaches; False if it is about other messages."""
        segments = segments_of(ask.line, ask.through)
        new = beyond(self.segments, segments)
        if new is None:
            return False
        recalls, asked = self.before is None, None
        async for found in reading.along(session, new):
            event = found.event
            if isinstance(event, ModelAsked):
                if recalls and self._was_before(found, ask):
                    asked = self._pieces.told(self._composer.messages())
                continue
            if (
                asked is not None
                and isinstance(event, BlockSealed)
                and event.role is Role.ASSISTANT
            ):
                # Another daemon sent that, or this one in a time it forgot, and it was answered.
                # It was made of the same log, so of the same bytes.
                self.sent(asked)
                asked = None
            self._composer.take(event, found.session, found.pictures)
            for message in self._composer.closed():
                self._close(message)
        self.segments = segments
        return True

    def draft(self) -> Draft:
        """The request as it is now. NothingToSay."""
        messages = tuple(self._composer.messages())
        laid = self._pieces.lay(messages)
        if not laid.size:
            raise NothingToSay("there is nothing in this conversation that a model could be sent")
        return Draft(self.opening, laid.body, self._note(laid), messages, laid.hashes, self)

    def sent(self, hashes: Hashes) -> None:
        """A request with these pieces has reached the provider."""
        self.before = _Before(self.choice, self.prefix, self.beginning, hashes)
        self._pieces.sent(hashes)

    def _started(self, before: Hashes | None = None) -> Pieces:
        opening, closing = self._around
        return Pieces(self._encode, before, opening=opening, closing=closing)

    def _was_before(self, found: Found, ask: AskModel) -> bool:
        """Whether a model was asked by a request that this one carries on."""
        return (
            isinstance(found.event, ModelAsked)
            and found.event.purpose == "answer"
            and found.event.request != ask.request
            and found.version > self.prefix
            and not found.session
        )

    def _close(self, message: Message) -> None:
        self._pieces.close(message)
        if self.witness is not None:
            self.witness.take(message)

    def _is_like(self, before: _Before) -> bool:
        return (before.choice, before.beginning.tools, before.beginning.system) == (
            self.choice,
            self.beginning.tools,
            self.beginning.system,
        )

    def _note(self, laid: Laid) -> WireNote:
        before, here = self.before, self.beginning
        size, reason = self._head + laid.size, here.reason
        if before is None:
            return WireNote(size, why=reason)
        if before.choice.name != self.choice.name:
            return WireNote(size, differs_at="model", why=reason)
        if before.beginning.tools != here.tools:
            return WireNote(size, differs_at="tools", why=reason)
        if before.beginning.system != here.system:
            return WireNote(size, len(here.tools.encode()), "system", reason)
        if before.choice != self.choice:
            return WireNote(size, self._head, "system", OTHER_EFFORT)
        why = reason if before.prefix != self.prefix else OTHER_LINE
        differs_at = laid.differs_at or ""
        return WireNote(size, self._head + laid.shared, differs_at, why if differs_at else "")


class Tapes:
    """The tapes of the conversations that were last held."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._tapes: OrderedDict[SessionId, Tape] = OrderedDict()

    async def draft(self, session: SessionId, ask: AskModel, encoding: Encoding) -> Draft:
        """The request that is asked for. LogUnreadable, NothingToSay."""
        # Out of everybody's sight while it is read on: whoever is stopped in between leaves none.
        tape = self._tapes.pop(session, None)
        before = tape.before if tape is not None else None
        if tape is None or not tape.is_for(ask):
            tape = await self._begin(session, ask, encoding, before)
        if not await tape.wind(self.reading, session, ask):
            tape = await self._begin(session, ask, encoding, before)
            await tape.wind(self.reading, session, ask)
        draft = tape.draft()
        self._keep(session, tape)
        return draft

    async def _begin(
        self, session: SessionId, ask: AskModel, encoding: Encoding, before: _Before | None
    ) -> Tape:
        tape = Tape(session, ask, await self.reading.beginning(session, ask.prefix), encoding)
        tape.follow(before)
        return tape

    def _keep(self, session: SessionId, tape: Tape) -> None:
        self._tapes[session] = tape
        held = sum(one.size for one in self._tapes.values())
        while len(self._tapes) > 1 and (len(self._tapes) > MOST_TAPES or held > MOST_BYTES):
            _, oldest = self._tapes.popitem(last=False)
            held -= oldest.size


def encoder(encoding: Encoding, ask: AskModel) -> Encode:
    """How messages are encoded for a request: without what its model would refuse."""
    choice = ask.choice
    bound = capabilities(choice.provider, choice.model).bound_thinking

    def encode(message: Message, marked: bool) -> bytes:  # noqa: FBT001 - the one flag there is
        kept = without_old_thinking(message, ask.prefix) if bound else message
        return encoding.encode(as_seen(kept, choice), choice, marked=marked)

    return encode


def opening_of(session: SessionId, choice: ModelChoice, beginning: Beginning) -> Opening:
    """What stands before all messages, under a name of the conversation that never changes."""
    # Not the session's own name, which may tell where somebody works.
    conversation = sha256(f"hearth conversation {session}".encode()).hexdigest()[:32]
    return Opening(choice, beginning.system, beginning.tools, conversation)


def beyond(read: tuple[Segment, ...], wanted: tuple[Segment, ...]) -> tuple[Segment, ...] | None:
    """What of the wanted ranges lies behind those that were read; None if they are no beginning."""
    if not read:
        return wanted
    place = len(read) - 1
    if len(wanted) < len(read) or wanted[:place] != read[:place]:
        return None
    old, new = read[place], wanted[place]
    if (old.session, old.first) != (new.session, new.first) or new.last < old.last:
        return None
    rest = (Segment(old.last + 1, new.last, new.session),) if new.last > old.last else ()
    return (*rest, *wanted[place + 1 :])
