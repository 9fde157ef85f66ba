import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import LIMIT, bash, is_running, pids_in

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.tools.shell.jobs import MOST_ENDED, Gone, Jobs, Order, TooMany
from hearth.performers.tools.shell.program import CouldNotStart, Launch
from hearth.performers.tools.shell.running import Running

ONE, OTHER = SessionId("one"), SessionId("other")


def order(command: str, limit: float | None = None) -> Order:
    return Order(command, bash(command), limit, lambda _: None)


@pytest.fixture
async def jobs(tmp_path: Path, left: Callable[[], list[int]]) -> AsyncIterator[Jobs]:
    one = Jobs(tmp_path / "results")
    yield one
    async with asyncio.timeout(LIMIT):
        await one.close()
    assert not left()


async def test_a_command_is_run_to_its_end(jobs: Jobs) -> None:
    async with asyncio.timeout(LIMIT):
        running = await jobs.run(ONE, "k1", order("echo done"))
    assert running.new_output().text("") == "done\n"
    assert not jobs.listed(ONE)


async def test_who_is_cancelled_while_a_command_runs_has_it_ended(
    jobs: Jobs, tmp_path: Path
) -> None:
    fifo, file = tmp_path / "fifo", tmp_path / "pids"
    os.mkfifo(fifo)
    command = f"setsid sleep 300 & echo $! $$ > {file}; echo > {fifo}; wait"
    async with asyncio.timeout(LIMIT):
        running = asyncio.create_task(jobs.run(ONE, "k1", order(command)))
        await asyncio.to_thread(fifo.read_bytes)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert len(pids_in(file)) == 2
    assert not [pid for pid in pids_in(file) if is_running(pid)]


async def test_jobs_are_counted_within_their_session_and_belong_to_it(jobs: Jobs) -> None:
    async with asyncio.timeout(LIMIT):
        names = [(await jobs.start(one, order("sleep 300")))[0] for one in (ONE, ONE, OTHER)]
        assert names == ["j1", "j2", "j1"]
        first, other = await jobs.find(ONE, "j1"), await jobs.find(OTHER, "j1")
        assert isinstance(first, Running)
        assert isinstance(other, Running)
        assert first is not other
        assert await jobs.find(OTHER, "j2") is None
        assert [name for name, _ in jobs.listed(ONE)] == ["j1", "j2"]
        await jobs.end_session(ONE)
        assert first.ended is not None
        assert other.ended is None
        assert not jobs.listed(ONE)


async def test_a_session_has_so_many_jobs_at_once_and_no_more(
    left: Callable[[], list[int]],
) -> None:
    jobs = Jobs(most=2)
    async with asyncio.timeout(LIMIT):
        for _ in range(2):
            await jobs.start(ONE, order("sleep 300"))
        with pytest.raises(TooMany, match="2 jobs"):
            await jobs.start(ONE, order("touch never", limit=1))
        await jobs.start(OTHER, order("sleep 300"))
        [(_, first), _] = jobs.listed(ONE)
        await first.end()
        assert (await jobs.start(ONE, order("sleep 300")))[0] == "j3"
        await jobs.close()
    assert not left()


async def test_a_job_of_an_earlier_daemon_has_ended_and_keeps_its_name(tmp_path: Path) -> None:
    earlier = Jobs(tmp_path / "results")
    async with asyncio.timeout(LIMIT):
        await earlier.start(ONE, order("sleep 300"))
        await earlier.close()
        later = Jobs(tmp_path / "results")
        assert await later.find(ONE, "j1") == Gone("sleep 300")
        assert await later.find(ONE, "j2") is None
        assert (await later.start(ONE, order("sleep 301")))[0] == "j2"
        await later.close()


async def test_a_book_that_was_damaged_is_read_as_far_as_it_can_be(tmp_path: Path) -> None:
    book = tmp_path / "results" / "one" / "jobs.jsonl"
    book.parent.mkdir(parents=True)
    book.write_bytes(b'["j4", "make"]\n[5, 6]\n["../x", "y"]\n\xff\n["j5", "ha')
    jobs = Jobs(tmp_path / "results")
    assert await jobs.find(ONE, "j4") == Gone("make")
    async with asyncio.timeout(LIMIT):
        assert (await jobs.start(ONE, order("true")))[0] == "j5"
        await jobs.close()


