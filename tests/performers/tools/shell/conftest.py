"""What every test of commands can ask."""

import os
from collections.abc import Callable

import pytest

from hearth.performers.interpreter.inside import processes


@pytest.fixture
def left() -> Callable[[], list[int]]:
    """What this process started since the test began and has not taken back.

    What other tests of the same process left to be taken back is not this one's affair.
    """
    before = set(processes.children(os.getpid()))
    return lambda: [pid for pid in processes.children(os.getpid()) if pid not in before]
