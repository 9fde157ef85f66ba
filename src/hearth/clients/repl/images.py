"""Pictures in a terminal that can show them; in any other, a file and a link to it."""

import asyncio
import base64
import binascii
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Final, NamedTuple

from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Picture, Piece, Words
from hearth.clients.repl.sixel import sixels
from hearth.core.vocabulary.content import Blob

VARIABLE: Final = "HEARTH_IMAGES"
LARGEST_SHOWN: Final = 8_000_000
"""Bytes. A larger picture is only linked."""
MOST_FILES: Final = 200
CHUNK: Final = 4096
"""Characters of base64 that kitty takes at once."""

_ENDINGS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/svg+xml": "svg",
}


class Drawing(StrEnum):
    """How a terminal is given pictures."""

    KITTY = "kitty"
    ITERM2 = "iterm2"
    SIXEL = "sixel"
    LINK = "link"


def drawing_for(environ: Mapping[str, str]) -> Drawing:
    """What the terminal says it can, by its environment; it is never asked, so it never answers.

    `HEARTH_IMAGES` overrules it. Between us and the terminal, tmux and screen show nothing.
    """
    said = environ.get(VARIABLE, "").lower()
    if said in set(Drawing):
        return Drawing(said)
    term, program = environ.get("TERM", ""), environ.get("TERM_PROGRAM", "")
    if environ.get("TMUX") or term.startswith(("screen", "tmux")):
        return Drawing.LINK
    if environ.get("KITTY_WINDOW_ID") or term in {"xterm-kitty", "xterm-ghostty"}:
        return Drawing.KITTY
    if program in {"iTerm.app", "WezTerm"} or environ.get("LC_TERMINAL") == "iTerm2":
        return Drawing.ITERM2
    if term.startswith(("foot", "mlterm", "yaft")) or "sixel" in term:
        return Drawing.SIXEL
    return Drawing.LINK


class Pictures(NamedTuple):
    """Turns pieces into text for the terminal, fetching and drawing what has to be."""

    fetch: Callable[[str], Awaitable[bytes]]
    folder: str
    """Where pictures go that cannot be shown; it is made when the first one comes."""
    drawing: Drawing
    paint: Paint
    links: bool
    """Whether the terminal may be given links."""

    async def render(self, pieces: Sequence[Piece]) -> str:
        """All pieces as lines."""
        return "\n".join([await self._one(piece) for piece in pieces])

    async def _one(self, piece: Piece) -> str:
        if isinstance(piece, Words):
            return piece.text
        content = await self._content(piece)
        if content is None:
            return f"<{piece.media_type} that cannot be read>"
        # In a thread: drawing by hand takes a while, and the prompt must stay alive.
        drawn = await asyncio.to_thread(_drawn, piece.media_type, content, self.drawing)
        return drawn or self._linked(piece, content)

    async def _content(self, picture: Picture) -> bytes | None:
        try:
            data = picture.data
            text = (await self.fetch(data.sha256)) if isinstance(data, Blob) else data.encode()
            if picture.media_type == "image/svg+xml":
                return text
            return base64.b64decode(b"".join(text.split()), validate=True)
        except (KeyError, binascii.Error):
            return None

    def _linked(self, picture: Picture, content: bytes) -> str:
        size = f"{len(content) / 1024:.0f} KB" if len(content) > 1024 else f"{len(content)} bytes"
        said = f"<{picture.media_type}, {size}>"
        try:
            path = _saved(self.folder, picture, content)
        except OSError as error:
            return f"{said} {self.paint.warning(f'not saved: {error.strerror}')}"
        link = f"\x1b]8;;file://{_quoted(path)}\x1b\\{path}\x1b]8;;\x1b\\" if self.links else path
        return f"{said} {link}"


def _drawn(media_type: str, content: bytes, drawing: Drawing) -> str:
    """The picture in the terminal's own language; empty if it has no words for it."""
    if len(content) > LARGEST_SHOWN or media_type == "image/svg+xml":
        return ""
    match drawing:
        case Drawing.KITTY:
            return _kitty(content) if media_type == "image/png" else ""
        case Drawing.ITERM2:
            encoded = base64.b64encode(content).decode()
            return f"\x1b]1337;File=inline=1;size={len(content)}:{encoded}\x07"
        case Drawing.SIXEL:
            return sixels(content) if media_type == "image/png" else ""
        case Drawing.LINK:
            return ""


def _kitty(content: bytes) -> str:
    encoded = base64.b64encode(content).decode()
    chunks = [encoded[start : start + CHUNK] for start in range(0, len(encoded), CHUNK)]
    last = len(chunks) - 1
    # q=2: kitty must not answer; it would be taken for something typed.
    return "".join(
        f"\x1b_G{'a=T,f=100,q=2,' if not place else ''}m={int(place < last)};{chunk}\x1b\\"
        for place, chunk in enumerate(chunks)
    )


def _saved(folder: str, picture: Picture, content: bytes) -> str:
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - a path as the daemon gives it
    digest = sha256(content).hexdigest()[:8]
    name = f"{picture.name}-{digest}.{_ENDINGS[picture.media_type]}"
    path = os.path.join(folder, name)  # noqa: PTH118 - as above
    _forget_oldest(folder)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return path


def _forget_oldest(folder: str) -> None:
    with os.scandir(folder) as entries:
        files = sorted((entry.stat().st_mtime, entry.path) for entry in entries)
    for _, path in files[: max(0, len(files) - MOST_FILES + 1)]:
        os.unlink(path)  # noqa: PTH108 - as above


def _quoted(path: str) -> str:
    """A path as a part of an address."""
    return "".join(
        chr(one) if (chr(one).isalnum() and one < 128) or one in b"/-_.~" else f"%{one:02X}"
        for one in os.fsencode(path)
    )
