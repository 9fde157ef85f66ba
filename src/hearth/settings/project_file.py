"""What `hearth.jsonc` says about sessions: how they begin in the folder it lies in.

Only the object "session" is read here, and a file that cannot be read is an error: a session that
began without what somebody wrote there would be another one than they think.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from hearth.settings.checking import Wrong, checked, error_of, leaves
from hearth.settings.keys import KEYS, SESSION
from hearth.settings.problems import SettingsError
from hearth.settings.reading import FILE_NAME, LARGEST, parse, read_bytes

__all__ = [
    "FILE_NAME",
    "LARGEST",
    "RIGHT",
    "ProjectFile",
    "SettingsError",
    "parse_project_file",
    "read_project_file",
]


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
    auto_resume: bool = False
    """Whether a conversation goes on where the latest one stopped."""


RIGHT: Final[Mapping[str, str]] = {
    name.removeprefix("session."): KEYS[name].right for name in SESSION
}
"""What each key of "session" must be, in words for people."""


def read_project_file(path: Path) -> ProjectFile | None:
    """What a project file says about sessions; None where there is no such file. SettingsError."""
    content = read_bytes(path)
    return None if content is None else parse_project_file(content, path)


def parse_project_file(content: bytes, path: Path) -> ProjectFile:
    """What the bytes of a project file say about sessions. SettingsError names `path`."""
    session = {}
    for leaf in leaves(parse(content, path), path, only="session"):
        try:
            session[leaf.name.removeprefix("session.")] = checked(leaf.name, leaf.value)
        except Wrong as wrong:
            raise error_of(wrong, leaf, path) from None
    return msgspec.convert(session, ProjectFile)
