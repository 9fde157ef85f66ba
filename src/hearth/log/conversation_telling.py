"""Tells the events of a session as the entries of a file, branch by branch."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from msgspec.structs import replace

from hearth.core.views.conversation_rows import HERE, Row, row_of
from hearth.core.views.looking_back import newest
from hearth.core.vocabulary import events as e
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
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, CallId, SessionId, TurnId, block_place
from hearth.core.vocabulary.lines import Line
from hearth.log.conversation_extras import about, aside
from hearth.log.conversation_format import (
    MESSAGE,
    MODEL_CHANGE,
    SESSION_INFO,
    EntryIds,
    Header,
    Json,
    entry_line,
    header_line,
)
from hearth.log.conversation_messages import (
    assistant_message,
    result_message,
    user_message,
    whole,
)
from hearth.log.event_log import CorruptRow, EventLog
from hearth.log.looking import found

PAGE: Final = 500
EVERYTHING: Final = 10**9


class _Step(NamedTuple):
    """What a model wrote in one step, as far as it was met."""

    rows: tuple[Row, ...]
    ended: t.StepFinished | None = None

    def goes_on_with(self, row: Row) -> bool:
        return _step_of(row) == _step_of(self.rows[-1])


class Telling:
    """Tells a session's events as the entries of a file."""

    def __init__(self, log: EventLog, session: SessionId) -> None:
        self.entries = 0
        """How many were told so far."""
        self._log = log
        self._session = session
        self._ids = EntryIds(session)
        self._parent: str | None = None
        """The entry that the next one follows."""
        self._node = ""
        """The newest entry with blocks; what is noted between them does not count."""
        self._told: dict[tuple[str, tuple[BlockId, ...]], str] = {}
        """Entries by the one before them and the blocks that they are made of."""
        self._models: dict[str, str] = {"": ""}
        """The model that was set at each of them."""
        self._model = ""
        self._since = 0
        """Blocks from this version on follow what was told."""
        self._step: _Step | None = None
        self._ended: dict[tuple[SessionId, TurnId, int], t.StepFinished] = {}
        self._wire_ids: dict[tuple[SessionId, CallId], str] = {}
        self._entry_of: dict[BlockId, str] = {}

    async def lines(self, header: Header) -> AsyncIterator[bytes]:
        """All lines of the file."""
        yield header_line(header)
        after = 0
        while rows := await self._log.read_session(self._session, after, PAGE):
            for row in rows:
                one = envelope(row)
                for line in await self._entries(one):
                    self.entries += 1
                    yield line
            after = rows[-1].version
        for line in await self._flushed():
            self.entries += 1
            yield line

    async def _entries(self, one: Envelope) -> list[bytes]:
        event = one.event
        match event:
            case t.BlockSealed():
                # Of an edit that keeps the rest, the line had a place for it before it was sealed.
                is_told = one.version < self._since
                return [] if is_told else await self._block(row_of(one, event))
            case t.StepFinished():
                self._ended[HERE, event.turn, event.step] = event
                if self._step is not None:
                    self._step = self._step._replace(ended=event)
                return await self._flushed()
            case t.BranchSwitched() | t.ConversationForked():
                return await self._elsewhere(one, event)
            case _:
                return await self._noted(one)

    async def _noted(self, one: Envelope) -> list[bytes]:
        """What is no message, but worth knowing."""
        event = one.event
        match event:
            case t.ModelChanged():
                lines = await self._flushed()
                self._model = event.model or self._model
                effort = {"effort": event.effort} if event.effort is not None else {}
                return [*lines, self._changed(one.at, event.model, effort)]
            case t.ConversationCompacted():
                summary = {"summary": await self._text(event.summary), "files": event.files}
                return [*await self._flushed(), self._info(one.at, {"hearth": summary})]
            case e.SessionStarted() if event.config.name:
                return [self._info(one.at, {"name": event.config.name})]
            case e.SessionRenamed():
                return [*await self._flushed(), self._info(one.at, {"name": event.name})]
            case _:
                return []

    async def _block(self, row: Row) -> list[bytes]:
        if row.role is Role.ASSISTANT:
            if self._step is not None and self._step.goes_on_with(row):
                self._step = self._step._replace(rows=(*self._step.rows, row))
                return []
            lines = await self._flushed()
            self._step = _Step((row,), self._ended.get(_step_of(row)))
            return lines
        return [*await self._flushed(), await self._single(row)]

    async def _flushed(self) -> list[bytes]:
        """The entry of the step that was being gathered."""
        step, self._step = self._step, None
        if step is None:
            return []
        ended, first = step.ended, step.rows[0]
        session = block_place(first.block)[0]
        blocks = [await self._whole(row.content) for row in step.rows]
        written = [b for b in blocks if isinstance(b, TextBlock | ThinkingBlock | ToolCallBlock)]
        for block in written:
            if isinstance(block, ToolCallBlock):
                self._wire_ids[session, block.call] = block.wire_id or block.call
        message = assistant_message(
            written,
            ended.model if ended is not None else first.author.name,
            ended.usage if ended is not None else None,
            ended.stop if ended is not None else "",
        )
        for part, row in zip(message["content"], step.rows, strict=False):
            if row.partial:
                part["hearth"] = {**part.get("hearth", {}), "partial": True}
        return [self._entry(MESSAGE, first.at, {"message": message, **about(first)}, step.rows)]

    async def _single(self, row: Row) -> bytes:
        content = await self._whole(row.content)
        match content:
            case ErrorBlock() | NoticeBlock():
                said = aside(content)
                said["hearth"] |= about(row)["hearth"]
                return self._entry(SESSION_INFO, row.at, said, (row,))
            case ToolResultBlock(call=call):
                known = self._wire_ids.get((block_place(row.block)[0], call), call)
                message = result_message(content, known)
            case TextBlock(text=text) | ThinkingBlock(text=text):
                message = user_message(whole(text))
            case ToolCallBlock(name=name):
                message = user_message(name)  # no person calls tools; it is kept all the same
            case _:
                assert_never(content)
        said = {"message": message, **about(row)}
        replaced = self._entry_of.get(row.replaces) if row.replaces is not None else None
        if replaced is not None:
            said["hearth"] |= {"replaces": replaced}
        return self._entry(MESSAGE, row.at, said, (row,))

    async def _elsewhere(
        self, one: Envelope, event: t.BranchSwitched | t.ConversationForked
    ) -> list[bytes]:
        """Go to where the conversation goes on; what is not in the file yet is told anew."""
        lines = await self._flushed()
        rows = await self._on(event.line, one.version)
        self._node, self._parent, self._since = "", None, event.line.since
        groups = _grouped(rows)
        for number, group in enumerate(groups):
            known = self._told.get((self._node, tuple(row.block for row in group)))
            if known is not None:
                self._node = self._parent = known
            elif group[0].role is not Role.ASSISTANT:
                lines.append(await self._single(group[0]))
            else:
                self._step = _Step(group, self._ended.get(_step_of(group[0])))
                if number + 1 < len(groups):
                    lines += await self._flushed()
        self._model = self._models.get(self._node, "")
        if event.model and event.model != self._model:
            self._model = event.model
            lines.append(self._changed(one.at, event.model, {}))
        return lines

    async def _on(self, line: Line, through: int) -> Sequence[Row]:
        looking = newest(self._session, line, min(through, line.since - 1), EVERYTHING, EVERYTHING)
        return (await found(looking, self._log.read_session)).rows

    def _entry(self, type_: str, at: datetime, said: Json, rows: Sequence[Row] = ()) -> bytes:
        made_of = ",".join(row.block for row in rows) or f"{type_} {self.entries}"
        name = self._ids.of(f"{self._node} {made_of}")
        line = entry_line(type_, name, self._parent, at, said)
        self._parent = name
        if rows:
            self._told[self._node, tuple(row.block for row in rows)] = name
            self._node = name
            self._models[name] = self._model
            self._entry_of |= {row.block: name for row in rows}
        return line

    def _info(self, at: datetime, said: Json) -> bytes:
        return self._entry(SESSION_INFO, at, said)

    def _changed(self, at: datetime, model: str, extra: Json) -> bytes:
        hearth = {"hearth": extra} if extra else {}
        if not model:
            return self._info(at, hearth)
        provider, _, name = model.rpartition(":")
        return self._entry(MODEL_CHANGE, at, {"provider": provider, "modelId": name, **hearth})

    async def _whole(self, block: Block) -> Block:
        """The block with its texts in full."""
        match block:
            case TextBlock():
                return replace(block, text=await self._text(block.text))
            case ThinkingBlock():
                text, native = await self._text(block.text), await self._text(block.native)
                return replace(block, text=text, native=native)
            case ToolCallBlock():
                return replace(block, arguments=await self._text(block.arguments))
            case ToolResultBlock():
                return replace(block, result=await self._text(block.result))
            case ErrorBlock():
                return replace(block, message=await self._text(block.message))
            case NoticeBlock():
                return block

    async def _text(self, text: Text) -> str:
        if not isinstance(text, Blob):
            return text
        try:
            return (await self._log.blobs.get(text.sha256)).decode()
        except (KeyError, CorruptRow):
            return text.head  # what is damaged in the log does not stop an export


def _grouped(rows: Sequence[Row]) -> list[tuple[Row, ...]]:
    """The rows as messages: what a model wrote in one step is one."""
    groups: list[tuple[Row, ...]] = []
    for row in rows:
        last = groups[-1] if groups else ()
        is_written = bool(last) and {row.role, last[0].role} == {Role.ASSISTANT}
        if is_written and _step_of(row) == _step_of(last[0]):
            groups[-1] = (*last, row)
        else:
            groups.append((row,))
    return groups


def _step_of(row: Row) -> tuple[SessionId, TurnId, int]:
    return (block_place(row.block)[0], row.turn, row.step)
