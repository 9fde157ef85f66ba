"""What cells showed, by addresses of their own: documents that nothing can get out of.

An output is found by the version of the event that opened its cell, the cell, and its number; what
it showed stands in the event that closed it, which lies a few rows further on.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.responses import Response

from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Output, Outputs, RichData, Text
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.rendering.pictures import KINDS, SVG
from hearth.servers.dashboard.rendering.rich import HTML
from hearth.servers.http.around import Around

PAGE: Final = 200
MOST_ROWS: Final = 2000
"""So many rows behind its beginning the end of a cell is looked for."""
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one document."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[a-z0-9]{1,32}")
_HINTS: Final = re.compile(r"<(?=(?:link|meta|base)\b)", re.IGNORECASE)
"""By these a document could ask for addresses, which no policy forbids."""
_LOCKED: Final = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": _LOCKED,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-dns-prefetch-control": "off",
    "x-frame-options": "SAMEORIGIN",
}
_BEFORE: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="color-scheme" content="light dark"><title>Output</title><style>
:root { color-scheme: light dark; font: 13px/1.45 ui-sans-serif, system-ui, sans-serif; }
body { margin: 4px; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 8px; border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); }
th { text-align: start; }
img, svg { max-width: 100%; height: auto; }
</style></head><body>
"""
_outputs: Final = msgspec.json.Decoder(tuple[Output, ...])


class Missing(Exception):
    """There is nothing at this address; the words say what is missing."""

    status = 404


class NotNow(Missing):
    """There may be something, but it cannot be had at the moment."""

    status = 503


async def framed(
    around: Around, session: SessionId, version: int, cell: str, number: int
) -> Response:
    """The HTML of an output as a document of its own: styles work, nothing else does."""
    try:
        words = await _text(around, await _found(around, session, version, cell, number), HTML)
    except Missing as missing:
        return _nothing(missing)
    shown = _HINTS.sub("&lt;", words.decode("utf-8", "replace"))
    return Response(f"{_BEFORE}{shown}", 200, _HEADERS, media_type=HTML)


async def pictured(
    around: Around, session: SessionId, version: int, cell: str, number: int
) -> Response:
    """The picture of an output."""
    try:
        data = await _found(around, session, version, cell, number)
        kind = next((one for one in (*KINDS, SVG) if one in data.bundle), "")
        words = await _text(around, data, kind)
        content = words
        if kind != SVG:
            content = base64.b64decode(b"".join(words.split()), validate=True)
    except Missing as missing:
        return _nothing(missing)
    except (binascii.Error, ValueError):
        return _nothing(Missing("this is no picture"))
    return Response(content, 200, _HEADERS, media_type=kind)


async def kept(around: Around, sha256: str, wanted: str = "text") -> Response:
    """Content by its hash, as text or as a picture: `text`, `png`, `jpeg`, `gif`, `webp`."""
    kind = f"image/{wanted}"
    try:
        content = await _fetched(around, sha256)
    except Missing as missing:
        return _nothing(missing)
    if kind in KINDS:
        return Response(content, 200, _HEADERS, media_type=kind)
    return Response(content, 200, _HEADERS, media_type="text/plain; charset=utf-8")


async def _found(
    around: Around, session: SessionId, version: int, cell: str, number: int
) -> RichData:
    """One output of a cell that has ended."""
    if not _NAME.fullmatch(cell) or version < 1 or not 0 <= number < 100_000:
        raise Missing("there is no such cell")
    outputs = await _closed(around, session, version, cell)
    if isinstance(outputs, Blob):
        try:
            outputs = _outputs.decode(await _fetched(around, outputs.sha256))
        except msgspec.DecodeError:
            raise Missing("its outputs cannot be read") from None
    one = outputs[number] if number < len(outputs) else None
    if not isinstance(one, RichData):
        raise Missing("it has no such output")
    return one


async def _closed(around: Around, session: SessionId, version: int, cell: str) -> Outputs:
    """Everything that a cell showed, from the event that closed it."""
    after, mark = version - 1, f'"{cell}"'.encode()
    for _ in range(0, MOST_ROWS, PAGE):
        try:
            rows = await around.rows(session, after, PAGE)
        except Exception as error:
            raise NotNow("the store does not answer at the moment") from error
        for row in rows:
            if mark not in row.data:
                continue
            event = _event(row)
            if (
                isinstance(event, e.CellFinished | e.CellFailed | e.CellCancelled)
                and event.cell == cell
            ):
                return event.outputs
        if len(rows) < PAGE:
            break
        after = rows[-1].version
    raise Missing("the cell has not ended, or is not here")


def _event(row: Stored) -> e.Event | None:
    try:
        return codec.envelope(row).event
    except codec.Unreadable:
        return None  # of a later hearth


async def _text(around: Around, data: RichData, kind: str) -> bytes:
    """One of the representations of an object."""
    words: Text | None = data.bundle.get(kind)
    if words is None:
        raise Missing("it cannot be shown like this")
    if isinstance(words, Blob):
        return await _fetched(around, words.sha256)
    return words.encode("utf-8", "replace")


async def _fetched(around: Around, sha256: str) -> bytes:
    if not _HASH.fullmatch(sha256):
        raise Missing("this is no hash of any content")
    try:
        content = await around.fetch(sha256)
    except KeyError:
        raise Missing("no content has this hash") from None
    except Exception as error:
        raise NotNow("the store does not answer at the moment") from error
    if len(content) > MOST_BYTES:
        raise Missing("it is too large to be shown; /blobs/ has it")
    return content


def _nothing(missing: Missing) -> Response:
    return Response(
        f"{missing}\n", missing.status, _HEADERS, media_type="text/plain; charset=utf-8"
    )
