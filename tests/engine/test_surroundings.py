"""What loops share cannot be changed by any of them."""

from dataclasses import FrozenInstanceError

import pytest

from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog


async def test_the_surroundings_are_fixed() -> None:
    around = Engine(MemoryLog())._around
    with pytest.raises(FrozenInstanceError):
        around.fold_name = "another"  # type: ignore[misc] # that it is refused is the point
    assert around.fold_name
