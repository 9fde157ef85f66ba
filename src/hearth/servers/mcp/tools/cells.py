"""What a cell came to, as a tool tells it: the value and its type, what it printed, its pictures.

Never the code: whoever sent it has it. What is too long is cut, and says where all of it is.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.content import Blob, Output, Outputs, RichData, StreamText, Text
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.servers.mcp.tools.said import Picture, Said, bounded, head_of, writable

LONGEST_VALUE: Final = 8_000
LONGEST_STREAM: Final = 12_000
LONGEST_TRACE: Final = 2_000
MOST_FRAMES: Final = 6
MOST_PICTURES: Final = 8
LARGEST_PICTURE: Final = 4 * 1024 * 1024
LARGEST_OUTPUT: Final = 8 * 1024 * 1024
"""Bytes of outputs that are fetched to be looked through."""
PICTURES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""The best of one object is shown."""

Fetch = Callable[[str], Awaitable[bytes]]
Ended = e.CellFinished | e.CellFailed | e.CellCancelled

_PAINT: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")

SUGGESTIONS: Final[Mapping[type[f.Failure], str]] = {
    f.CodeRaised: "correct it and run it again; what it bound before the error stays bound",
    f.TimedOut: "split it, or give it a larger time_limit; what it bound before stays bound",
    f.Interrupted: "its effects are unknown: look at what is there before you run it again",
    f.WorkerCrashed: "names are gone; once get_status says ready, replay_session runs "
    "the recorded cells again",
    f.WarmUpFailed: "mend what the message names, then reset_session",
    f.ProjectNotFound: "correct the path, or begin a session without this project",
    f.CheckFailed: "correct the code; check_code shows what is wrong",
}

UNDONE: Final = "all that it did to the interpreter was taken back: correct it and send all of it"
"""What helps where `on_error` was `undo`."""


def output_uri(session: SessionId, cell: CellId) -> str:
    """Where everything that a cell showed can be read."""
    return f"hearth://sessions/{session}/cells/{cell}/output"


async def told(ended: Ended, session: SessionId, fetch: Fetch) -> Said:
    """A cell that has ended."""
    fields: dict[str, Any] = {}
    where = f"all of it: {output_uri(session, ended.cell)}"
    if isinstance(ended, e.CellFinished):
        if ended.value_type or ended.value:
            fields["result"] = shown(ended.value, LONGEST_VALUE, where)
            fields["type"] = ended.value_type
    elif isinstance(ended, e.CellFailed):
        fields["error"] = error_of(ended.failure)
        fields["suggestion"] = UNDONE if ended.undone else SUGGESTIONS[type(ended.failure)]
    else:
        fields["cancelled"] = True
        bound = "names that it bound before it was stopped stay bound"
        fields["suggestion"] = UNDONE if ended.undone else bound
    if not isinstance(ended, e.CellFinished) and ended.undone:
        fields["undone"] = True
    outputs = await all_of(ended.outputs, fetch)
    fields |= printed(outputs, where)
    pictures = await pictures_in(outputs, fetch)
    if displays := shown_in(outputs, where):
        fields["displays"] = displays
    if ended.dropped:
        fields["dropped_bytes"] = ended.dropped
    is_error = not isinstance(ended, e.CellFinished)
    return Said({**fields, "hasErrors": is_error}, is_error=is_error, pictures=pictures)


def not_started(failure: f.Failure) -> Said:
    """A session that could not be started, and why."""
    told = {"type": "not_started", "message": "the session could not be started"}
    error = {**told, "failure": error_of(failure)}
    return Said({"error": error, "suggestion": SUGGESTIONS[type(failure)]}, is_error=True)


def error_of(failure: f.Failure) -> dict[str, Any]:
    """A failure with its type and its fields; a long text in it is cut."""
    fields: dict[str, Any] = msgspec.to_builtins(failure)
    for name, value in fields.items():
        if isinstance(value, dict) and "sha256" in value:
            fields[name] = value.get("head", "")
        if isinstance(fields[name], str):
            most = LONGEST_STREAM if name == "traceback" else LONGEST_TRACE
            fields[name] = bounded(_plain(fields[name]), most)
    fields |= _frames_in(fields.pop("traceback", ""))
    return {name: value for name, value in fields.items() if value not in ("", [], ())}


