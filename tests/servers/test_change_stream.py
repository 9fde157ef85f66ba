"""What is saved after watching began is told; what cannot be watched says so."""

import asyncio
from pathlib import Path

import pytest

from hearth.servers.change_stream import ChangeStream

PATIENCE = 30.0


async def test_nothing_that_is_saved_after_it_began_is_missed(tmp_path: Path) -> None:
    async with ChangeStream([str(tmp_path)]) as changes:
        (tmp_path / "a.py").write_text("x")
        assert str(tmp_path / "a.py") in await asyncio.wait_for(changes.next(), PATIENCE)
        (tmp_path / "a.py").unlink()
        assert str(tmp_path / "a.py") in await asyncio.wait_for(changes.next(), PATIENCE)


async def test_what_lies_deeper_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    async with ChangeStream([str(tmp_path)]) as changes:
        (tmp_path / "deep" / "b.py").write_text("x")
        (tmp_path / "a.py").write_text("x")
        told = await asyncio.wait_for(changes.next(), PATIENCE)
        assert str(tmp_path / "a.py") in told
        assert str(tmp_path / "deep" / "b.py") not in told


async def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        async with ChangeStream([str(tmp_path / "gone")]):
            pass
