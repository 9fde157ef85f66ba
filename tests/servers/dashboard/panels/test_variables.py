"""Variables are asked for once for all who look, and never without a reason."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.contracts.scenes import ANN
from tests.servers.dashboard.panels.looking_at import NOW, SESSION
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.api import settle
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.servers.dashboard.panels import variables as module
from hearth.servers.dashboard.panels.variables import ASKER, Known, Variables
from hearth.servers.http.seeing import seen

X = Variable("x", "int", 28, preview="1")


class Interpreter:
    """Has variables, and answers when it may."""

    def __init__(self) -> None:
        self.questions = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.reason = ""


@pytest.fixture
async def interpreter(monkeypatch: pytest.MonkeyPatch) -> Interpreter:
    scripted = Interpreter()
    usual = ScriptedInterpreter.perform

    async def perform(self: Any, session: SessionId, effect: Effect, stage: Stage) -> None:
        if not isinstance(effect, fx.ListInWorker):
            await usual(self, session, effect, stage)
            return
        scripted.questions += 1
        await scripted.may_answer.wait()
        if scripted.reason:
            stage.report(r.EffectFailed(effect, scripted.reason))
        else:
            stage.report(r.VariablesFound(effect.question, (X,), 1))

    monkeypatch.setattr(ScriptedInterpreter, "perform", perform)
    return scripted


@pytest.fixture
async def daemon(tmp_path: Path, interpreter: Interpreter) -> AsyncIterator[Served]:
    assert interpreter.questions == 0
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def status_of(daemon: Served) -> Status:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    return status


async def look(daemon: Served, variables: Variables, again: str = "") -> Known:
    return await variables.look(daemon.engine, await status_of(daemon), again)


async def run(daemon: Served) -> None:
    async with asyncio.timeout(PATIENCE):
        await settle(daemon.engine, SESSION, c.RunCell("x = 1"), ANN)


async def test_nobody_is_asked_until_somebody_looks(
    daemon: Served, interpreter: Interpreter
) -> None:
    Variables(lambda: NOW)
    await run(daemon)
    assert interpreter.questions == 0


async def test_all_who_look_share_one_answer(daemon: Served, interpreter: Interpreter) -> None:
    variables = Variables(lambda: NOW, PATIENCE)
    found = await asyncio.gather(*(look(daemon, variables) for _ in range(20)))
    assert interpreter.questions == 1
    assert all(one.listed is not None and one.listed.variables == (X,) for one in found)
    assert all(one.is_current and not one.problem for one in found)
    events = await daemon.events()
    await look(daemon, variables)
    assert await daemon.events() == events


async def test_after_a_cell_they_are_asked_for_again_once(
    daemon: Served, interpreter: Interpreter
) -> None:
    variables = Variables(lambda: NOW, PATIENCE)
    await look(daemon, variables)
    await run(daemon)
    assert (await look(daemon, variables)).is_current
    assert (await look(daemon, variables)).is_current
    assert interpreter.questions == 2


async def test_whoever_looks_is_not_counted_as_using_the_session(daemon: Served) -> None:
    before = await status_of(daemon)
    await look(daemon, Variables(lambda: NOW, PATIENCE))
    assert (await status_of(daemon)).last_activity == before.last_activity
    assert ASKER.actor == "system"


async def test_a_busy_interpreter_is_not_waited_for_and_what_was_known_is_shown(
    daemon: Served, interpreter: Interpreter
) -> None:
    variables = Variables(lambda: NOW, PATIENCE)
    await look(daemon, variables)
    await run(daemon)
    interpreter.may_answer.clear()
    variables._patience = 0.0
    known = await look(daemon, variables)
    assert known.listed is not None
    assert known.is_asked
    assert not known.is_current
    assert (await look(daemon, variables)).number == known.number, "the question is still open"
    interpreter.may_answer.set()
    variables._patience = PATIENCE
    assert (await look(daemon, variables)).is_current
    assert interpreter.questions == 2


async def test_an_answer_that_never_comes_ends_and_can_be_asked_for_again(
    daemon: Served, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", 0.01)
    interpreter.may_answer.clear()
    variables = Variables(lambda: NOW, PATIENCE)
    known = await look(daemon, variables)
    assert known.listed is None
    assert "did not answer" in known.problem
    again = await look(daemon, variables)
    assert (again.number, again.problem) == (known.number, known.problem)
    monkeypatch.setattr(module, "LONGEST", PATIENCE)
    interpreter.may_answer.set()
    known = await look(daemon, variables, str(again.number))
    assert known.is_current
    assert known.number == again.number + 1
    asked = interpreter.questions
    await look(daemon, variables, str(again.number))
    assert interpreter.questions == asked, "a click counts once"


async def test_a_question_that_is_given_up_says_why(
    daemon: Served, interpreter: Interpreter
) -> None:
    interpreter.reason = "only Python can tell"
    known = await look(daemon, Variables(lambda: NOW, PATIENCE))
    assert "only Python can tell" in known.problem


async def test_a_refusal_and_an_error_are_told(daemon: Served) -> None:
    status = await status_of(daemon)

    class Down:
        def __getattr__(self, name: str) -> Any:
            return getattr(daemon.engine, name)

        async def submit(self, *_: Any, **__: Any) -> Any:
            return StoreUnavailable(why="the store is down")

    class Broken(Down):
        async def submit(self, *_: Any, **__: Any) -> Any:
            raise ConnectionError("gone")

    known = await Variables(lambda: NOW, PATIENCE).look(Down(), status)
    assert known.problem == "the store is down"
    known = await Variables(lambda: NOW, PATIENCE).look(Broken(), status)
    assert "gone" in known.problem


async def test_an_interpreter_that_is_gone_is_not_asked_and_its_variables_are_not_shown(
    daemon: Served, interpreter: Interpreter
) -> None:
    variables = Variables(lambda: NOW, PATIENCE)
    await look(daemon, variables)
    now = await status_of(daemon)
    left = tuple(one for one in now.available if one is not Affordance.LIST_VARIABLES)
    gone = replace(now, generation=now.generation + 1, available=left)
    known = await variables.look(daemon.engine, gone)
    assert known.listed is None
    assert interpreter.questions == 1


async def test_only_so_many_sessions_are_remembered(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SESSIONS", 2)
    variables = Variables(lambda: NOW)
    status = replace(await status_of(daemon), available=())
    for name in ("a", "b", "c"):
        await variables.look(daemon.engine, replace(status, session=SessionId(name)))
    assert list(variables._sessions) == ["b", "c"]
