"""Questions beside a running cell are answered, or nobody waits for them longer than they must."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.performers.interpreter.pretended_kernel import Asked, Staged, ok, staged

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter import asking
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.worker import Worker

LONG = 20.0
SHORT = 0.02


@pytest.fixture
async def ours() -> AsyncIterator[Staged]:
    async with staged() as made:
        yield made


@pytest.fixture
async def foreign() -> AsyncIterator[Staged]:
    async with staged(kind="foreign", subshells=False) as made:
        yield made


def run_a_cell(worker: Worker) -> None:
    assert worker.execute(fx.ExecuteInWorker(1, CellId("c1"), "code"), "code") is not None


async def test_a_question_is_asked_beside_the_cell_and_answered(ours: Staged) -> None:
    ours.kernel.answers["names"] = lambda asked: ok({"names": asked.content["args"]})
    run_a_cell(ours.worker)
    found = await ours.worker.asking.ask("names", {"a": "int"}, patience=LONG)
    assert found == {"names": {"a": "int"}}
    asked = await ours.kernel.heard("names")
    assert asked.channel == "shell"
    assert asked.message["header"]["subshell_id"] == "beside"


async def test_many_questions_at_once_share_one_subshell_and_get_each_its_own_answer(
    ours: Staged,
) -> None:
    waiting: list[Asked] = []

    def answer(asked: Asked) -> None:
        waiting.append(asked)

    ours.kernel.answers["n"] = answer
    asks = [
        asyncio.create_task(ours.worker.asking.ask("n", {"n": n}, patience=LONG)) for n in range(5)
    ]
    await ours.kernel.heard("n", 5)
    for asked in reversed(waiting):
        await ours.kernel.reply(asked, ok(asked.content["args"]))
    assert await asyncio.gather(*asks) == [{"n": n} for n in range(5)]
    kinds = [one.kind for one in ours.kernel.asked]
    assert kinds.count("create_subshell_request") == 1


async def test_what_is_published_on_the_way_to_an_answer_is_not_the_answer(ours: Staged) -> None:
    asks = asyncio.create_task(ours.worker.asking.ask("x", {}, patience=LONG))
    asked = await ours.kernel.heard("x")
    for kind in ("status", "stream", "comm_open", "error", "execute_input"):
        await ours.kernel.publish(kind, {"status": "ok", "answer": {"no": 1}}, asked.id)
    await ours.kernel.reply(asked, ok({"yes": 1}))
    assert await asks == {"yes": 1}


@pytest.mark.parametrize(
    "reply",
    [
        {"status": "error", "ename": "LookupError", "evalue": "no such ask"},
        {"status": "ok"},
        {"status": "ok", "answer": [1]},
        {},
    ],
)
async def test_an_answer_that_is_none_is_none(ours: Staged, reply: dict[str, Any]) -> None:
    ours.kernel.answers["x"] = lambda _: reply
    assert await ours.worker.asking.ask("x", {}, patience=LONG) is None


async def test_a_question_that_hangs_is_given_up_and_the_next_gets_another_subshell(
    ours: Staged,
) -> None:
    made = iter(("first", "second", "third"))
    ours.kernel.answers["create_subshell_request"] = lambda _: {"subshell_id": next(made)}
    ours.kernel.answers["x"] = lambda asked: (
        None if asked.message["header"]["subshell_id"] == "first" else ok({"yes": 1})
    )
    both = (ours.worker.asking.ask("x", {}, patience=SHORT) for _ in range(2))
    assert await asyncio.gather(*both) == [None, None]
    assert await ours.worker.asking.ask("x", {}, patience=LONG) == {"yes": 1}
    assert ours.worker.asking._stuck == 1, "two that hang in the same place are one"
    assert next(made) == "third", "and the second subshell was kept"


async def test_where_nothing_gets_a_turn_no_subshell_is_given_up(
    ours: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "PING", SHORT)
    del ours.kernel.answers["ping"]
    for _ in range(3):
        assert await ours.worker.asking.ask("x", {}, patience=SHORT) is None
    kinds = [one.kind for one in ours.kernel.asked]
    assert kinds.count("create_subshell_request") == 1


async def test_code_that_hangs_in_every_subshell_gets_no_more_of_them(ours: Staged) -> None:
    for _ in range(asking.MOST_STUCK + 2):
        assert await ours.worker.asking.ask("x", {}, patience=SHORT) is None
    kinds = [one.kind for one in ours.kernel.asked]
    assert kinds.count("create_subshell_request") <= asking.MOST_STUCK + 1
    run_a_cell(ours.worker)
    before = len(ours.kernel.asked)
    assert await ours.worker.asking.ask("x", {}, patience=LONG) is None, "not while a cell runs"
    assert [one.kind for one in ours.kernel.asked[before:]] in ([], ["execute_request"])


async def test_a_kernel_that_gives_no_subshell_is_asked_for_one_again() -> None:
    async with staged(Preferences(answer=SHORT)) as one:
        del one.kernel.answers["create_subshell_request"]
        assert await one.worker.asking.ask("x", {}, patience=LONG) is None
        one.kernel.answers["create_subshell_request"] = lambda _: {"subshell_id": "now"}
        one.kernel.answers["x"] = lambda _: ok({"yes": 1})
        # It may still come late; what counts is that the question is asked again.
        assert await one.worker.asking.ask("x", {}, patience=LONG) in ({"yes": 1}, None)
        assert await one.worker.asking.ask("x", {}, patience=LONG) == {"yes": 1}


async def test_closing_answers_whoever_waits_with_nothing(ours: Staged) -> None:
    waiting = [
        asyncio.create_task(ours.worker.asking.ask("x", {}, patience=LONG)),
        asyncio.create_task(ours.worker.asking.ask("x", {}, where="main", patience=LONG)),
        asyncio.create_task(ours.worker.asking.round_trip()),
    ]
    await ours.kernel.heard("x", 2)
    await ours.kernel.heard("kernel_info_request")
    ours.worker.close()
    async with asyncio.timeout(LONG):
        assert await asyncio.gather(*waiting) == [None, None, False]
        assert await ours.worker.asking.ask("x", {}, where="main", patience=LONG) is None


async def test_closing_while_a_subshell_is_made_cancels_nobody(ours: Staged) -> None:
    del ours.kernel.answers["create_subshell_request"]
    waiting = asyncio.create_task(ours.worker.asking.ask("x", {}, patience=LONG))
    await ours.kernel.heard("create_subshell_request")
    ours.worker.close()
    async with asyncio.timeout(LONG):
        assert await waiting is None, "it is an answer, not an exception"


async def test_who_stops_asking_takes_the_subshell_from_nobody(ours: Staged) -> None:
    del ours.kernel.answers["create_subshell_request"]
    ours.kernel.answers["x"] = lambda _: ok({"yes": 1})
    first = asyncio.create_task(ours.worker.asking.ask("x", {}, patience=LONG))
    second = asyncio.create_task(ours.worker.asking.ask("x", {}, patience=LONG))
    asked = await ours.kernel.heard("create_subshell_request")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await ours.kernel.reply(asked, {"subshell_id": "made"})
    assert await second == {"yes": 1}


async def test_a_foreign_kernel_knows_none_of_our_questions(foreign: Staged) -> None:
    assert await foreign.worker.asking.ask("names", {}, patience=LONG) is None
    assert foreign.kernel.asked == []


async def test_a_kernel_without_subshells_answers_between_cells_only(foreign: Staged) -> None:
    foreign.kernel.answers["complete_request"] = lambda _: {"matches": ["echo"]}
    request = foreign.worker.asking.request
    found = await request("complete_request", {"code": "ec"}, patience=LONG)
    assert found == {"matches": ["echo"]}
    assert "subshell_id" not in (await foreign.kernel.heard("complete_request")).message["header"]
    run_a_cell(foreign.worker)
    assert await request("complete_request", {"code": "ec"}, patience=LONG) is None
    assert len([one for one in foreign.kernel.asked if one.kind == "complete_request"]) == 1


async def test_greeting_waits_until_what_is_published_is_heard_too(foreign: Staged) -> None:
    info = {"language_info": {"name": "bash"}}
    foreign.kernel.answers["kernel_info_request"] = lambda _: info
    greeting = asyncio.create_task(foreign.worker.asking.greet(LONG))
    await foreign.kernel.heard("kernel_info_request", 2)
    assert not greeting.done(), "the first cell's output could be lost"
    await foreign.kernel.publish("status", {"execution_state": "idle"})
    assert await greeting == info


async def test_nothing_is_asked_of_another_process_until_it_was_greeted(ours: Staged) -> None:
    ours.kernel.answers["kernel_info_request"] = lambda _: {"language_info": {}}
    ours.kernel.answers["x"] = lambda _: ok({"yes": 1})
    late = asyncio.create_task(ours.worker.asking.round_trip())
    asked = await ours.kernel.heard("kernel_info_request")
    assert await late
    ours.worker.asking.begin_anew()
    # What the process that was has still said is no sign that this one listens.
    await ours.kernel.reply(asked, {})
    await ours.kernel.publish("status", {"execution_state": "idle"})
    async with asyncio.timeout(LONG):
        await ours.worker.connection.listening.wait()
    assert await ours.worker.asking.ask("x", {}, patience=LONG) is None
    assert [one.kind for one in ours.kernel.asked] == ["kernel_info_request"]

    await ours.worker.asking.greet(LONG)

    assert await ours.worker.asking.ask("x", {}, patience=LONG) == {"yes": 1}


async def test_one_who_could_not_be_greeted_in_time_is_asked_all_the_same(ours: Staged) -> None:
    ours.kernel.answers["x"] = lambda _: ok({"yes": 1})
    ours.worker.asking.begin_anew()
    with pytest.raises(TimeoutError):
        await ours.worker.asking.greet(SHORT)
    assert await ours.worker.asking.ask("x", {}, patience=LONG) == {"yes": 1}


async def test_greeting_gives_up_when_its_time_is_over(foreign: Staged) -> None:
    with pytest.raises(TimeoutError):
        await foreign.worker.asking.greet(SHORT)


async def test_greeting_gives_up_at_once_when_the_process_ends(foreign: Staged) -> None:
    foreign.kernel.answers["kernel_info_request"] = lambda _: {"language_info": {}}
    greeting = asyncio.create_task(foreign.worker.asking.greet(LONG))
    await foreign.kernel.heard("kernel_info_request", 2)
    foreign.kernel.answers.clear()
    foreign.worker.process._over.set()
    async with asyncio.timeout(LONG / 2):
        assert await greeting is None


async def test_a_question_ends_with_the_process(ours: Staged) -> None:
    asks = asyncio.create_task(ours.worker.asking.ask("x", {}, where="main", patience=LONG))
    await ours.kernel.heard("x")
    ours.worker.process._over.set()
    async with asyncio.timeout(LONG / 2):
        assert await asks is None


async def test_whether_it_is_reachable_is_asked_where_no_cell_is_in_the_way(
    ours: Staged, foreign: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign.kernel.answers["kernel_info_request"] = lambda _: {}
    assert await ours.worker.asking.is_reachable()
    assert await foreign.worker.asking.is_reachable()
    assert {one.channel for one in (*ours.kernel.asked, *foreign.kernel.asked)} == {"control"}
    monkeypatch.setattr(asking, "PING", SHORT)
    ours.kernel.answers.clear()
    assert not await ours.worker.asking.is_reachable()
