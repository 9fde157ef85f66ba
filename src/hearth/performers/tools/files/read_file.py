"""`read_file`: lines of a text file, or a picture."""

import asyncio
import codecs
import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from typing import Any, Final

from hearth.core.vocabulary.permitting import READ
from hearth.performers.judging.paths import Place
from hearth.performers.tools.files.allowed import PlaceOf, allowed_path, below, wanted
from hearth.performers.tools.files.binary import (
    HEAD,
    Picture,
    is_binary,
    kind_of,
    picture_of,
    wide_encoding,
)
from hearth.performers.tools.files.lines import LINES, LONGEST, ROOM, Lines, Span, numbered, taken
from hearth.performers.tools.files.opening import (
    CHUNK,
    IsFolder,
    NotOpened,
    NotThere,
    Opened,
    opened,
    opened_folder,
    shown,
    sized,
)
from hearth.performers.tools.files.seen import Seen
from hearth.performers.tools.tool import Outcome, Scene, Wanted

LARGEST_KNOWN: Final = 16 * CHUNK
"""Files up to this size can be edited; of others is not remembered what they were."""
LARGEST_PICTURE: Final = 5 * CHUNK
_SCANNED: Final = 128 * CHUNK
"""So much of a file is looked through for its lines."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a file turned out to be."""

    text: str
    picture: tuple[bytes, str] | None = None


class ReadFile:
    """Reads; remembers what a session has seen, without which it cannot edit."""

    name = "read_file"
    description = (
        f"Read a text file: up to {LINES} lines from line `offset`, each as `number→text`. The "
        "number and the arrow are not part of the file. A line longer than "
        f"{LONGEST} characters is cut; read on in it with `column`. Images are shown to you. "
        "Paths are relative to the working directory, or absolute, or begin with ~/."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "The file."},
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "The first line to read, counted from 1.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 5000,
                "description": f"How many lines; {LINES} if not given.",
            },
            "column": {
                "type": "integer",
                "minimum": 1,
                "description": (
                    "The first character to show of each line, counted from 1: for a long line, "
                    "with offset and limit 1."
                ),
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, place_of: PlaceOf, seen: Seen) -> None:
        self._place_of = place_of
        self._seen = seen

    def is_offered(self, _scene: Scene) -> bool:
        """Everywhere."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """To read the file."""
        return wanted(arguments["path"], READ, self._place_of(scene))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Read it."""
        typed = arguments["path"]
        try:
            path, found = await asyncio.to_thread(self._read, typed, _span(arguments), scene)
        except NotOpened as problem:
            return Outcome(str(problem), is_error=True)
        if found.picture is None:
            return Outcome(found.text, files=(path,))
        return Outcome(found.text, files=(path,), pictures=(await scene.keep(*found.picture),))

    def _read(self, typed: str, span: Span, scene: Scene) -> tuple[str, _Found]:
        place = self._place_of(scene)
        path = allowed_path(typed, READ, scene, place)
        try:
            with opened(path) as file:
                return path, self._told(file, path, typed, span, scene)
        except IsFolder:
            raise NotOpened(f"{shown(typed)} is a folder: use list_files to see it.") from None
        except NotThere:
            raise NotOpened(f"There is no {shown(typed)}.{_near(path, place)}") from None

    def _told(self, file: Opened, path: str, typed: str, span: Span, scene: Scene) -> _Found:
        size = file.about.st_size
        digest = sha256() if size <= LARGEST_KNOWN else None
        chunks = _heard(file.chunks(_SCANNED), digest.update if digest else None)
        first = next(chunks, b"")
        head = first[:HEAD]
        if (picture := picture_of(head)) and size <= LARGEST_PICTURE:
            content = b"".join((first, *chunks))
            found = _Found(_of_picture(typed, content), (content, picture.media_type))
        elif is_binary(head):
            kind = kind_of(head) if picture is None else f"an image ({picture.media_type})"
            found = _Found(_of_binary(typed, kind, size, picture))
            for _ in chunks if digest else ():
                pass  # heard for its digest: a file that was looked at may be replaced
        else:
            found = _Found(_of_text(typed, chain((first,), chunks), head, span, size))
        if not file.is_unchanged():
            warning = "It was being written to while it was read: read it again.\n"
            found = replace(found, text=warning + found.text)
        elif digest:
            self._seen.note(scene.session, path, digest.hexdigest())
        return found


