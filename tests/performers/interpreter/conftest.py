"""What tests of interpreters share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hearth.performers.interpreter.runtime import Runtime


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    """A runtime folder, open, under a short path: sockets have little room for theirs."""
    with tempfile.TemporaryDirectory(prefix="hr-", dir="/tmp") as made:
        one = Runtime(Path(made))
        one.open()
        yield one
        one.close()
