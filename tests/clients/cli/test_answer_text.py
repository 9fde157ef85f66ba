"""The texts of an answer, shown as they are written."""

from typing import Any

import pytest
from tests.clients.cli.screens import screen

from hearth.clients.cli.answer_text import AnswerText
from hearth.clients.cli.spinning import Spinner


def heard(answer: AnswerText, text: str, offset: int = 0, place: int = 0) -> None:
    """A piece of a text comes."""
    delta: dict[str, Any] = {"place": place, "offset": offset, "text": text}
    answer.show(delta, answer.news_in(delta))


def test_pieces_that_come_twice_or_not_at_all_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    heard(answer, "one ")
    heard(answer, "one tw", 0)
    heard(answer, "er", 9)
    heard(answer, "!", 11)
    assert shown.plain == "one tw"
    answer.complete("one two three!")
    assert shown.plain == "one two three!\n"
    answer.forget()
    heard(answer, "next")
    answer.miss()
    heard(answer, " lost", 4)
    answer.complete("next lost")
    assert shown.plain == "one two three!\nnext lost\n"


def test_several_texts_of_an_answer_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    heard(answer, "first", 0, 1)
    heard(answer, "second", 0, 3)
    answer.complete("first")
    answer.complete("second")
    assert shown.plain == "first\nsecond\n"


def test_what_is_stored_is_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    heard(answer, "something else")
    answer.complete("the truth")
    assert shown.plain == "something else\nthe truth\n"


def test_an_answer_that_was_cut_off_is_not_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    heard(answer, "one two three")
    answer.complete("one two")
    assert shown.plain == "one two three\n"


def test_a_model_gives_no_orders_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    heard(answer, "\x1b[2Jboo\x07")
    answer.complete("\x1b[2Jboo\x07")
    assert shown.getvalue() == "?[2Jboo?\n"


def test_nothing_of_an_answer_that_is_forgotten_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen(monkeypatch)
    answer = AnswerText(Spinner())
    assert not answer.was_shown
    heard(answer, "an **att")
    assert answer.was_shown
    assert answer.is_open_line
    answer.forget()
    assert not answer.was_shown
    heard(answer, "another")
    assert shown.plain == "an att\nanother"
    assert shown.getvalue().endswith("\x1b[0m\nanother")


def test_a_pipe_gets_what_is_stored_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    answer = AnswerText(Spinner())
    assert not answer.is_live
    answer.complete("look: **x**\x07")
    assert capsys.readouterr() == ("look: **x**\x07\n", "")
