"""A conversation as text to be pasted elsewhere: how the session stands, then who said what."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, assert_never

from hearth.core.views.conversation import Conversation
from hearth.core.views.conversation_rows import Row
from hearth.core.views.status import Status
from hearth.core.vocabulary import blocks as b
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.dashboard.composing.standings import begin, name_of, standings
from hearth.servers.http.around import Around

MOST: Final = 1_000_000
"""Characters of the whole text; the oldest messages go first."""
LONGEST_TEXT: Final = 50_000
LONGEST_DETAIL: Final = 2_000
"""Of what was called with what, and of what came of it."""


async def conversation_text(around: Around, session: SessionId) -> str:
    """The newest part of a conversation as it is now; why not, if the session cannot be seen."""
    seen = await around.hearth.view("status", session)
    said = await around.hearth.view("conversation", session)
    for one in (seen, said):
        if isinstance(one, Refused):
            return f"{one.why}\n"
    status, conversation = getattr(seen, "value", None), getattr(said, "value", None)
    if not isinstance(status, Status) or not isinstance(conversation, Conversation):
        raise TypeError("the views are not what they are called")
    return as_text(status, conversation)


def as_text(status: Status, conversation: Conversation) -> str:
    """A block that says how the session stands, then each message with what it consists of."""
    messages = [_message(rows) for rows in _messages(conversation.rows)]
    top = _diagnosis(status, conversation)
    kept: list[str] = []
    left = MOST - len(top)
    for one in reversed(messages):
        left -= len(one)
        if left < 0:
            break
        kept.append(one)
    is_cut = conversation.older or len(kept) < len(messages)
    before = ["(earlier messages are not part of this text)\n"] if is_cut else []
    return "\n".join((top, *before, *reversed(kept), *_open(conversation)))


def _diagnosis(status: Status, conversation: Conversation) -> str:
    talk = conversation.now
    model = (
        f"{talk.model or 'as the settings say'}{f', effort {talk.effort}' if talk.effort else ''}"
    )
    rows = {
        "session": status.session,
        "directory": status.directory,
        "state": "; ".join(one.said for one in standings(status, talk)),
        "interpreter": " ".join(filter(None, (status.language, status.version, status.python))),
        "cells": f"{status.evals} run, {status.errors} failed, {status.stale_events} stale",
        "agent": f"{talk.status}{f', {talk.turn} step {talk.step + 1}' if talk.turn else ''}",
        "model": model,
        "context": f"{talk.used} of {talk.window} tokens" if talk.window else "not known",
        "conversation": f"{talk.messages} messages, epoch {talk.epoch}, at {talk.line.leaf or '-'}",
        "waiting": f"{len(talk.queue)} messages, {len(talk.approvals)} approvals",
        "version": str(conversation.version),
    }
    lines = [f"{name}: {value}" for name, value in rows.items() if value]
    lines += [f"notice: {one}" for one in status.notices]
    return "\n".join((f"# {status.name or status.session}\n", "```", *lines, "```\n"))


def _messages(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows that belong together: one step of one author."""
    for _, found in groupby(rows, key=lambda row: (row.turn, row.step, row.role)):
        yield list(found)


def _message(rows: list[Row]) -> str:
    first = rows[0]
    who = {
        b.Role.USER: name_of(first.author),
        b.Role.ASSISTANT: "model",
        b.Role.TOOL: "tools",
        b.Role.SYSTEM: "hearth",
    }[first.role]
    when = first.at.isoformat(timespec="seconds")
    summary = ", ".join(_summary(row) for row in rows)
    top = f"## {who} · {when} · {first.turn} step {first.step + 1}\n[{summary}]\n"
    return "\n".join((top, *(f"{said}\n" for row in rows if (said := _said(row.content)))))


def _summary(row: Row) -> str:
    cut = ", incomplete" if row.partial else ""
    return f"{row.block} {_kind(row.content)}{cut}"


def _kind(content: b.Block) -> str:
    match content:
        case b.TextBlock():
            return f"text {_size(content.text)}"
        case b.ThinkingBlock():
            return f"thinking {_size(content.text)}"
        case b.ToolCallBlock():
            return f"call {content.call} {content.name} {_size(content.arguments)}"
        case b.ToolResultBlock():
            how = "error" if content.is_error else "result"
            return f"{how} {content.call} {content.name} {_size(content.result)}"
        case b.ErrorBlock():
            return f"error {content.status if content.status is not None else ''}".rstrip()
        case b.NoticeBlock():
            return f"notice {content.kind}"
        case _:
            assert_never(content)


def _said(content: b.Block) -> str:
    match content:
        case b.TextBlock():
            return _cut(content.text, LONGEST_TEXT)
        case b.ThinkingBlock():
            return ""  # that it thought is in the summary; what, only people at the page see
        case b.ToolCallBlock():
            return f"{content.name} {_cut(content.arguments, LONGEST_DETAIL)}"
        case b.ToolResultBlock():
            return _fenced(_cut(content.result, LONGEST_DETAIL))
        case b.ErrorBlock():
            return f"error: {_cut(content.message, LONGEST_DETAIL)}"
        case b.NoticeBlock():
            return _cut(content.text, LONGEST_DETAIL)
        case _:
            assert_never(content)


def _open(conversation: Conversation) -> Iterator[str]:
    for one in conversation.open:
        if one.text:
            yield f"## model, being written · {one.turn} step {one.step + 1}\n[{one.kind}]\n"
            yield f"{one.text[-LONGEST_TEXT:]}\n"


def _size(text: Text) -> str:
    return f"{len(text)} characters" if isinstance(text, str) else f"{text.size} bytes"


def _cut(text: Text, most: int) -> str:
    known = begin(text)
    if isinstance(text, str) and len(known) <= most:
        return known
    return f"{known[:most]} … ({_size(text)} in all)"


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
