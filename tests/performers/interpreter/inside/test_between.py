"""What is asked between cells waits for none, and is answered whatever the main thread does."""

import asyncio
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside.copies import copies, drop
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, worker

from hearth.performers.interpreter.inside import between, obstacles


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        yield made.ready()


def test_a_copy_is_made_when_it_is_asked_for(one: Worker) -> None:
    assert one.ask("copy", channel="control", name="a") == {"kept": True, "obstacles": []}
    assert list(copies(one)) == ["a"]
    drop(one, "a")
    assert one.ask("copy", channel="control", name="../a") == {
        "kept": False,
        "obstacles": ["a copy cannot be called '../a'"],
    }
    assert one.ask("copy", channel="control") == {
        "kept": False,
        "obstacles": ["a copy cannot be called None"],
    }


def test_a_cell_that_hangs_does_not_keep_who_asks_waiting(one: Worker) -> None:
    sent = one.start("import time\nwhile True: time.sleep(0.01)")
    one.until_published("execute_input")
    for _ in range(3):
        assert one.ask("obstacles", channel="control") == {"obstacles": [obstacles.CELL]}
        assert one.ask("copy", channel="control", name="a")["obstacles"] == [obstacles.CELL]
        made = one.ask("branch", channel="control", folder="/nowhere")
        assert (made["branched"], made["obstacles"]) == (False, [obstacles.CELL])
    one.interrupt()
    one.finish(sent)
    assert one.ask("obstacles", channel="control") == {"obstacles": []}


def test_cells_and_questions_at_once_are_all_answered(one: Worker) -> None:
    one.run("count = 0")
    cells = [one.start("count += 1") for _ in range(20)]
    asked = [
        one.send("hearth_request", {"ask": "copy", "args": {"name": f"c{at}"}}, channel="control")
        for at in range(10)
    ]
    for sent in asked:
        content = one.reply_to(sent, "control")["content"]
        assert content["status"] == "ok"
        answer = content["answer"]
        assert answer["kept"] or answer["obstacles"] == [obstacles.CELL]
    for sent in cells:
        assert one.reply_to(sent)["content"]["status"] == "ok"
    assert one.run("count").value == "20"
    for name in copies(one):
        drop(one, name)


class _Main:
    """A main thread that does what it is given when a test lets it."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.kernel = SimpleNamespace(
            running=0,
            _main_asyncio_lock=SimpleNamespace(locked=lambda: False),
            io_loop=SimpleNamespace(add_callback=self.given.append),
        )


def test_one_that_a_cell_overtook_is_withdrawn_and_never_carried_out() -> None:
    main, acted = _Main(), list[str]()

    def act() -> dict[str, Any]:
        acted.append("x")
        return {}

    async def asking() -> dict[str, Any]:
        asked = asyncio.create_task(between._in_main(main.kernel, act))
        await asyncio.sleep(0)
        main.kernel.running = 1
        return await asked

    assert asyncio.run(asking()) == {"obstacles": [obstacles.CELL]}
    main.kernel.running = 0
    main.given[0]()
    assert acted == []


def test_one_that_the_main_thread_never_takes_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(between, "_PATIENCE", 0.0)
    monkeypatch.setattr(between, "_LOOK", 0.0)
    main = _Main()
    found = asyncio.run(between._in_main(main.kernel, dict))
    assert found == {"obstacles": [between.BUSY]}


def test_what_goes_wrong_is_told_to_whoever_asked() -> None:
    main = _Main()

    def fall() -> dict[str, Any]:
        raise ValueError("wrong")

    async def asking() -> None:
        asked = asyncio.create_task(between._in_main(main.kernel, fall))
        await asyncio.sleep(0)
        thread = threading.Thread(target=main.given[0])
        thread.start()
        assert await asked == {"obstacles": ["it could not be looked at: ValueError: wrong"]}
        thread.join()

    asyncio.run(asking())


def test_it_is_busy_while_the_main_thread_answers_something() -> None:
    main = _Main()
    assert not between.is_busy(main.kernel)
    main.kernel._main_asyncio_lock = SimpleNamespace(locked=lambda: True)
    assert between.is_busy(main.kernel)
    found = []
    turn = between._Turn(main.kernel, dict)
    turn.done.add_done_callback(lambda done: found.append(done.result()))
    turn.take()
    assert found == [{"obstacles": [obstacles.CELL]}]
