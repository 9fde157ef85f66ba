"""Servers are started, or it is told why not."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.performers.language_server import pretended as parts

from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server.beginning import begin
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.known import Known


async def test_a_server_that_does_not_begin_says_why_and_leaves_nothing(
    pretended: Callable[[str], ServerSpec], tmp_path: Path
) -> None:
    spec = pretended(parts.STILLBORN)
    with pytest.raises(Unavailable, match="no licence"):
        await begin(spec.command, spec, str(tmp_path), os.environ, Known())
    spec = pretended(parts.MUTE)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await begin(spec.command, spec, str(tmp_path), os.environ, Known())
