from pathlib import Path

import pytest
from tests.performers.mcp_client.faking import Fakes


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    return Fakes(tmp_path)
