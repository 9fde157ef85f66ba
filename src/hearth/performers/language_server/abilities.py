"""What we tell a server that we can do, and what it says that it can."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

CAPABILITIES: Final[Mapping[str, Any]] = {
    # Code points where a server can count them; nothing is to be converted then.
    "general": {"positionEncodings": ["utf-32", "utf-16"]},
    "textDocument": {
        "synchronization": {"didSave": True},
        "diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": True},
        "publishDiagnostics": {"versionSupport": True},
    },
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "diagnostics": {"refreshSupport": True},
    },
    "window": {"workDoneProgress": True},
}
"""Ours."""


class Abilities(NamedTuple):
    """Those of a server."""

    encoding: str = "utf-16"
    """What it counts columns in."""
    pulls: bool = False
    """Whether it is asked about a file; otherwise it tells by itself."""
    reaches_far: bool = False
    """Whether what is found in a file may depend on others."""
    sees_all: bool = False
    """Whether it can be asked about the whole project."""
    wants_saves: bool = True


def abilities_of(answer: Any) -> Abilities:
    """What a server says at its beginning; what makes no sense counts as not said."""
    able = answer.get("capabilities") if isinstance(answer, dict) else None
    able = able if isinstance(able, dict) else {}
    provider = able.get("diagnosticProvider")
    details = provider if isinstance(provider, dict) else {}
    match able.get("textDocumentSync"):
        case {"save": save}:
            wants_saves = bool(save)
        case _:
            wants_saves = True
    return Abilities(
        str(able.get("positionEncoding") or "utf-16"),
        bool(provider) or isinstance(provider, dict),
        bool(details.get("interFileDependencies")),
        bool(details.get("workspaceDiagnostics")),
        wants_saves,
    )
