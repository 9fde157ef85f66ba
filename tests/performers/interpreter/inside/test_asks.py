"""Questions find who answers them."""

from types import SimpleNamespace
from typing import Any

import pytest

from hearth.performers.interpreter.inside import asks


def test_everyone_who_answers_is_found() -> None:
    for name in ("complete", "inspect", "variables", "names", "prepare", "reset", "reload"):
        assert callable(asks.answerer(name))


def test_what_nobody_answers_is_said_with_what_may_be_asked() -> None:
    with pytest.raises(LookupError, match=r"nobody answers 'weather'; asked may be: .*complete"):
        asks.answerer("weather")


async def test_answers_come_from_functions_that_wait_and_from_those_that_do_not() -> None:
    async def slow(subject: Any, args: dict[str, Any]) -> dict[str, Any]:
        return {"subject": subject, **args}

    expected = {"status": "ok", "answer": {"subject": 1, "x": 2}}
    assert await asks.answer(slow, 1, {"x": 2}) == expected
    assert await asks.answer(lambda subject, args: {"subject": subject, **args}, 1, {"x": 2}) == (
        expected
    )
    assert await asks.answer(lambda _, args: args, 1, "nonsense") == {"status": "ok", "answer": {}}


async def test_an_error_of_the_answerer_is_its_answer() -> None:
    def broken(_: Any, __: dict[str, Any]) -> None:
        raise ValueError("no")

    assert await asks.answer(broken, None, {}) == {
        "status": "error",
        "ename": "ValueError",
        "evalue": "no",
    }


def test_a_module_that_is_not_there_costs_only_its_own_questions() -> None:
    assert asks._asks_of("no_such_module") == {}


def test_the_environment_is_told_when_it_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asks, "_last_told", {})
    shell = SimpleNamespace(user_ns={})
    first = asks.surroundings(shell, "1")
    assert first["environment"]["fingerprint"]
    assert asks.surroundings(shell, "1")["environment"] is None
