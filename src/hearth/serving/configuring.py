"""The settings as the HTTP door shows them: with where each came from, and without secrets."""

import asyncio
from pathlib import Path

import msgspec

from hearth.servers.http.around import ConfigShown
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.showing import masked
from hearth.settings.snapshot import Given, Snapshot


class ShownSettings:
    """What counts in a directory. Files are read in a thread."""

    def __init__(self, keeper: SettingsKeeper) -> None:
        self._keeper = keeper

    async def shown(self, directory: str) -> ConfigShown:
        """The settings that count in this directory, or of the daemon if it is empty.

        Where it cannot be looked, the daemon's are shown, with a warning.
        """
        return await asyncio.to_thread(self._shown, directory)

    def _shown(self, directory: str) -> ConfigShown:
        try:
            return shown(directory, self._keeper.current(Path(directory) if directory else None))
        except OSError as error:
            of_daemon = shown(directory, self._keeper.current())
            why = f"{error.filename or directory}: {error.strerror}; these are the daemon's own"
            return msgspec.structs.replace(of_daemon, warnings=(*of_daemon.warnings, why))


def shown(directory: str, snapshot: Snapshot) -> ConfigShown:
    """A snapshot for people."""
    return ConfigShown(
        directory=directory,
        values={name: masked(name, value) for name, value in snapshot.values.items()},
        sources={name: _place(given) for name, given in snapshot.given.items()},
        warnings=tuple(str(one) for one in snapshot.warnings),
    )


def _place(given: Given) -> str:
    return f"{given.source}:{given.line}" if given.line else given.source
