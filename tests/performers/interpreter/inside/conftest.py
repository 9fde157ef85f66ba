"""Tests of one module share an interpreter, so they run one after the other, in one process."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
BOMBS = {"test_guardian": "kernels-a"}
"""With the journeys that start bombs: two at once would be one user's too many processes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group(BOMBS.get(item.path.stem, item.path.stem)))
