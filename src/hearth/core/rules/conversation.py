"""Turns sealed blocks into what a model reads, so that each request is a prefix of the next.

Every message is made of blocks that are in the log and never change, in the order of the line. What
a line lacks (the result of a call that a crash, a cancel or a branch left open) is filled in here,
and always with the same words; so the bytes of an earlier request come out again at any later time.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from hearth.core.rules.lines import block_seen_from
from hearth.core.rules.pictures import PictureRoom
from hearth.core.vocabulary.blocks import (
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import BlockId, CallId, SessionId, TurnId, block_place
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Picture,
    Returned,
    SaidPart,
    SaidText,
    Thought,
    ToolMessage,
    UserMessage,
)
from hearth.core.vocabulary.turns import BlockSealed, ConversationCompacted

UNKNOWN_EFFECTS: Final = "interrupted, effects unknown"
"""The result of a call of which nobody knows how it ended."""

_Step: TypeAlias = tuple[SessionId, TurnId, int]


class _OpenStep:
    """What one step wrote and got back so far."""

    def __init__(self, key: _Step, block: BlockId) -> None:
        self.key = key
        self.block = block
        self.parts: list[SaidPart] = []
        self.calls: dict[CallId, Called] = {}
        self.results: dict[CallId, Returned] = {}

    def messages(self) -> list[Message]:
        """The step as it is sent: what the model said, then all results in the order of calls."""
        if not any(isinstance(part, SaidText | Called) for part in self.parts):
            return []  # thinking alone is no answer; providers refuse it
        made: list[Message] = [AssistantMessage(self.block, tuple(self.parts))]
        if self.calls:
            results = tuple(
                self.results.get(call) or _lost(said) for call, said in self.calls.items()
            )
            made.append(ToolMessage(self.block, results))
        return made


def _lost(said: Called) -> Returned:
    return Returned(said.wire_id, said.name, UNKNOWN_EFFECTS, is_error=True)


class Composer:
    """Makes messages of blocks, as they come along the line."""

    def __init__(self) -> None:
        self._closed: list[Message] = []
        self._step: _OpenStep | None = None
        self._room = PictureRoom()

    def take(
        self,
        event: BlockSealed | ConversationCompacted,
        seen_from: SessionId,
        pictures: Sequence[Picture] = (),
    ) -> None:
        """Take the next event of the line, its texts in full, with the pictures it refers to.

        `seen_from` is the session that it is in, where that is another than the one that asks.
        """
        block = block_seen_from(event.block, seen_from) if seen_from else event.block
        if isinstance(event, ConversationCompacted):
            self._close()
            self._closed.append(UserMessage(block, _summary(event)))
            return
        match event.role:
            case Role.USER:
                self._said(event, block)
            case Role.ASSISTANT:
                self._written(event, block, seen_from)
            case Role.TOOL:
                self._returned(event, pictures)
            case Role.SYSTEM:
                pass  # for people alone

    def closed(self) -> list[Message]:
        """The messages that will never change again, since this was last asked."""
        closed, self._closed = self._closed, []
        return closed

    def messages(self) -> list[Message]:
        """Those behind them, as they are sent if a request is made now."""
        return self._step.messages() if self._step is not None else []

    def _close(self) -> None:
        if self._step is not None:
            self._closed += self._step.messages()
            self._step = None

    def _said(self, event: BlockSealed, block: BlockId) -> None:
        self._close()
        if isinstance(event.content, TextBlock) and (text := whole(event.content.text)):
            self._closed.append(UserMessage(block, text))

    def _written(self, event: BlockSealed, block: BlockId, session: SessionId) -> None:
        key = (session, event.turn, event.step)
        if self._step is None or self._step.key != key:
            self._close()
            self._step = _OpenStep(key, block)
        step = self._step
        match event.content:
            case TextBlock(text=text) if whole(text):
                step.parts.append(SaidText(whole(text)))
            case ThinkingBlock(text=text, native=native, model=model) if whole(native):
                step.parts.append(Thought(whole(text), whole(native), model))
            case ToolCallBlock(call=call, name=name, arguments=arguments, wire_id=wire_id):
                called = Called(wire_id or call, name, whole(arguments))
                step.parts.append(called)
                step.calls[call] = called
            case _:
                pass  # nothing a model could read

    def _returned(self, event: BlockSealed, pictures: Sequence[Picture]) -> None:
        found, step = event.content, self._step
        if not isinstance(found, ToolResultBlock) or step is None:
            return
        called = step.calls.get(found.call)
        if called is not None and found.call not in step.results:
            step.results[found.call] = Returned(
                called.wire_id,
                called.name,
                whole(found.result),
                found.is_error,
                tuple(map(self._room.admit, pictures)),
            )


def without_old_thinking(message: Message, prefix: int) -> Message:
    """A message without the thinking that an earlier prefix stood before.

    Some models accept their thinking only behind the very bytes that they thought it behind.
    """
    session, version = block_place(message.block)
    if not isinstance(message, AssistantMessage) or (not session and version > prefix):
        return message
    parts = tuple(part for part in message.parts if not isinstance(part, Thought))
    return replace(message, parts=parts)


def whole(text: Text) -> str:
    """A text that was fetched; of one that was not, what is known of it."""
    return text.head if isinstance(text, Blob) else text


def _summary(event: ConversationCompacted) -> str:
    said = f"This is a summary of the conversation so far.\n\n{whole(event.summary)}"
    if not event.files:
        return said
    return said + "\n\nFiles read or changed so far:\n" + "\n".join(event.files)
