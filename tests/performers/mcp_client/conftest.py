import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.mcp_client.faking import LIMIT, Fakes

Pipe = tuple[int, int]
"""Where is read from, and where is written to."""


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):  # a test may have closed it
            os.close(end)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers have all the time they need to end by themselves, however busy the machine is."""
    monkeypatch.setattr("hearth.performers.mcp_client.processes.LEAVING", LIMIT)
