"""Starts a pretended provider in a process of its own, and ends it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from tests.providers.script import Script
from tests.providers.server import Dialect

ROOT: Final = Path(__file__).parents[2]


@contextmanager
def provider_process(
    dialect: Dialect, script: Script, folder: Path, *options: str
) -> Iterator[str]:
    """Its base address. What it was asked is written to `requests.jsonl` of the folder."""
    told = folder / "script.json"
    told.write_bytes(msgspec.json.encode(script))
    command = [sys.executable, "-m", "tests.providers", "--dialect", dialect]
    command += ["--script", str(told), "--record", str(folder / "requests.jsonl"), *options]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, "it ended by itself"
            yield url
        finally:
            process.kill()


def recorded(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record, as __main__ tells."""
    lines = (folder / "requests.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]
