"""Runs the command that prints a key."""

import asyncio
from collections.abc import Mapping
from subprocess import DEVNULL, PIPE

from hearth.performers.interpreter.spawning import end, spawn
from hearth.performers.language_model.failures import readable
from hearth.performers.language_model.key_texts import LONGEST, KeyMissing
from hearth.performers.language_model.redacting import without


async def output_of(command: str, environ: Mapping[str, str], limit: float, where: str) -> str:
    """What a shell command prints within so many seconds. KeyMissing if it fails.

    It runs in the person's home folder, in a group of its own, and has nobody to ask.
    """
    try:
        process = await spawn(
            "/bin/sh",
            "-c",
            command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            cwd=environ.get("HOME") or "/",
            env=dict(environ),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise KeyMissing(f"{where} cannot be run: {error}") from error
    try:
        async with asyncio.timeout(limit):
            said, complaints = await asyncio.gather(_read(process.stdout), _read(process.stderr))
            status = await process.wait()
    except TimeoutError as error:
        raise KeyMissing(f"{where} did not end within {limit:g} seconds") from error
    finally:
        await end(process)
    if status:
        # What it complains about may repeat what it printed.
        words = readable(without(complaints, said.split()))
        raise KeyMissing(f"{where} ended with status {status}" + (f": {words}" if words else ""))
    return said


async def _read(stream: asyncio.StreamReader | None) -> str:
    """The beginning of what comes, and the rest into nothing, so that nobody waits to write it."""
    kept = bytearray()
    while stream is not None and (data := await stream.read(LONGEST)):
        kept += data[: LONGEST - len(kept)]
    return kept.decode("utf-8", "replace")
