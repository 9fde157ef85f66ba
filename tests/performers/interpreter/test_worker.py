"""One interpreter of one session: what it says becomes reports, each once, under the right cell."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.contracts.performer import Recorded
from tests.performers.interpreter.pretended_kernel import Asked, Staged, ok, staged

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.progress import OutputChunk, WarmUpStep
from hearth.performers.interpreter import late_output
from hearth.performers.interpreter import worker as workers
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.worker import Worker

C1, C2 = CellId("c1"), CellId("c2")
OK: dict[str, Any] = {"status": "ok", "hearth": {"names": ["x"], "deleted": []}}


@pytest.fixture
async def ours() -> AsyncIterator[Staged]:
    async with staged() as made:
        yield made


@pytest.fixture
async def foreign() -> AsyncIterator[Staged]:
    async with staged(kind="foreign", subshells=False) as made:
        yield made


async def begin(one: Staged, cell: CellId = C1, code: str = "x = 1", **more: Any) -> Asked:
    """Give it a cell, and wait until it has it."""
    nth = len([asked for asked in one.kernel.asked if asked.kind == "execute_request"]) + 1
    assert one.worker.execute(fx.ExecuteInWorker(1, cell, code, **more), code) is not None
    return await one.kernel.heard("execute_request", nth)


def late(stage: Recorded) -> list[tuple[str, Any]]:
    return [(one.cell, one.outputs) for one in stage.reports if isinstance(one, r.OutputCameLate)]


# -- cells ----------------------------------------------------------------------------------------


async def test_a_cell_is_given_with_all_that_the_kernel_must_know_of_it(ours: Staged) -> None:
    asked = await begin(ours, may_ask=True, reload=False)
    assert asked.id == "cell:c1"
    assert asked.content["code"] == "x = 1"
    assert asked.content["allow_stdin"] is True
    assert asked.content["store_history"] is True
    told = asked.message["metadata"]["hearth"]
    limit = ours.worker.preferences.output
    assert told["cell"] == "c1"
    assert (told["script"], told["may_ask"], told["output_limit"]) == (None, True, limit)


async def test_a_foreign_kernel_says_before_a_cell_that_it_cannot_be_taken_back(
    foreign: Staged,
) -> None:
    await begin(foreign, copy=True, on_error="undo")
    (missed,) = [one for one in foreign.stage.reports if isinstance(one, r.CopyMissed)]
    assert missed.cell == C1
    assert missed.obstacles[0].startswith("only Python interpreters can be copied")


async def test_a_cell_that_ends_is_reported_once_with_what_it_showed(ours: Staged) -> None:
    asked = await begin(ours)
    await ours.kernel.run(asked, OK, "hello ", "world\n")
    ended = await ours.stage.heard(r.CellEnded)
    assert ended.cell == C1
    assert ended.ending == r.Succeeded()
    assert ended.outputs == (StreamText("stdout", "hello world\n"),)
    assert ended.names == ("x",)
    assert ours.stage.shown[0] == OutputChunk(C1, "stdout", "hello ")
    assert ours.worker.running is None
    assert list(ours.worker.known.cells) == ["x = 1"]
    await ours.kernel.run(asked, OK)
    await ours.kernel.run(await begin(ours, C2), OK)
    assert (await ours.stage.heard(r.CellEnded, 2)).cell == C2, "the first did not end again"
    assert len([one for one in ours.stage.reports if isinstance(one, r.CellEnded)]) == 2


async def test_a_cell_has_not_ended_before_everything_was_said(ours: Staged) -> None:
    asked = await begin(ours)
    await ours.kernel.reply(asked, OK)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "after the reply"}, asked.id)
    await ours.stage.seen()
    assert not [one for one in ours.stage.reports if isinstance(one, r.CellEnded)]
    await ours.kernel.publish("status", {"execution_state": "idle"}, asked.id)
    ended = await ours.stage.heard(r.CellEnded)
    assert ended.outputs == (StreamText("stdout", "after the reply"),)


async def test_an_end_that_only_the_journal_heard_of_is_found(
    ours: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "IDLE_PATIENCE", 0.01)
    asked = await begin(ours)
    await ours.kernel.reply(asked, OK)
    idle = ours.kernel.session.msg("status", {"execution_state": "idle"}, parent=asked.message)
    assert ours.kernel.journal is not None
    ours.kernel.journal.put(b"i", ours.kernel.session.serialize(idle))
    assert (await ours.stage.heard(r.CellEnded)).ending == r.Succeeded()


async def test_a_foreign_kernel_that_is_never_idle_again_has_ended_its_cell(
    foreign: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "IDLE_PATIENCE", 0.01)
    asked = await begin(foreign)
    await foreign.kernel.reply(asked, {"status": "ok"})
    assert (await foreign.stage.heard(r.CellEnded)).ending == r.Succeeded()


async def test_a_second_cell_while_one_runs_is_refused_and_the_first_goes_on(ours: Staged) -> None:
    asked = await begin(ours)
    assert ours.worker.execute(fx.ExecuteInWorker(1, C2, "y"), "y") is None
    refused = await ours.stage.heard(r.CellEnded)
    assert (refused.cell, refused.ending) == (
        C2,
        r.Raised(Interrupted("the interpreter is at c1")),
    )
    await ours.kernel.run(asked, OK)
    assert (await ours.stage.heard(r.CellEnded, 2)).cell == C1


async def test_status_and_replies_of_others_do_not_end_a_cell(ours: Staged) -> None:
    asked = await begin(ours)
    await ours.kernel.publish("status", {"execution_state": "idle"}, "cell:c9")
    await ours.kernel.publish("status", {"execution_state": "idle"}, "another")
    await ours.kernel.publish("status", {"execution_state": "idle"})
    elsewhere = asked._replace(message=ours.kernel.session.msg("execute_request", {}))
    await ours.kernel.reply(elsewhere, OK)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "still on"}, asked.id)
    await ours.stage.seen()
    assert ours.stage.reports == []
    assert ours.worker.running is not None


async def test_what_a_cell_asks_a_person_is_reported_and_the_answer_reaches_it(
    ours: Staged,
) -> None:
    asked = await begin(ours, may_ask=True)
    await ours.kernel.ask_person({"prompt": "name? ", "password": True}, asked)
    assert await ours.stage.heard(r.InputAsked) == r.InputAsked(1, C1, "name? ", password=True)
    ours.worker.answer(C2, "meant for another cell")
    ours.worker.answer(C1, "Ada")
    answer = await ours.kernel.heard("input_reply")
    assert (answer.channel, answer.content["value"]) == ("stdin", "Ada")


async def test_names_are_those_that_were_told_last(ours: Staged) -> None:
    for number, (known, expected) in enumerate(
        (
            ({"a": "int", "b": "Dog"}, {"a": "int", "b": "Dog"}),
            (None, {"a": "int", "b": "Dog"}),
            ({"b": "str"}, {"b": "str"}),
        ),
        start=1,
    ):
        asked = await begin(ours, CellId(f"c{number}"))
        await ours.kernel.run(asked, {"status": "ok", "hearth": {"known": known}})
        await ours.stage.heard(r.CellEnded, number)
        assert ours.worker.known.names == expected
    ours.worker.known.forget()
    assert not ours.worker.known.names
    assert not ours.worker.known.cells


async def test_what_an_interpreter_has_loaded_is_reported_before_the_cells_end(
    ours: Staged,
) -> None:
    environment = {"fingerprint": "f", "parts": {"numpy": "1"}}
    asked = await begin(ours)
    await ours.kernel.run(asked, {"status": "ok", "hearth": {"environment": environment}})
    await ours.stage.heard(r.CellEnded)
    assert r.EnvironmentSeen(1, "f", {"numpy": "1"}) in ours.stage.reports


async def test_warm_up_is_shown_as_steps(ours: Staged) -> None:
    ours.worker.publishing.warm_up = "prepare-1"
    await ours.kernel.publish("stream", {"text": "\x1b[1mimporting a\x1b[0m\n"}, "prepare-1")
    await ours.stage.seen()
    assert ours.stage.shown == [WarmUpStep("importing a")]


# -- what comes late ------------------------------------------------------------------------------


async def test_late_output_belongs_to_its_own_cell_and_not_to_the_running_one(
    ours: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_output, "PAUSE", 0.01)
    await ours.kernel.run(await begin(ours), OK)
    await ours.stage.heard(r.CellEnded)
    second = await begin(ours, C2)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "late"}, "cell:c1")
    await ours.stage.heard(r.OutputCameLate)
    await ours.kernel.run(second, OK, "own")
    ended = await ours.stage.heard(r.CellEnded, 2)
    assert ended.outputs == (StreamText("stdout", "own"),)
    assert late(ours.stage) == [("c1", (StreamText("stdout", "late"),))]


async def test_output_without_a_cell_is_the_running_ones_or_else_the_last_ones(
    ours: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_output, "PAUSE", 0.01)
    asked = await begin(ours)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "during"})
    await ours.stage.seen()
    await ours.kernel.run(asked, OK)
    ended = await ours.stage.heard(r.CellEnded)
    assert ended.outputs == (StreamText("stdout", "during"),)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "after"})
    await ours.stage.heard(r.OutputCameLate)
    assert late(ours.stage) == [("c1", (StreamText("stdout", "after"),))]


# -- taking up ------------------------------------------------------------------------------------


async def taken_up(one: Staged, cell: CellId | None) -> tuple[Worker, Recorded]:
    """What the next daemon makes of the same interpreter."""
    one.worker.close()
    found = one.worker.folder.record()
    assert found is not None
    following = Worker(one.worker.folder, found, one.context, Preferences())
    stage = Recorded()
    following.stage = stage
    following.connection.open()
    await following.take_up(fx.AttachWorker(1, SessionConfig(), cell))
    return following, stage


async def test_the_next_daemon_hears_all_that_a_cell_says_and_said(ours: Staged) -> None:
    asked = await begin(ours)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "before "}, asked.id)
    await ours.stage.seen()
    following, stage = await taken_up(ours, C1)
    await ours.kernel.run(asked, OK, "after")
    following.asking.begin("kernel_info_request", {})
    await ours.kernel.heard("kernel_info_request")
    await ours.kernel.publish("status", {"execution_state": "idle"})
    ended = await stage.heard(r.CellEnded)
    assert ended.outputs == (StreamText("stdout", "before after"),)
    assert ended.ending == r.Succeeded()
    following.close()


async def test_a_cell_that_ended_while_nobody_listened_is_found_ended(ours: Staged) -> None:
    asked = await begin(ours)
    ours.worker.close()
    await ours.kernel.run(asked, OK, "alone")
    following, stage = await taken_up(ours, C1)
    ended = await stage.heard(r.CellEnded)
    assert ended.outputs == (StreamText("stdout", "alone"),)
    assert following.running is None
    following.close()


async def test_a_cell_that_ends_while_the_next_daemon_is_not_heard_yet_is_found_ended(
    ours: Staged,
) -> None:
    kernel = ours.kernel
    asked = await begin(ours)
    await kernel.publish("stream", {"name": "stdout", "text": "before "}, asked.id)
    await ours.stage.seen()

    def end(_: Asked) -> dict[str, Any]:
        """What goes to nobody is in the journal alone."""
        said = {
            "stream": {"name": "stdout", "text": "meanwhile"},
            "execute_reply": OK,
            "status": {"execution_state": "idle"},
        }
        assert kernel.journal is not None
        for kind, content in said.items():
            message = kernel.session.msg(kind, content, parent=asked.message)
            kernel.journal.put(b"i", kernel.session.serialize(message))
        del kernel.answers["ping"]
        return ok({"busy": True})

    kernel.answers["ping"] = end
    kernel.tells_when_idle = True
    following, stage = await taken_up(ours, C1)
    ended = await stage.heard(r.CellEnded)
    assert ended.outputs == (StreamText("stdout", "before meanwhile"),)
    following.close()


async def test_one_who_is_not_heard_is_come_to_until_it_is(ours: Staged) -> None:
    asked = await begin(ours)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "at it"}, asked.id)
    await ours.stage.seen()
    following, stage = await taken_up(ours, C1)
    await ours.kernel.heard("ping", 3)
    ours.kernel.tells_when_idle = True
    async with asyncio.timeout(20):
        await following.connection.listening.wait()
    await ours.kernel.run(asked, OK)
    assert (await stage.heard(r.CellEnded)).ending == r.Succeeded()
    following.close()


async def test_a_cell_that_the_interpreter_never_heard_of_is_closed_as_interrupted(
    ours: Staged,
) -> None:
    ours.kernel.answers["kernel_info_request"] = lambda _: {}
    following, stage = await taken_up(ours, C1)
    ended = await stage.heard(r.CellEnded)
    assert ended.ending == r.Raised(Interrupted("the interpreter never heard of this cell"))
    assert following.running is None
    following.close()


async def test_late_output_that_the_last_daemon_told_is_not_told_again(
    ours: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_output, "PAUSE", 0.01)
    await ours.kernel.run(await begin(ours), OK)
    await ours.stage.heard(r.CellEnded)
    await ours.kernel.publish("stream", {"name": "stdout", "text": "told"}, "cell:c1")
    await ours.stage.heard(r.OutputCameLate)
    ours.worker.close()
    await ours.kernel.publish("stream", {"name": "stdout", "text": "untold"}, "cell:c1")
    following, stage = await taken_up(ours, None)
    await stage.heard(r.OutputCameLate)
    assert late(stage) == [("c1", (StreamText("stdout", "untold"),))]
    following.close()


# -- the end --------------------------------------------------------------------------------------


async def test_an_interpreter_that_ends_is_reported_lost_once_with_all_it_had(
    ours: Staged,
) -> None:
    lost: list[Worker] = []
    ours.worker.lost = lost.append
    ours.worker.known.names = {"b": "", "a": ""}
    asked = await begin(ours)
    running = ours.worker.running
    assert running is not None
    said = ours.kernel.session.msg(
        "stream", {"name": "stdout", "text": "last words"}, parent=asked.message
    )
    assert ours.kernel.journal is not None
    ours.kernel.journal.put(b"i", ours.kernel.session.serialize(said))
    ours.worker.process._on_end()
    told = await ours.stage.heard(r.WorkerLost)
    assert told.generation == 1
    assert told.names == ("a", "b")
    assert told.outputs == (StreamText("stdout", "last words"),)
    assert running.ended.is_set(), "who waits for the cell waits no longer"
    assert lost == [ours.worker]
    assert not [one for one in ours.stage.reports if isinstance(one, r.CellEnded)]


async def test_a_worker_that_was_let_go_of_says_nothing_more(ours: Staged) -> None:
    asked = await begin(ours)
    running = ours.worker.running
    assert running is not None
    ours.worker.close()
    ours.worker.close()
    assert running.ended.is_set()
    await ours.kernel.run(asked, OK, "text")
    ours.worker.process._on_end()
    for _ in range(20):
        await asyncio.sleep(0)
    assert ours.stage.reports == []
    assert ours.stage.shown == []


async def test_ending_takes_the_folder_and_says_nothing(ours: Staged) -> None:
    await begin(ours)
    await ours.worker.end(politely=True)
    assert not ours.worker.folder.path.exists()
    assert ours.stage.reports == []
    assert "shutdown_request" not in [one.kind for one in ours.kernel.asked], "a cell is running"
    ours.worker.folder.path.mkdir()  # the fixture takes it away


async def test_whose_interpreter_it_is_is_written_before_anyone_is_told(ours: Staged) -> None:
    stage = Recorded()
    ours.worker.claim(SessionId("session-two"), 7, stage)
    written = ours.worker.folder.record()
    assert written is not None
    assert (written.session, written.generation) == ("session-two", 7)
    assert ours.worker.generation == 7
    await ours.kernel.run(await begin(ours), OK)
    assert (await stage.heard(r.CellEnded)).generation == 7
    assert ours.stage.reports == []


async def test_code_that_did_not_come_to_its_end_does_not_count_for_checks(ours: Staged) -> None:
    failed = {"status": "error", "ename": "NameError", "evalue": "", "traceback": []}
    await ours.kernel.run(await begin(ours), failed)
    await ours.stage.heard(r.CellEnded)
    assert not ours.worker.known.cells
