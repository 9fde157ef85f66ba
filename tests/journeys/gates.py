"""Gates between a test and a cell: each waits for the other, neither for time to pass."""

import asyncio
import os
import select
from pathlib import Path
from types import TracebackType
from typing import Final, Self

PATIENCE: Final = 30.0


class Gate:
    """A pipe with a name. Each opening lets one who waits pass, now or later."""

    def __init__(self, path: Path) -> None:
        self._path = path
        os.mkfifo(path)
        # For both directions: it is never without a reader, and what is written stays.
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        os.close(self._fd)

    def open(self) -> None:
        """Let one pass."""
        os.write(self._fd, b".")

    async def passed(self) -> None:
        """Wait until a cell opens it."""
        await asyncio.to_thread(self.wait)

    def wait(self) -> None:
        """The same, for those who have a thread to themselves."""
        readable, _, _ = select.select([self._fd], [], [], PATIENCE)
        assert readable, f"nobody opened {self._path}"
        os.read(self._fd, 1)

    @property
    def wait_in_cell(self) -> str:
        """Code that waits until the test opens it."""
        return f"__import__('os').read(__import__('os').open({str(self._path)!r}, 0), 1)"

    @property
    def open_in_cell(self) -> str:
        """Code that opens it."""
        return f"__import__('pathlib').Path({str(self._path)!r}).write_bytes(b'.')"
