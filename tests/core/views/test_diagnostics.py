"""The newest diagnostics by file, or by code."""

import pytest
from tests.contracts.given import READY, Script, after, given

from hearth.core.rules.bounding import MOST_ITEMS
from hearth.core.views.diagnostics import MOST_KEYS, Checked, Diagnostics, diagnose
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Diagnostic, Severity


def found(message: str) -> tuple[Diagnostic, ...]:
    return (Diagnostic(message, Severity.WARNING, 1, 0, 1, 5),)


def viewed(script: Script) -> Diagnostics:
    view = Diagnostics()
    for fact in script.facts:
        view = diagnose(view, fact)
    return view


def checked(script: Script, command: c.CheckCode, what: tuple[Diagnostic, ...]) -> Script:
    script.happened(command)
    return script.happened(r.CodeChecked(script.facts[-1].cause, what))


@pytest.mark.promise("SF-PROJ-02")
def test_two_snippets_and_a_file_have_three_keys() -> None:
    script = given(*READY)
    checked(script, c.CheckCode("xs"), found("no `xs`"))
    checked(script, c.CheckCode("ys"), found("no `ys`"))
    checked(script, c.CheckCode("xs", "a.py"), found("no `xs` in a.py"))
    view = viewed(script)
    assert len(view.by_key) == 3
    assert view.by_key["a.py"] == Checked(found("no `xs` in a.py"), after(8))
    rest = [key for key in view.by_key if key != "a.py"]
    assert all(key.startswith("code:") for key in rest)
    assert view.by_key[rest[0]] == Checked(found("no `xs`"), after(4))


@pytest.mark.promise("SF-PROJ-02")
def test_the_newest_check_of_a_file_replaces_the_one_before() -> None:
    script = given(*READY)
    checked(script, c.CheckCode("xs", "a.py"), found("no `xs`"))
    checked(script, c.CheckCode("1", "b.py"), ())
    checked(script, c.CheckCode("xs = 1", "a.py"), ())
    view = viewed(script)
    assert list(view.by_key) == ["b.py", "a.py"]
    assert view.by_key["a.py"] == Checked((), after(8))


@pytest.mark.parametrize("reset", [c.ResetSession(), c.HardResetSession()])
def test_after_a_reset_nothing_holds_any_more(reset: c.Command) -> None:
    script = checked(given(*READY), c.CheckCode("xs", "a.py"), found("no `xs`"))
    assert viewed(script).by_key
    assert viewed(script.happened(reset)) == Diagnostics()


def test_an_open_question_and_other_events_change_nothing() -> None:
    script = checked(given(*READY), c.CheckCode("xs", "a.py"), found("no `xs`"))
    before = viewed(script)
    script.happened(c.CheckCode("xs = 1", "a.py"), c.RunCell("1"), c.RenameSession("x"))
    assert viewed(script) == before


def test_of_very_many_keys_those_checked_longest_ago_are_dropped() -> None:
    script = given(*READY)
    for number in range(MOST_KEYS + 2):
        checked(script, c.CheckCode("1", f"{number}.py"), ())
    view = viewed(script)
    assert len(view.by_key) == MOST_KEYS == 128
    assert next(iter(view.by_key)) == "2.py"
    again = viewed(checked(script, c.CheckCode("1", "2.py"), ()))
    assert len(again.by_key) == MOST_KEYS
    assert list(again.by_key)[-1] == "2.py"


def test_what_one_check_found_is_bounded() -> None:
    script = checked(given(*READY), c.CheckCode("1", "a.py"), found("no") * (MOST_ITEMS * 2))
    assert len(viewed(script).by_key["a.py"].diagnostics) == MOST_ITEMS


def test_a_view_is_never_changed_in_place() -> None:
    first = Diagnostics()
    script = checked(given(*READY), c.CheckCode("1", "a.py"), ())
    view = viewed(script)
    assert first.by_key == {}
    later = diagnose(view, script.facts[-1])
    assert later == view
    assert later.by_key is not view.by_key
