"""Which projects the person trusts, as the HTTP door shows and changes it."""

import asyncio
import logging
from pathlib import Path

from hearth.core.vocabulary.origin import Origin
from hearth.servers.http.around import TrustShown
from hearth.settings.problems import SettingsError
from hearth.settings.roots import find_root_anyway
from hearth.settings.trust import Mistrusted, TrustBook, evidence

_said = logging.getLogger(__name__)


class ShownTrust:
    """The book of trust. It is read and written in a thread."""

    def __init__(self, book: TrustBook) -> None:
        self._book = book

    async def look(self, directory: str) -> TrustShown:
        """The project of this directory, as it is now; without a digest if it cannot be read."""
        return await asyncio.to_thread(self._look, directory)

    async def grant(self, root: str, digest: str, by: Origin) -> TrustShown | str:
        """Trust this content; the sentence that says why not, if it is another by now."""
        granted = await asyncio.to_thread(self._grant, root, digest)
        if isinstance(granted, TrustShown):
            _said.info("%s is trusted, by %s", granted.root, by.name or by.actor)
        return granted

    def _look(self, directory: str) -> TrustShown:
        place = Path(directory)
        try:
            place = find_root_anyway(place)[0].path
            found = evidence(place)
        except (SettingsError, OSError) as error:
            _said.warning("%s cannot be looked at: %s", place, error)
            return TrustShown(root=str(place), files=(), digest="", trusted=False)
        return TrustShown(
            root=str(found.root),
            files=tuple(map(str, found.files)),
            digest=found.digest,
            trusted=self._book.holds(found),
        )

    def _grant(self, root: str, digest: str) -> TrustShown | str:
        try:
            granted = self._book.trust(Path(root), digest)
        except OSError as error:
            return f"it cannot be written down: {error.strerror}"
        if isinstance(granted, Mistrusted):
            return f"{granted.why}; hint: {granted.hint}"
        return TrustShown(
            root=str(granted.root),
            files=tuple(map(str, granted.files)),
            digest=granted.digest,
            trusted=True,
        )
