"""The remote client passes the contract of the api over a real socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts.hearth_api import HearthContract
from tests.servers.http.streams.daemons import daemon

from hearth.api import Hearth


class TestRemoteHearth(HearthContract):
    @pytest.fixture
    async def hearth(self, tmp_path: Path) -> AsyncIterator[Hearth]:
        async with daemon(tmp_path) as one, one.client() as client:
            yield client
