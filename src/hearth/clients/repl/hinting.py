"""The signature of what is being called, while its arguments are typed."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.answers import Inspection

PAUSE: Final = 0.15
"""Seconds without a key before the session is asked."""
LONGEST: Final = 160

_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


def open_call(before: str) -> str:
    """The text up to the bracket of the innermost call that the cursor is in; empty if in none."""
    depth: list[str] = []
    quote = ""
    opened: list[int] = []
    for place, character in enumerate(before):
        if quote:
            quote = "" if character == quote and before[place - 1] != "\\" else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth.append(character)
            opened.append(place)
        elif character in _PAIRS and depth and depth[-1] == _PAIRS[character]:
            depth.pop()
            opened.pop()
    calls = [
        place
        for bracket, place in zip(depth, opened, strict=True)
        if bracket == "(" and place and (before[place - 1].isalnum() or before[place - 1] == "_")
    ]
    is_innermost = bool(calls) and calls[-1] == opened[-1]
    return before[: calls[-1]] if is_innermost else ""


def told(inspection: Inspection) -> str:
    """A signature with the first line of what it says of itself."""
    if not inspection.found or not inspection.signature:
        return ""
    first = inspection.doc.strip().split("\n", 1)[0]
    text = f"{inspection.signature}  {first}".rstrip().replace("\n", " ")
    return clean(text, colour=False)[:LONGEST]


class Hints:
    """Keeps one signature at hand; asks for another when the cursor comes into another call."""

    def __init__(
        self,
        ask: Callable[[str, int], Awaitable[Inspection | None]],
        changed: Callable[[], None],
        pause: float = PAUSE,
    ) -> None:
        self._ask = ask
        self._changed = changed
        self._pause = pause
        self._for = ""
        self._task: asyncio.Task[None] | None = None
        self.text = ""
        """What to show now."""

    def look(self, before: str) -> None:
        """The text before the cursor is this now."""
        call = open_call(before)
        if call == self._for:
            return
        self._for = call
        self.text = ""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if call:
            self._task = asyncio.get_running_loop().create_task(self._find(call))

    def close(self) -> None:
        """Ask no more."""
        self.look("")

    async def _find(self, call: str) -> None:
        await asyncio.sleep(self._pause)
        inspection = await self._ask(call, len(call))
        if inspection is not None:
            self.text = told(inspection)
            self._changed()
