"""A tool call in one line: what it was given, and how much came back."""

from __future__ import annotations

from hearth.clients.cli.showing import first_line
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

TELLING: Final = ("code", "command", "path", "file", "query", "pattern", "name", "url")
"""Of the arguments of a tool, those that say most; the first that is there is shown."""
SHELL: Final = frozenset({"run_shell"})
"""The tools whose results end in how a command ended."""
WRITING: Final = frozenset({"edit_file", "write_file"})
"""The tools whose results end in what language servers found that was not there before."""
MOST: Final = 60
FOUND: Final = 100
SHORT: Final = 48
"""A result of one line and no more characters is shown itself."""


def call_line(name: str, arguments: str) -> str:
    """A call: `run_code  x = 41 + 1`."""
    given = given_in(arguments)
    return f"{first_line(name, 40)}  {given}" if given else first_line(name, 40)


def given_in(arguments: str) -> str:
    """What a tool was given, in a few characters. The model may have written anything."""
    try:
        said = plain_json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return first_line(arguments, MOST)
    if not isinstance(said, dict):
        return first_line(arguments, MOST)
    if not said:
        return ""
    found = next((said[one] for one in TELLING if said.get(one)), None)
    if found is None and len(said) == 1:
        found = next(iter(said.values()))
    return first_line(found if isinstance(found, str) else arguments, MOST)


def result_line(content: dict[str, Any], text: str, size: int) -> str:
    """A result: `→ 3 lines, 1.2 kB`. `size` is that of all of it, of which `text` may be a part."""
    if content.get("name") in SHELL and (ending := _ending(text)):
        return f"{'✗' if content.get('is_error') else '→'} {ending}"
    if content.get("is_error"):
        return f"✗ {_telling_line(text) or 'failed'}"
    if not text.strip():
        return "→ nothing"
    if content.get("name") in WRITING:
        return f"→ {_found(text) or first_line(text, MOST)}"
    lines = text.rstrip("\n").count("\n") + 1
    kept = f", kept in {first_line(str(content['spilled']), 200)}" if content.get("spilled") else ""
    if lines == 1 and len(text) <= SHORT and not kept:
        return f"→ 1 line: {first_line(text, SHORT)}"
    return f"→ {lines} line{'s' if lines > 1 else ''}, {in_bytes(size)}{kept}"


def _telling_line(text: str) -> str:
    """What went wrong: the first line, and of a traceback the last one."""
    first = first_line(text, MOST)
    if first.startswith("Traceback") or not first.strip("-… "):
        lines = [line for line in text.splitlines() if line.strip("-… ")]
        return first_line(lines[-1], MOST) if lines else ""
    return first


def _ending(text: str) -> str:
    """How a command ended: the last paragraph, if there are several; else nothing is known."""
    body, _, last = text.rstrip().rpartition("\n\n")
    return first_line(last, 200) if body else ""


def _found(text: str) -> str:
    """The beginning of the last paragraph, if that has a heading and things found below it."""
    _, is_apart, last = text.rstrip().rpartition("\n\n")
    heading, *found = last.splitlines()
    if not is_apart or not found or not heading.endswith(":"):
        return ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{first_line(heading, FOUND)} {first_line(found[0], FOUND)}{more}"


def in_bytes(size: int) -> str:
    """A size in the unit that people would use."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
