"""Findings are shown by file, and go when they no longer hold."""

from tests.contracts.facts import NOON
from tests.servers.http.editors.happening import S, happened

from hearth.core.views.diagnostics import Checked, Diagnostics
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.core.vocabulary.progress import WarmUpStep
from hearth.servers.http.editors.diagnosing import Diagnosed

FOUND = Diagnostic("undefined name", Severity.ERROR, 1, 0, 1, 9)


async def test_it_begins_with_what_is_known_and_follows_the_checks() -> None:
    shown = Diagnosed(S, Diagnostics({"a.py": Checked((FOUND,), NOON)}))
    assert (shown.now["request"], shown.now["count"]) == (None, 1)
    assert await shown.happened(happened(e.DiagnosticsChecked("b.py", (FOUND, FOUND)), "two"))
    now = shown.now
    assert (now["request"], now["key"], now["count"]) == ("two", "b.py", 3)
    assert now["files"]["b.py"][0]["message"] == "undefined name"
    assert await shown.happened(happened(e.DiagnosticsChecked("a.py"), "three"))
    assert shown.now["files"]["a.py"] == []
    assert await shown.happened(happened(e.DiagnosticsCleared(), "four"))
    assert (shown.now["files"], shown.now["count"]) == ({}, 0)


async def test_a_check_that_is_given_up_is_told_to_who_asked() -> None:
    shown = Diagnosed(S, Diagnostics())
    assert not await shown.happened(happened(e.CheckRequested("x"), "mine"))
    assert not await shown.happened(happened(e.QuestionAbandoned("lost"), "another question"))
    assert await shown.happened(happened(e.QuestionAbandoned("the interpreter is gone"), "mine"))
    assert (shown.now["request"], shown.now["abandoned"]) == ("mine", "the interpreter is gone")
    assert await shown.happened(happened(e.DiagnosticsChecked("a.py"), "next"))
    assert shown.now["abandoned"] is None


async def test_nothing_else_is_shown() -> None:
    shown = Diagnosed(S, Diagnostics())
    assert not shown.shown(WarmUpStep("x"))
    assert not await shown.happened(happened(e.SessionReady()))