def _span(arguments: Mapping[str, Any]) -> Span:
    column = int(arguments.get("column", 1))
    limit = int(arguments.get("limit", LINES))
    # Of one line as much is shown as a result may hold.
    width = ROOM - 1000 if limit == 1 and "column" in arguments else LONGEST
    return Span(int(arguments.get("offset", 1)), limit, column, width)


def _heard(chunks: Iterator[bytes], hear: Callable[[bytes], None] | None) -> Iterator[bytes]:
    for chunk in chunks:
        if hear is not None:
            hear(chunk)
        yield chunk


def _of_picture(typed: str, content: bytes) -> str:
    picture = picture_of(content)
    if picture is None or not picture.width:
        return f"{shown(typed)} is an image, {sized(len(content))}."
    about = f"{picture.width} by {picture.height} pixels, {sized(len(content))}"
    return f"{shown(typed)} is an image ({picture.media_type}): {about}."


def _of_binary(typed: str, kind: str, size: int, picture: Picture | None) -> str:
    about = f"{shown(typed)} is {kind}, {sized(size)}: it cannot be read as text."
    if picture is not None:
        about += f" Images are shown up to {sized(LARGEST_PICTURE)}."
    return about


def _of_text(typed: str, chunks: Iterable[bytes], head: bytes, span: Span, size: int) -> str:
    notes = []
    if encoding := wide_encoding(head):
        notes.append(f"It is encoded as {encoding}, which edits keep.")
        chunks = _narrowed(chunks, encoding)
    elif head.startswith(codecs.BOM_UTF8):
        notes.append("It begins with a byte order mark, which edits keep.")
        chunks = _without_mark(chunks)
    found = taken(chunks, span)
    if found.total == 0:
        return f"{shown(typed)} is empty."
    is_whole = size <= _SCANNED
    total = f"{found.total}" if is_whole else f"more than {found.total}"
    if not found.lines:
        return f"{shown(typed)} has {total} lines; there is no line {span.offset}."
    if found.carriage_returns:
        notes.append("Lines end in CR LF, which edits keep.")
    if found.is_damaged:
        notes.append("Some bytes are not UTF-8 and are shown as \ufffd; edits keep them.")
    if not found.ends_in_newline and is_whole and found.lines[-1].number == found.total:
        notes.append("The last line does not end in a newline.")
    first, last = found.lines[0].number, found.lines[-1].number
    rows = numbered((one.number, one.text) for one in found.lines)
    top = f"{shown(typed)}, lines {first}-{last} of {total} (number→ is not part of the file):"
    return "\n".join((top, *rows, *notes, *_on(found, span)))


def _on(found: Lines, span: Span) -> Iterator[str]:
    """How to read on."""
    cut = [one for one in found.lines if one.is_cut(span)]
    for one in cut[:3]:
        end = span.column - 1 + len(one.text)
        yield (
            f"Line {one.number} has {one.length} characters, {span.column}-{end} are shown. "
            f"Read on with offset={one.number}, limit=1, column={end + 1}."
        )
    if len(cut) > 3:
        yield f"{len(cut) - 3} more lines are cut in the same way."
    last = found.lines[-1].number
    if last < found.total:
        yield f"Read on with offset={last + 1}."


def _narrowed(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The same text in UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    is_first = True
    for chunk in chunks:
        text = decoder.decode(chunk)
        yield (text.removeprefix("\ufeff") if is_first else text).encode("utf-8", "replace")
        is_first = False
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _without_mark(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for number, chunk in enumerate(chunks):
        yield chunk if number else chunk.removeprefix(codecs.BOM_UTF8)


def _near(path: str, place: Place) -> str:
    """What may have been meant, of what is beside it in the project."""
    folder, _, name = path.rpartition("/")
    if not any(below(folder, root) for root in place.roots):
        return ""
    try:
        with opened_folder(folder) as descriptor:
            names = os.listdir(descriptor)[:5000]  # noqa: PTH208 - an open folder is no Path
    except NotOpened:
        return " Its folder is not there either."
    near = difflib.get_close_matches(name, names, 3, 0.6)
    return f" Beside it: {', '.join(map(shown, near))}." if near else ""
