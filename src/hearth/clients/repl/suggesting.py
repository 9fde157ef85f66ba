"""What could come is shown to whoever types, once they pause; Tab does not wait for it."""

import asyncio
from collections.abc import Callable
from typing import Final

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent

from hearth.clients.repl.messages import is_message

PAUSE: Final = 0.12
"""Seconds without a key before the session is asked what could come."""


class Suggesting:
    """Begins a completion for each pause in what is typed, instead of at every key."""

    def __init__(self, knows: Callable[[str], bool], is_open: Callable[[], bool]) -> None:
        """`knows` tells where nobody need be asked, `is_open` whether somebody can still type."""
        self._knows = knows
        self._is_open = is_open
        self._waiting: asyncio.TimerHandle | None = None

    def typed(self, buffer: Buffer) -> None:
        """Something was typed. What is said to the agent, nobody can complete."""
        if is_message(buffer.text):
            return
        self.close()
        before = buffer.document.text_before_cursor
        pause = 0.0 if self._knows(before) else PAUSE
        loop = asyncio.get_running_loop()
        self._waiting = loop.call_later(pause, self._complete, buffer, before)

    def close(self) -> None:
        """Suggest nothing for what was typed so far."""
        if self._waiting is not None:
            self._waiting.cancel()

    def _complete(self, buffer: Buffer, before: str) -> None:
        is_current = buffer.document.text_before_cursor == before and self._is_open()
        if is_current and buffer.complete_state is None:
            buffer.start_completion(complete_event=CompleteEvent(text_inserted=True))
