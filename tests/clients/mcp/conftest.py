"""A home, and who lives in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.mcp.bridged import StandIn


@pytest.fixture
def own_home(tmp_path: Path) -> Path:
    """A home of its own, where nobody lives yet."""
    folder = tmp_path / "h"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def mortal(own_home: Path) -> Iterator[StandIn]:
    """The program that stands in for the daemon of that home, to be killed."""
    one = StandIn(own_home)
    try:
        yield one
    finally:
        one.kill()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """One for all tests of a module."""
    one = StandIn(tmp_path_factory.mktemp("h"))
    try:
        yield one
    finally:
        one.kill()


@pytest.fixture
def stand_in(lasting: StandIn) -> StandIn:
    """One that nobody kills, and that was asked nothing yet."""
    (lasting.home / "asked").unlink(missing_ok=True)
    return lasting
