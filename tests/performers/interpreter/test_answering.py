"""Every question about code has an answer or says why not, also where the interpreter is mute."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from tests.performers.interpreter.pretended_kernel import Staged, ok, staged

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Exploration, ExploredKind, Inspection, Member, Variable
from hearth.core.vocabulary.content import Completion, CompletionKind, Diagnostic, Severity
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.performers.interpreter import answering
from hearth.performers.interpreter.answering import Asked, answer
from hearth.performers.interpreter.checking.check import Check, Checker
from hearth.performers.interpreter.preferences import Preferences

Q = InputId("i1")
FOUND = Diagnostic("undefined", Severity.ERROR, 1, 0, 1, 1)


class PretendedChecker:
    """Keeps what it was to check."""

    def __init__(self) -> None:
        self.asked: list[Check] = []

    async def check(self, request: Check) -> tuple[Diagnostic, ...]:
        self.asked.append(request)
        return (FOUND,)


@pytest.fixture
async def ours() -> AsyncIterator[Staged]:
    async with staged(Preferences(answer=10.0), python="/p") as made:
        made.kernel.answers["names"] = lambda _: ok({"names": {"xs": "list"}})
        yield made


@pytest.fixture
async def mute() -> AsyncIterator[Staged]:
    async with staged(Preferences(answer=0.02)) as made:
        made.worker.known.tell({"xs": "list", "xylophone": "int", "y": "str"})
        yield made


@pytest.fixture
async def foreign() -> AsyncIterator[Staged]:
    async with staged(Preferences(answer=10.0), kind="foreign", subshells=False) as made:
        made.worker.language = "bash"
        yield made


async def asked(one: Staged, effect: Asked, checker: PretendedChecker | None = None) -> r.Report:
    async with asyncio.timeout(20):
        return await answer(one.worker, cast("Checker", checker or PretendedChecker()), effect)


# -- an interpreter of ours ------------------------------------------------------------------------


async def test_code_is_checked_with_all_that_is_known_of_the_session(ours: Staged) -> None:
    checker = PretendedChecker()
    ours.worker.known.cells.append("import os")
    found = await asked(ours, fx.CheckInWorker(1, Q, "xs + z", "a.py"), checker)
    assert found == r.CodeChecked(Q, (FOUND,))
    (request,) = checker.asked
    assert (request.code, request.file, request.python) == ("xs + z", "a.py", "/p")
    assert request.cells == ("import os",)
    assert request.names == {"xs": "list"}


async def test_completions_are_the_interpreters(ours: Staged) -> None:
    items = [{"label": "append", "kind": "method", "detail": "(x)"}, {"no": "label"}]
    ours.kernel.answers["complete"] = lambda _: ok({"items": items})
    found = await asked(ours, fx.CompleteInWorker(1, Q, "xs.ap", 5))
    assert found == r.CodeCompleted(Q, (Completion("append", CompletionKind.METHOD, "(x)"),))
    told = (await ours.kernel.heard("complete")).content["args"]
    assert told == {"code": "xs.ap", "cursor": 5}


async def test_an_inspection_is_told_in_our_words(ours: Staged) -> None:
    ours.kernel.answers["inspect"] = lambda _: ok({"found": True, "name": "xs", "type": "list"})
    found = await asked(ours, fx.InspectInWorker(1, Q, "xs", 1))
    assert found == r.CodeInspected(Q, Inspection(found=True, name="xs", value_type="list"))


async def test_variables_are_told_with_how_many_there_are(ours: Staged) -> None:
    rows = [{"name": "xs", "type": "list", "length": 3}]
    ours.kernel.answers["variables"] = lambda _: ok({"variables": rows, "total": 900})
    found = await asked(ours, fx.ListInWorker(1, Q, "x", modules=True))
    assert found == r.VariablesFound(Q, (Variable("xs", "list", length=3),), 900)
    told = (await ours.kernel.heard("variables")).content["args"]
    assert (told["prefix"], told["modules"]) == ("x", True)


@pytest.mark.parametrize(
    ("kind", "ask"), [(ExploredKind.MODULE, "explore_module"), (ExploredKind.TYPE, "explore_type")]
)
async def test_modules_and_types_are_explored(ours: Staged, kind: ExploredKind, ask: str) -> None:
    told = {"found": True, "name": "json", "members": [{"name": "dumps", "kind": "function"}]}
    ours.kernel.answers[ask] = lambda _: ok(told)
    found = await asked(ours, fx.ExploreInWorker(1, Q, kind, "json"))
    members = (Member("dumps", "function"),)
    assert found == r.MembersFound(Q, Exploration(found=True, name="json", members=members))


async def test_an_answer_that_makes_no_sense_is_an_answer_that_nothing_was_found(
    ours: Staged,
) -> None:
    for ask in ("complete", "inspect", "variables", "explore_type"):
        ours.kernel.answers[ask] = lambda _: ok({"items": 3, "variables": "x", "members": 5})
    assert await asked(ours, fx.CompleteInWorker(1, Q, "x", 1)) == r.CodeCompleted(Q)
    assert await asked(ours, fx.InspectInWorker(1, Q, "x", 1)) == r.CodeInspected(Q, Inspection())
    assert await asked(ours, fx.ListInWorker(1, Q)) == r.VariablesFound(Q)
    found = await asked(ours, fx.ExploreInWorker(1, Q, ExploredKind.TYPE, "x"))
    assert found == r.MembersFound(Q, Exploration(name="x"))


async def test_sources_are_taken_on_the_main_shell_between_two_cells(ours: Staged) -> None:
    row = {"module": "a", "file": "/a.py", "seconds": 0.1}
    ours.kernel.answers["reload"] = lambda _: ok({"reloaded": [row]})
    found = await asked(ours, fx.ReloadInWorker(1, Q, ("/a.py",)))
    assert isinstance(found, r.SourcesTaken)
    assert [one.module for one in found.reloaded] == ["a"]
    request = await ours.kernel.heard("reload")
    assert request.content["args"] == {"paths": ["/a.py"]}
    assert "subshell_id" not in request.message["header"]


async def test_a_reload_whose_interpreter_ends_says_so(ours: Staged) -> None:
    asking = asyncio.create_task(asked(ours, fx.ReloadInWorker(1, Q, ("/a.py",))))
    await ours.kernel.heard("reload")
    ours.worker.close()
    found = await asking
    assert isinstance(found, r.EffectFailed)
    assert "ended" in found.message


# -- one that gives nobody a turn ------------------------------------------------------------------


@pytest.mark.promise("SF-AFF-08")
async def test_completions_come_from_what_was_last_known_where_nobody_answers(
    mute: Staged,
) -> None:
    known = (
        Completion("xs", CompletionKind.VARIABLE, "list"),
        Completion("xylophone", CompletionKind.VARIABLE, "int"),
    )
    found = await asked(mute, fx.CompleteInWorker(1, Q, "print(x", 7))
    assert found == r.CodeCompleted(Q, known)
    for code in ("xs.x", "xs. x", "zz"):
        nothing = await asked(mute, fx.CompleteInWorker(1, Q, code, len(code)))
        assert nothing == r.CodeCompleted(Q), "members of a value are not known"


@pytest.mark.promise("SF-AFF-08")
async def test_variables_come_from_what_was_last_known_where_nobody_answers(mute: Staged) -> None:
    found = await asked(mute, fx.ListInWorker(1, Q, "x"))
    assert found == r.VariablesFound(Q, (Variable("xs", "list"), Variable("xylophone", "int")), 2)


async def test_that_there_are_no_variables_is_only_said_where_it_is_known(mute: Staged) -> None:
    effect = fx.ListInWorker(1, Q)
    mute.worker.known.take_back("c1", "")
    assert await asked(mute, effect) == r.EffectFailed(effect, answering.NO_TURN)
    mute.worker.known.forget()
    assert await asked(mute, effect) == r.VariablesFound(Q)


async def test_a_check_goes_on_with_what_was_last_known(mute: Staged) -> None:
    checker = PretendedChecker()
    assert isinstance(await asked(mute, fx.CheckInWorker(1, Q, "y"), checker), r.CodeChecked)
    assert checker.asked[0].names == {"xs": "list", "xylophone": "int", "y": "str"}


async def test_what_only_the_interpreter_knows_is_told_to_be_asked_again(mute: Staged) -> None:
    effects: list[Asked] = [
        fx.InspectInWorker(1, Q, "x", 1),
        fx.ExploreInWorker(1, Q, ExploredKind.TYPE, "x"),
    ]
    for effect in effects:
        assert await asked(mute, effect) == r.EffectFailed(effect, answering.NO_TURN)


# -- a kernel of another language ------------------------------------------------------------------


async def test_another_kernel_completes_and_inspects_as_it_can(foreign: Staged) -> None:
    foreign.kernel.answers["complete_request"] = lambda _: {"matches": ["echo", "eval"]}
    found = await asked(foreign, fx.CompleteInWorker(1, Q, "e", 1))
    assert found == r.CodeCompleted(Q, (Completion("echo"), Completion("eval")))
    text = {"text/plain": "\x1b[1mbold\x1b[0m"}
    foreign.kernel.answers["inspect_request"] = lambda _: {"found": True, "data": text}
    inspected = await asked(foreign, fx.InspectInWorker(1, Q, "echo", 1))
    assert inspected == r.CodeInspected(Q, Inspection(found=True, doc="bold"))


@pytest.mark.parametrize("reply", [{}, {"matches": None}, {"matches": "abc", "data": []}])
async def test_another_kernel_that_answers_oddly_has_found_nothing(
    foreign: Staged, reply: dict[str, Any]
) -> None:
    foreign.kernel.answers["complete_request"] = lambda _: reply
    foreign.kernel.answers["inspect_request"] = lambda _: reply
    assert await asked(foreign, fx.CompleteInWorker(1, Q, "e", 1)) == r.CodeCompleted(Q)
    found = await asked(foreign, fx.InspectInWorker(1, Q, "e", 1))
    assert found == r.CodeInspected(Q, Inspection())


async def test_another_kernel_without_subshells_is_not_asked_while_a_cell_runs(
    foreign: Staged,
) -> None:
    foreign.worker.execute(fx.ExecuteInWorker(1, CellId("c1"), "x"), "x")
    effects: list[Asked] = [fx.CompleteInWorker(1, Q, "e", 1), fx.InspectInWorker(1, Q, "e", 1)]
    for effect in effects:
        assert await asked(foreign, effect) == r.EffectFailed(effect, answering.NO_TURN)


async def test_another_kernel_is_not_asked_what_it_cannot_know(foreign: Staged) -> None:
    effects: list[Asked] = [
        fx.ListInWorker(1, Q),
        fx.ExploreInWorker(1, Q, ExploredKind.MODULE, "x"),
        fx.ReloadInWorker(1, Q, ("/a.py",)),
    ]
    for effect in effects:
        assert await asked(foreign, effect) == r.EffectFailed(effect, answering.NOT_HERE)
    assert foreign.kernel.asked == []


async def test_code_of_another_language_is_not_checked_and_that_is_said(foreign: Staged) -> None:
    checker = PretendedChecker()
    found = await asked(foreign, fx.CheckInWorker(1, Q, "echo"), checker)
    assert isinstance(found, r.CodeChecked)
    assert checker.asked == []
    assert [one.severity for one in found.diagnostics] == [Severity.INFO]
    assert "bash" in found.diagnostics[0].message
