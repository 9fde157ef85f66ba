"""Offline verbs answer people in lines and programs in one object."""

import json

import pytest

from hearth.offline.answering import Answer, Trouble, answered


def well(words: list[str]) -> Answer:
    return Answer(("one", "two"), {"words": words}, 0)


def badly(_: list[str]) -> Answer:
    raise Trouble("no", "it is not possible", "do something else", 4)


def test_people_get_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(["a"], well) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("one\ntwo\n", "")


def test_programs_get_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(["a", "--json", "b"], well) == 0
    told = capsys.readouterr()
    assert json.loads(told.out) == {"words": ["a", "b"]}
    assert told.err == ""


def test_trouble_goes_to_stderr_with_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered([], badly) == 4
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "error: it is not possible\nhint: do something else\n"


def test_trouble_is_an_object_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(["--json"], badly) == 4
    told = capsys.readouterr()
    error = {"code": "no", "message": "it is not possible", "hint": "do something else"}
    assert json.loads(told.out) == {"error": error}
    assert told.err == ""


def test_nothing_that_is_shown_is_an_order_to_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answered([], lambda _: Answer(("a\x1b[31mb\ud800",), {}))
    assert capsys.readouterr().out == "a\\x1b[31mb\\ud800\n"
