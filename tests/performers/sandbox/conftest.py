"""A machine to try the sandbox on."""

from collections.abc import Iterator

import pytest
from tests.performers.sandbox.trying import Machine, machine


@pytest.fixture
def here() -> Iterator[Machine]:
    """A person's home, a project and a sandbox."""
    with machine() as made:
        yield made