async def test_a_folder_that_cannot_be_written_to_keeps_no_job_from_running(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    jobs = Jobs(tmp_path / "results")
    async with asyncio.timeout(LIMIT):
        name, running = await jobs.start(ONE, order("echo here"))
        await running.over()
        await jobs.close()
    assert name == "j1"
    assert running.new_output().text("") == "here\n"


async def test_what_could_not_start_is_no_job(jobs: Jobs) -> None:
    with pytest.raises(CouldNotStart):
        await jobs.start(ONE, Order("x", Launch(("\0",), "/", {}), None, lambda _: None))
    assert not jobs.listed(ONE)


async def test_a_job_that_has_a_limit_ends_at_it(jobs: Jobs) -> None:
    async with asyncio.timeout(LIMIT):
        _, running = await jobs.start(ONE, order("sleep 300", limit=0.1))
        await running.over()
    assert running.timed_out_after == 0.1


async def test_of_jobs_that_ended_the_newest_can_still_be_asked(jobs: Jobs) -> None:
    async with asyncio.timeout(LIMIT):
        for _ in range(MOST_ENDED + 2):
            _, running = await jobs.start(ONE, order("true"))
            await running.over()
    assert len(jobs.listed(ONE)) <= MOST_ENDED + 1
    assert await jobs.find(ONE, "j1") == Gone("true")


async def test_nothing_starts_once_all_has_been_ended(tmp_path: Path) -> None:
    jobs = Jobs()
    await jobs.close()
    file = tmp_path / "ran"
    with pytest.raises(CouldNotStart, match="ending"):
        await jobs.run(ONE, "k1", order(f"touch {file}", 5))
    with pytest.raises(CouldNotStart, match="ending"):
        await jobs.start(ONE, order(f"touch {file}"))
    assert not file.exists()


async def test_closing_ends_what_somebody_waits_for_and_what_nobody_does(
    tmp_path: Path, left: Callable[[], list[int]]
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    jobs = Jobs()
    async with asyncio.timeout(LIMIT):
        _, job = await jobs.start(ONE, order("sleep 300"))
        waited_for = asyncio.create_task(jobs.run(ONE, "k1", order(f"echo > {fifo}; sleep 300")))
        await asyncio.to_thread(fifo.read_bytes)
        await jobs.close()
        running = await waited_for
    assert running.was_stopped
    assert job.was_stopped
    assert not left()


@pytest.mark.parametrize("name", ["..", "a/b", "", ".hidden", "x" * 300])
async def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    jobs = Jobs(tmp_path / "results")
    assert jobs._file(SessionId(name), "k1.out") is None


async def test_a_session_has_a_folder_for_what_its_commands_leave_each_other(
    jobs: Jobs, tmp_path: Path
) -> None:
    folder = tmp_path / "results" / "one" / "tmp"
    assert [jobs.temporary(ONE) for _ in range(2)] == [str(folder)] * 2
    assert folder.stat().st_mode & 0o777 == 0o700
    assert jobs.temporary(OTHER) != str(folder)
    (folder / "note").write_text("for the next one")
    await jobs.find(ONE, "j1")
    async with asyncio.timeout(LIMIT):
        await jobs.end_session(ONE)
    assert not folder.exists()
    assert not Jobs().temporary(ONE)


async def test_where_no_folder_can_be_made_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    assert not Jobs(tmp_path / "results").temporary(ONE)


async def test_a_last_word_is_asked_for_when_it_has_ended(jobs: Jobs, tmp_path: Path) -> None:
    def look() -> str:
        return f"It left {file.read_text()}"

    file = tmp_path / "left"
    command = f"printf this > {file}"
    async with asyncio.timeout(LIMIT):
        running = await jobs.run(ONE, "k1", Order(command, bash(command), 9, lambda _: None, look))
    assert running.afterword == "It left this"


async def test_a_last_word_that_fails_keeps_nobody_waiting(jobs: Jobs) -> None:
    def look() -> str:
        raise OSError("no such thing")

    async with asyncio.timeout(LIMIT):
        running = await jobs.run(ONE, "k1", Order("true", bash("true"), 9, lambda _: None, look))
    assert running.ended is not None
    assert running.afterword == "What it left could not be looked at: no such thing."


async def test_folders_deeper_than_python_goes_are_removed_with_the_session(jobs: Jobs) -> None:
    async with asyncio.timeout(LIMIT):
        await jobs.run(ONE, "k1", order("true"))
        top = await asyncio.to_thread(jobs.temporary, ONE)
        folder = os.open(top, os.O_RDONLY)
        for _ in range(2_000):
            os.mkdir("d", dir_fd=folder)
            below = os.open("d", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = below
        os.close(folder)
        await jobs.end_session(ONE)
    with pytest.raises(FileNotFoundError):
        os.open(top, os.O_RDONLY)
