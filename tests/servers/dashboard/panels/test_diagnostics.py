"""What is wrong with code, the worst first."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.serving import Overseen, Served, served

from hearth.core.views.diagnostics import Checked, Diagnostics
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.servers.dashboard.panels.diagnostics import show
from hearth.servers.dashboard.panels.parts import MOST
from hearth.servers.http.agents.oversight import FoundInFile, FoundInProject, FoundOne, GivenShown
from hearth.servers.http.around import Around


def finding(severity: Severity = Severity.ERROR, line: int = 1, message: str = "bad") -> Diagnostic:
    return Diagnostic(message, severity, line, 4, line, 9, "F821")


def found(message: str = "gone", *, current: bool = True, given: int = 0) -> FoundOne:
    told = tuple(GivenShown(SESSION, f"agent {number}", "") for number in range(given))
    return FoundOne(
        line=3,
        column=8,
        severity=Severity.WARNING,
        message=message,
        rule="E1",
        server="ruff",
        given=told,
        current=current,
    )


class Finding(Overseen):
    """Language servers found this."""

    def __init__(self, *files: FoundInFile) -> None:
        super().__init__()
        self.files = files

    async def found(self, directory: str) -> FoundInProject:
        del directory
        return FoundInProject("/p", self.files)


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def shown(around: Around) -> Read:
    return tame(await show(looking(around), SESSION, NOW))


def other(daemon: Served, agents: Any, **by_key: Checked) -> Around:
    around = dataclasses.replace(daemon.around, agents=agents)
    return instead(around, diagnostics=Diagnostics(by_key))


async def test_nothing_found_says_so(daemon: Served) -> None:
    read = await shown(other(daemon, Finding()))
    assert read.text.count("nothing found") == 2


async def test_a_real_check_and_a_language_server_are_both_shown(daemon: Served) -> None:
    await daemon.command({"type": "check_code", "code": "undefined"})
    read = await shown(daemon.around)
    own, project = read.all("section")
    assert "code without a file" in own.text
    assert "undefined name" in own.text
    assert "1:1" in own.text
    assert "a.py" in project.text
    assert "3:8" in project.text
    assert "ruff F821" in project.text
    assert "told to scripted:quick" in project.text


async def test_errors_come_first_in_files_and_among_them(daemon: Served) -> None:
    mild = Checked((finding(Severity.INFO), finding(Severity.WARNING, 2)), NOW)
    grave = Checked((finding(Severity.HIDDEN, 9), finding(Severity.ERROR, 5, "worst")), NOW)
    around = instead(daemon.around, diagnostics=Diagnostics({"/m.py": mild, "/g.py": grave}))
    own = (await shown(around)).all("section")[0]
    assert own.text.index("g.py") < own.text.index("m.py")
    assert own.text.index("worst") < own.text.index("9:5")
    assert "1 error, 1 warning, 2 notes" in own.text


async def test_severity_is_a_word_and_a_shape(daemon: Served) -> None:
    every = Checked(tuple(finding(one) for one in Severity), NOW)
    read = await shown(other(daemon, Finding(), k=every))
    assert len({one.text for one in read.all("span", class_="p-severity-mark")}) == 4
    for one in Severity:
        assert one.value in read.text


async def test_what_is_not_found_any_more_is_not_counted(daemon: Served) -> None:
    agents = Finding(FoundInFile("/p/a.py", 0, 1, (found(current=False), found("stays"))))
    project = (await shown(other(daemon, agents))).all("section")[1]
    assert "not found any more" in project.text
    assert "1 warning" in project.text
    assert project.text.index("stays") < project.text.index("gone")


async def test_many_agents_are_counted(daemon: Served) -> None:
    agents = Finding(FoundInFile("/p/a.py", 0, 1, (found(given=5),)))
    assert (
        "told to agent 0, agent 1, agent 2 and 2 more" in (await shown(other(daemon, agents))).text
    )


async def test_many_findings_are_bounded_and_hostile_ones_text(daemon: Served) -> None:
    rows = tuple(found(HOSTILE) for _ in range(MOST * 2))
    agents = Finding(FoundInFile(HOSTILE, 0, 400, rows), FoundInFile("/p/b.py", 0, 400, rows))
    read = await shown(other(daemon, agents, k=Checked((finding(message=HOSTILE),), NOW)))
    assert "<script>" in read.text
    project = read.all("section")[1]
    assert f"{MOST * 3} more findings not shown" in project.text


async def test_servers_that_cannot_tell_do_not_hide_what_was_checked(daemon: Served) -> None:
    class Broken(Overseen):
        async def found(self, directory: str) -> FoundInProject:
            raise OSError(f"no {directory}")

    read = await shown(other(daemon, Broken(), k=Checked((finding(message="mine"),), NOW)))
    assert "mine" in read.text
    assert "cannot be told now" in read.text
