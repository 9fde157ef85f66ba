"""Programs that are no Python, for whoever starts interpreters by their path."""

import asyncio
import json
import os
from pathlib import Path
from typing import Final

PATIENCE: Final = 30.0

READY = 'printf \'%s\\n\' \'{"ready": true, "pid": 1, "python": "3.11.7"}\' >&0'
"""What a template says when it can be forked."""


def program(folder: Path, script: str, name: str = "python") -> str:
    """The path of a program that runs these lines of shell."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return str(path)


def says(what: object) -> str:
    """A line of shell that answers with this, over descriptor 0."""
    return f"printf '%s\\n' '{json.dumps(what)}' >&0"


async def line_from(pipe: Path) -> str:
    """The line that somebody writes into a pipe with a name, who waits until it is read.

    Not by a thread that opens it: where nobody ever writes, it would outlive its test.
    """
    fd = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    loop = asyncio.get_running_loop()
    written = asyncio.Event()
    loop.add_reader(fd, written.set)
    try:
        async with asyncio.timeout(PATIENCE):
            await written.wait()
        return os.read(fd, 4096).decode()
    finally:
        loop.remove_reader(fd)
        os.close(fd)


def is_running(folder: Path) -> bool:
    """Whether a process has this folder in its command."""
    return any(str(folder).encode() in _command(one) for one in Path("/proc").glob("[0-9]*"))


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it is gone meanwhile
        return b""
