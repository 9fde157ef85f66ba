"""Everything of the sidebar that answers requests, in one place to be mounted."""

from collections.abc import Mapping

from hearth.servers.dashboard.sidebar.arranging import Arranging
from hearth.servers.dashboard.sidebar.creating import Creating
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.forking import Forking
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.dashboard.sidebar.searching import Searching
from hearth.servers.http.around import Around
from hearth.servers.http.routing import Endpoint, Key


class Sidebar:
    """The routes of `operations.OPERATIONS`."""

    def __init__(self, around: Around, desks: Desks, overview: Overview) -> None:
        self._rooms = (
            Creating(around, overview),
            Forking(around),
            Arranging(around, desks, overview),
            Searching(around, overview),
        )

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {key: one for room in self._rooms for key, one in room.endpoints().items()}