def printed(
    outputs: tuple[Output, ...], where: str = "", most: int = LONGEST_STREAM
) -> dict[str, str]:
    """What was written to stdout and stderr; a stream that is empty is left out."""
    found = {}
    for stream in ("stdout", "stderr"):
        pieces = [
            head_of(one.text)
            for one in outputs
            if isinstance(one, StreamText) and one.stream == stream
        ]
        if text := "".join(pieces):
            found[stream] = bounded(text, most, where)
    return found


def shown_in(outputs: tuple[Output, ...], where: str = "") -> list[str]:
    """What was displayed and is no picture, as text; the value itself is told elsewhere."""
    found = []
    for one in _displays(outputs):
        if one.is_result or any(kind in one.bundle for kind in PICTURES):
            continue
        plain = one.bundle.get("text/markdown") or one.bundle.get("text/plain")
        kinds = ", ".join(sorted(one.bundle))
        found.append(bounded(head_of(plain), LONGEST_VALUE, where) if plain else f"({kinds})")
    return found[:MOST_PICTURES]


async def pictures_in(outputs: tuple[Output, ...], fetch: Fetch) -> tuple[Picture, ...]:
    """The pictures that were shown, the newest of them if they are many."""
    found: list[Picture] = []
    for one in list(_displays(outputs))[::-1]:
        kind = next((kind for kind in PICTURES if kind in one.bundle), None)
        if kind is None or len(found) == MOST_PICTURES:
            continue
        data = one.bundle[kind]
        if isinstance(data, Blob):
            if data.size > LARGEST_PICTURE:
                continue
            data = await _fetched(data, fetch)
        data = "".join(data.split())
        if data and len(data) <= LARGEST_PICTURE:
            found.append(Picture(data, kind))
    return tuple(found[::-1])


async def all_of(outputs: Outputs, fetch: Fetch) -> tuple[Output, ...]:
    """The outputs themselves, also if they are kept elsewhere; as much as can be had."""
    if not isinstance(outputs, Blob):
        return outputs
    if outputs.size > LARGEST_OUTPUT:
        return (StreamText("stdout", outputs.head),)
    raw = await _fetched(outputs, fetch)
    try:
        return msgspec.json.decode(raw, type=tuple[Output, ...])
    except msgspec.DecodeError:
        return (StreamText("stdout", outputs.head),)


async def full_text(shown: Output | Text, fetch: Fetch) -> str:
    """A text as long as it is; of something displayed its plain form, or what it is."""
    if isinstance(shown, RichData):
        if shown.is_result:
            return ""
        plain = shown.bundle.get("text/markdown") or shown.bundle.get("text/plain")
        return await full_text(plain, fetch) if plain else f"({', '.join(sorted(shown.bundle))})"
    text = shown.text if isinstance(shown, StreamText) else shown
    if isinstance(text, Blob):
        text = await _fetched(text, fetch) if text.size <= LARGEST_OUTPUT else text.head
    return _plain(text)


async def _fetched(blob: Blob, fetch: Fetch) -> str:
    try:
        return (await fetch(blob.sha256)).decode("utf-8", "replace")
    except Exception:  # noqa: BLE001 - what is not to be had now is shown as far as it is known
        return blob.head


def _displays(outputs: tuple[Output, ...]) -> Iterator[RichData]:
    return (one for one in outputs if isinstance(one, RichData))


def shown(text: Text, most: int, where: str) -> str:
    """A value as text; of one that is cut it is said where all of it is."""
    if isinstance(text, Blob):
        head = bounded(_plain(text.head), most)
        return f"{head}\n[… of {text.size:,} bytes; {where} …]"
    return bounded(text, most, where)


def _plain(text: str) -> str:
    return writable(_PAINT.sub("", text))


_FRAME: Final = re.compile(
    r"^\s*(?:Cell In\[[^\]]*\], line (?P<cell>\d+)|File (?P<file>\S.*?):(?P<line>\d+)"
    r"(?:, in (?P<name>[\w.<>]+))?)",
    re.MULTILINE,
)


def _frames_in(trace: str) -> dict[str, Any]:
    """Where it happened, without the code: the line of the cell, and the way below it."""
    found = list(_FRAME.finditer(trace))
    if not found:
        return {"traceback": trace[-LONGEST_TRACE:]} if trace else {}
    line = next((int(one["cell"]) for one in found if one["cell"]), None)
    below = [
        f"{one['file']}:{one['line']}" + (f" in {one['name']}" if one["name"] else "")
        for one in found
        if one["file"]
    ]
    shown = {"line": line} if line is not None else {}
    return {**shown, **({"frames": below[-MOST_FRAMES:]} if below else {})}
