"""The settings as the HTTP door shows them: with where each came from, and without secrets."""

import asyncio
from pathlib import Path
from typing import Final

from hearth.servers.http.around import ConfigShown
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.keys import KEYS
from hearth.settings.snapshot import Given, Snapshot

MASKED: Final = "********"


class ShownSettings:
    """What counts in a directory. Files are read in a thread."""

    def __init__(self, keeper: SettingsKeeper) -> None:
        self._keeper = keeper

    async def shown(self, directory: str) -> ConfigShown:
        """The settings that count in this directory, or of the daemon if it is empty."""
        where = Path(directory) if directory else None
        return shown(directory, await asyncio.to_thread(self._keeper.current, where))


def shown(directory: str, snapshot: Snapshot) -> ConfigShown:
    """A snapshot for people."""
    return ConfigShown(
        directory=directory,
        values={
            name: MASKED if KEYS[name].secret else value for name, value in snapshot.values.items()
        },
        sources={name: _place(given) for name, given in snapshot.given.items()},
        warnings=tuple(str(one) for one in snapshot.warnings),
    )


def _place(given: Given) -> str:
    return f"{given.source}:{given.line}" if given.line else given.source
