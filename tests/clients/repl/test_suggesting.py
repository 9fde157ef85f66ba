"""Whoever types is shown what could come once they pause, and never asked for it at every key."""

import asyncio
from collections.abc import AsyncGenerator, Iterable

import pytest
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from tests.clients.repl.talking import PATIENCE

from hearth.clients.repl import suggesting
from hearth.clients.repl.suggesting import Suggesting


class Asked(Completer):
    """Remembers what it was asked, and by what."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.news = asyncio.Event()

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        self.asked.append((document.text_before_cursor, complete_event.text_inserted))
        self.news.set()
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        for one in self.get_completions(document, complete_event):
            yield one


def typing(pausing: Suggesting) -> tuple[Buffer, Asked]:
    """A line whose keys are heard, and what it asks."""
    asked = Asked()
    buffer = Buffer(completer=asked, multiline=True)
    buffer.on_text_insert += pausing.typed
    return buffer, asked


async def test_only_what_is_typed_when_one_pauses_is_asked_about() -> None:
    buffer, asked = typing(Suggesting(lambda _: False, lambda: True))
    for key in "pri":
        buffer.insert_text(key)
    assert asked.asked == []
    async with asyncio.timeout(PATIENCE):
        await asked.news.wait()
    assert asked.asked == [("pri", True)]


async def test_what_is_known_already_is_shown_without_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(suggesting, "PAUSE", 3600.0)
    buffer, asked = typing(Suggesting(lambda before: before == "pri", lambda: True))
    buffer.insert_text("pri")
    async with asyncio.timeout(PATIENCE):
        await asked.news.wait()
    assert asked.asked == [("pri", True)]


async def test_nothing_is_suggested_for_what_is_said_or_no_longer_there() -> None:
    is_open = True
    pausing = Suggesting(lambda _: True, lambda: is_open)
    buffer, asked = typing(pausing)
    buffer.insert_text("> pri")
    assert pausing._waiting is None
    buffer.reset()
    buffer.insert_text("print")
    assert pausing._waiting is not None
    pausing.close()
    assert pausing._waiting.cancelled()
    pausing._complete(buffer, "pri")
    is_open = False
    pausing._complete(buffer, "print")
    await asyncio.sleep(0)
    assert asked.asked == []
