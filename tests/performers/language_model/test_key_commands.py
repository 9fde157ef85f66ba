"""A command prints a key, and leaves nothing behind when it does not."""

import asyncio
import os
from pathlib import Path

import psutil
import pytest

from hearth.performers.language_model.key_commands import output_of
from hearth.performers.language_model.key_texts import KeyMissing

WHERE = "provider.anthropic.keyCommand"
ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/", "SECRET": "s3cret-in-the-environment"}
PATIENCE = 30.0


async def test_what_it_prints_is_the_key() -> None:
    assert await output_of('printf %s "$SECRET"', ENVIRON, PATIENCE, WHERE) == ENVIRON["SECRET"]


async def test_it_runs_in_the_home_folder_and_has_nobody_to_ask(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    environ = {**ENVIRON, "HOME": str(tmp_path)}
    assert await output_of("ls; cat; echo end", environ, PATIENCE, WHERE) == "here\nend\n"


async def test_a_command_that_fails_says_how_but_not_what_it_printed() -> None:
    command = "echo s3cret-key; echo no agent runs, s3cret-key >&2; exit 3"
    with pytest.raises(KeyMissing) as caught:
        await output_of(command, ENVIRON, PATIENCE, WHERE)
    assert caught.value.message == f"{WHERE} ended with status 3: no agent runs, [a key]"


async def test_a_command_that_cannot_be_run_is_told() -> None:
    with pytest.raises(KeyMissing, match="cannot be run"):
        await output_of("true", {**ENVIRON, "HOME": "/nowhere"}, PATIENCE, WHERE)


async def test_a_command_that_does_not_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    command = f"sleep 600 & echo $$ $! > {note}; wait"
    with pytest.raises(KeyMissing, match="within 1 seconds"):
        await output_of(command, ENVIRON, 1.0, WHERE)
    for pid in map(int, note.read_text().split()):
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie"


async def test_whoever_stops_waiting_leaves_nothing_behind(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    task = asyncio.create_task(
        output_of(f"echo $$ > {pipe}; sleep 600", ENVIRON, PATIENCE * 10, WHERE)
    )
    async with asyncio.timeout(PATIENCE):
        pid = int(await asyncio.to_thread(pipe.read_text))
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert not psutil.pid_exists(pid)


async def test_much_output_keeps_nobody_waiting() -> None:
    said = await output_of("head -c 3000000 /dev/zero; echo x >&2", ENVIRON, PATIENCE, WHERE)
    assert len(said) == 64 * 1024
