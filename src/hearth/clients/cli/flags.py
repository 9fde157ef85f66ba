"""The flags that several verbs of the command line have."""

from __future__ import annotations

from hearth.clients.cli.verb import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

HELP: Final = Flag("help", "explain this verb", short="h")
VERSION: Final = Flag("version", "the version of this command", short="V")
JSON: Final = Flag("json", "one JSON object on stdout, for errors too")
SESSION: Final = Flag(
    "session", "by its id, a unique prefix of it, or its name", takes="NAME", short="s"
)
PROJ: Final = Flag("proj", "of that directory instead of this one", takes="DIR", short="p")
BARE: Final = Flag("bare", "without the project that the directory belongs to")
TRUST: Final = Flag("trust", "trust the project's configuration without being asked")
NO_START: Final = Flag("no-start", "start no daemon if there is none: end with exit code 3")
PLAIN: Final = Flag("plain", "lines only: no editing, no colours")
STARTING: Final = (
    Flag("no-watch", "a daemon that is started does not look for saved files"),
    Flag("idle-timeout", "a daemon that is started ends after so long alone", takes="SECONDS"),
    Flag("port", "a daemon that is started listens there, or not at all", takes="NUMBER"),
)
PROMPT: Final = (SESSION, PROJ, BARE, TRUST, PLAIN)
