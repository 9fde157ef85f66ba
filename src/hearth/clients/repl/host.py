"""What the REPL needs beside the three verbs, and what it writes to."""

import secrets
import time
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hearth.api import Hearth
from hearth.clients.repl.pieces import Piece
from hearth.core.vocabulary.ids import CellId, InputId, SessionId


class Present(NamedTuple):
    """Somebody who is attached to a session."""

    kind: str
    """terminal, browser, program or mcp."""
    name: str
    door: str = ""


class Host(Hearth, Protocol):
    """A hearth that also knows who is there and gives out content that is kept apart.

    Whatever does not reach the daemon raises ConnectionError; it may be there again later.
    """

    async def fetch(self, sha256: str) -> bytes:
        """Content that is kept as a blob; KeyError if there is none."""

    async def who(self, session: SessionId) -> Sequence[Present]:
        """Who is attached to a session now."""


class Question(NamedTuple):
    """What a cell of one's own asks with `input()`; or, if it is `about` something, hearth."""

    cell: CellId
    prompt: str
    password: bool
    about: str = ""
    """What the person decides about, such as an approval. It waits until they have typed what they
    are typing."""


class Screen(Protocol):
    """Where things are shown."""

    async def show(self, pieces: Sequence[Piece]) -> None:
        """Show what happens in the session, above whatever is being typed."""

    async def note(self, text: str) -> None:
        """Show whole lines about the session, above whatever is being typed."""

    def refresh(self) -> None:
        """What the toolbar shows has changed."""

    def ask(self, question: Question | None) -> None:
        """Put a cell's question to the person; None when it is no longer open."""


def fresh_input_id() -> InputId:
    """An id that is chosen before anything is sent, so that it can be sent again."""
    return InputId(f"{time.time_ns() // 1_000_000:012x}-{secrets.token_hex(8)}")
