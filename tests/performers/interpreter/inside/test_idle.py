"""What waits beside a kernel for nothing is in nobody's way, and is there when it is needed."""

from collections.abc import Iterator

import pytest
from tests.performers.interpreter.inside.copies import branch, is_free, obstacles, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, worker

BASH = "%%bash\necho said by bash"
THREAD = (
    "import asyncio, threading; await asyncio.to_thread(lambda: threading.current_thread().name)"
)


@pytest.fixture
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        yield made.ready()


def named(one: Worker, code: str) -> str:
    """What is in the way of a copy before this cell, which runs in any case."""
    told = one.run(code, copy="named").told["copy"]
    return "; ".join(told["obstacles"])


def test_scripts_can_be_run_before_and_behind_every_copy(one: Worker) -> None:
    for cell in ("x = 1", BASH, "x = 2", BASH):
        ran = one.run(cell, copy="a")
        assert ran.told["copy"]["obstacles"] == []
        assert (ran.text() == "said by bash\n") is (cell == BASH)
    assert obstacles(one) == []
    with branch(one, one.folder.parent) as other:
        assert other.run(BASH).text() == "said by bash\n"
        assert obstacles(other) == []
    undo(one, "a")
    assert one.run(BASH).text() == "said by bash\n"
    assert one.run("x", copy="b").told["copy"]["kept"]


def test_a_script_in_the_background_is_in_the_way_and_goes_on(one: Worker) -> None:
    one.run("%%bash --bg\nread line < /dev/zero")
    assert "run_forever" in named(one, "1")
    assert "a child process runs" in named(one, "1")
    one.run("%killbgscripts")
    assert one.run(BASH).text() == "said by bash\n"
    is_free(one)


def test_what_a_script_in_the_background_has_said_can_be_read(one: Worker) -> None:
    one.run("%%bash --bg --out said\necho heard")
    assert "run_forever" in named(one, "1")
    assert one.run("await said.read()").value == "b'heard\\n'"
    one.run("del said")
    is_free(one)


def test_threads_of_the_loop_that_have_nothing_to_do_are_not_copied(one: Worker) -> None:
    assert one.run(THREAD).value == "'asyncio_0'"
    assert obstacles(one) == []
    ran = one.run(
        "await asyncio.gather(*(asyncio.to_thread(sum, [n]) for n in range(9)))", copy="a"
    )
    assert ran.told["copy"]["kept"]
    assert obstacles(one) == []
    with branch(one, one.folder.parent) as other:
        assert other.run(THREAD).value == "'asyncio_0'"
        assert obstacles(other) == []
    undo(one, "a")
    assert one.run(THREAD).value == "'asyncio_0'"
    assert one.run("1", copy="b").told["copy"]["kept"]


def test_those_that_work_are_in_the_way_and_so_is_a_pool_of_the_code(one: Worker) -> None:
    one.run(
        "import asyncio, threading; go = threading.Event()\n"
        "at_work = asyncio.get_running_loop().run_in_executor(None, go.wait)"
    )
    assert "(asyncio_0)" in named(one, "1")
    one.run("go.set(); await at_work")
    assert named(one, "1") == ""
    one.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(); pool.submit(abs, 1).result()\n"
        "asyncio.get_running_loop().set_default_executor(pool)"
    )
    assert "(ThreadPoolExecutor-0_0)" in named(one, "1")
