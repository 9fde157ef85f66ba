"""The texts of an answer: nothing twice and nothing missing, whichever pieces come.

In a terminal they are shown while they are written, and completed when they are stored.
"""

from __future__ import annotations

import sys

from hearth.clients.cli.markdown import Markdown, harmless
from hearth.clients.cli.showing import has_colours, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.spinning import Spinner


class _Live:
    """A text that is being written, as far as it was shown."""

    __slots__ = ("is_broken", "markdown", "text")

    def __init__(self) -> None:
        self.text = ""
        self.markdown = Markdown(is_coloured=has_colours(sys.stdout))
        self.is_broken = False
        """A piece of it is missing: the rest comes when it is stored."""


class AnswerText:
    """Writes an answer to stdout. `is_live`: as it comes, because a person looks."""

    def __init__(self, spinner: Spinner) -> None:
        """`spinner` is taken away before anything is written."""
        self.is_live = is_terminal(sys.stdout)
        self.is_open_line = False
        self._spinner = spinner
        self._live: dict[int, _Live] = {}
        """By their places in the answer that is being written."""
        self._sealed = 0
        """So many texts of that answer are stored."""

    @property
    def was_shown(self) -> bool:
        """Whether something of this answer was."""
        return any(live.text for live in self._live.values())

    def news_in(self, delta: dict[str, Any]) -> str:
        """What this piece adds to what was shown; `show` it. Empty if it cannot be shown yet."""
        place = int(delta.get("place", 0))
        if place not in self._live:
            self.pause()
        live = self._live.setdefault(place, _Live())
        offset = int(delta.get("offset", 0))
        if offset > len(live.text):
            live.is_broken = True
        return "" if live.is_broken else str(delta.get("text", ""))[len(live.text) - offset :]

    def show(self, delta: dict[str, Any], news: str) -> None:
        """Write what is new in a piece."""
        live = self._live[int(delta.get("place", 0))]
        live.text += news
        self._write(live.markdown.feed(harmless(news)))

    def miss(self) -> None:
        """Pieces were left out."""
        for live in self._live.values():
            live.is_broken = True

    def complete(self, text: str) -> None:
        """A text is stored: what was not shown of it is."""
        self._spinner.clear()
        places = sorted(self._live)
        live = self._live[places[self._sealed]] if self._sealed < len(places) else _Live()
        self._sealed += 1
        if not self.is_live:
            self._write(text)
            self.end_line()
            return
        if live.text.startswith(text):
            self.pause()  # of an answer that was cut off, more may be shown than is kept
            return
        if not text.startswith(live.text):
            # What we saw was another attempt: the truth is what is stored.
            self._write(live.markdown.close())
            self.end_line()
            live.text, live.markdown = "", _Live().markdown
        self._write(live.markdown.feed(harmless(text[len(live.text) :])) + live.markdown.close())
        live.text = text
        self.end_line()

    def pause(self) -> None:
        """No text goes on where the last one stopped."""
        for live in self._live.values():
            self._write(live.markdown.close())
        self.end_line()

    def forget(self) -> None:
        """Nothing more comes of this answer."""
        self.pause()
        self._live.clear()
        self._sealed = 0

    def end_line(self) -> None:
        """Begin a new line, unless one begins anyway."""
        if self.is_open_line:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._spinner.clear()
            sys.stdout.write(text)
            sys.stdout.flush()
            self.is_open_line = not text.endswith("\n")
