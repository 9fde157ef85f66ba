"""What speaks the protocol at /mcp as everywhere, with the fixtures of the suite besides."""

from tests.conformance.asking_fixtures import ALL
from tests.conformance.fixtures import Fixtures

from hearth.servers.http.around import Around
from hearth.servers.mcp import speaking


class Speaking(speaking.Speaking):
    """The real one, and more to answer."""

    def __init__(self, around: Around) -> None:
        super().__init__(around)
        Fixtures(self.server, self.wire, ALL)
