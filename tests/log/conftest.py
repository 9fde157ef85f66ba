"""The stores on which the log's contracts run: a name, and the module that makes it."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

# Before anything imports them: their assertions are as telling as those of a test module.
pytest.register_assert_rewrite("tests.contracts.event_log", "tests.contracts.blob_store")

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from tests.contracts.event_log import StoreMaker
    from tests.log.local_stores import SqliteMaker

STORES: Final[Mapping[str, tuple[str, str]]] = {
    "memory": ("tests.log.local_stores", "MemoryMaker"),
    "sqlite": ("tests.log.local_stores", "SqliteMaker"),
    "postgres": ("tests.log.postgres_server", "PostgresMaker"),
}
"""Imported only when a test asks for it: a store's server starts with its first test."""


@pytest.fixture(params=STORES)
async def open_log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StoreMaker]:
    """Each store's maker in turn; what it made is closed and removed afterwards."""
    module, name = STORES[request.param]
    make: Callable[[Path], StoreMaker] = getattr(import_module(module), name)
    maker = make(tmp_path)
    yield maker
    await maker.close()


@pytest.fixture
async def sqlite_stores(tmp_path: Path) -> AsyncIterator[SqliteMaker]:
    """For what only the log in a file does."""
    maker: SqliteMaker = import_module("tests.log.local_stores").SqliteMaker(tmp_path)
    yield maker
    await maker.close()


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every path that Python itself made durable, in order, under the name it had then."""
    paths: list[Path] = []
    sync = os.fsync

    def note(descriptor: int) -> None:
        paths.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    return paths
