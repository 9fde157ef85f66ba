"""`hearth.jsonc`, the file by which a folder says how sessions begin in it.

    SettingsError          a file that cannot be used: which, where in it, and what would be right

Only the object "session" is read here. Inside it every key is known or refused; the other keys of
the file belong to other parts of hearth.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from hearth.settings.jsonc import Document, Json, NotJson, Place, read_jsonc

FILE_NAME: Final = "hearth.jsonc"
LARGEST: Final = 1_000_000
"""A larger file is something else under this name."""


class ProjectFile(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """The object "session" of a project file. Paths are as written: relative to the file."""

    projects: tuple[str, ...] = ()
    """The folders whose packages belong to the session; none: they are discovered."""
    auto_load: bool = True
    """Whether the packages are imported when a session starts."""
    init_script: str | None = None
    """Runs at the start of every session, after the start-up profile."""
    default_args: tuple[str, ...] = ()
    """What sessions see behind the first place of sys.argv."""
    is_root: bool = False
    """Ends the search for the root: it is the folder of this file."""
    session_name: str | None = None
    """How sessions are called here; None: like the folder."""


RIGHT: Final = {
    "projects": 'a list of paths, like ["packages/api"]',
    "autoLoad": "true or false",
    "initScript": 'the path of a Python file, like "scripts/start.py"',
    "defaultArgs": 'a list of texts, like ["--verbose"]',
    "isRoot": "true or false",
    "sessionName": 'a text that is not empty, like "shop"',
}
"""What each key of "session" must be, in words for people."""


@dataclass
class SettingsError(Exception):
    """A settings file that cannot be used. It is never skipped in silence."""

    file: Path
    what: str
    """What is wrong."""
    right: str = ""
    """What would be right."""
    key: str = ""
    """The path to the key, like `session.isRoot`; "" if it is the file as a whole."""
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file)
        key = f"{self.key}: " if self.key else ""
        return f"{where}: {key}{self.what}" + (f"; right would be {self.right}" * bool(self.right))


def read_project_file(path: Path) -> ProjectFile | None:
    """What a project file says about sessions; None where there is no such file. SettingsError."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(path, f"cannot be read: {error.strerror}", "a file you may read") from (
            error
        )
    return parse_project_file(content, path)


def parse_project_file(content: bytes, path: Path) -> ProjectFile:
    """What the bytes of a project file say about sessions. SettingsError names `path`."""
    document = _document(content, path)
    if not isinstance(document.value, dict):
        raise SettingsError(path, "is not an object", 'an object: { "session": { … } }', line=1)
    session = document.value.get("session", {})
    if not isinstance(session, dict):
        raise _wrong(
            document, path, ("session",), "is not an object", 'an object: { "isRoot": true }'
        )
    # Key by key, so that whatever is wrong is told with its own line.
    for key, value in session.items():
        _check(document, path, key, value)
    return msgspec.convert(session, ProjectFile)


_FIELDS: Final = {one.encode_name: one for one in msgspec.structs.fields(ProjectFile)}


def _document(content: bytes, path: Path) -> Document:
    if len(content) > LARGEST:
        raise SettingsError(path, f"is larger than {LARGEST:,} bytes", "a file of settings")
    try:
        return read_jsonc(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(path, "is not UTF-8", "text in UTF-8", line=line) from None
    except NotJson as error:
        raise SettingsError(
            path, error.message, "JSON, with comments if you like", line=error.line
        ) from None


def _check(document: Document, path: Path, key: str, value: Json) -> None:
    place: Place = ("session", key)
    if key not in _FIELDS:
        near = difflib.get_close_matches(key, _FIELDS, n=1)
        right = f'"{near[0]}"' if near else f"one of {', '.join(_FIELDS)}"
        raise _wrong(document, path, place, "is no key that hearth knows", right)
    try:
        converted = msgspec.convert(value, _FIELDS[key].type)
    except msgspec.ValidationError as error:
        what = str(error).partition(" - at")[0].replace("`", "")
        raise _wrong(document, path, place, what[0].lower() + what[1:], RIGHT[key]) from None
    texts = converted if isinstance(converted, tuple) else (converted,)
    if key != "defaultArgs" and "" in texts:
        raise _wrong(document, path, place, "is empty", RIGHT[key])


def _wrong(document: Document, path: Path, place: Place, what: str, right: str) -> SettingsError:
    return SettingsError(path, what, right, ".".join(map(str, place)), document.lines.get(place))
