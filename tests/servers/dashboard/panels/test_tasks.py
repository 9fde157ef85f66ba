"""The agent's list, with its states in words and shapes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers.dashboard.panels.looking_at import HOSTILE, NOW, SESSION, instead, looking, tame
from tests.servers.http.serving import Served, served

from hearth.core.views.tasks import Tasks
from hearth.core.vocabulary.deeds import Task, TaskState
from hearth.servers.dashboard.panels.parts import MOST
from hearth.servers.dashboard.panels.tasks import show


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def test_a_session_without_a_list_says_so(daemon: Served) -> None:
    assert "no list" in tame(await show(looking(daemon.around), SESSION, NOW)).text


async def test_every_state_has_a_word_and_a_mark_of_its_own(daemon: Served) -> None:
    rows = tuple(
        Task(str(number), f"task {number}", state=one) for number, one in enumerate(TaskState)
    )
    around = instead(daemon.around, tasks=Tasks(rows, 1))
    read = tame(await show(looking(around), SESSION, NOW))
    said = [one.text for one in read.all("span", class_="p-task-state")]
    assert said == ["to do", "in progress", "done", "blocked"]
    assert len({one.text for one in read.all("span", class_="p-task-mark")}) == 4
    assert read.all("progress")[0].attributes["aria-label"] == "1 of 4 done"


async def test_of_a_long_list_what_is_left_to_do_is_shown(daemon: Served) -> None:
    done = tuple(Task(str(number), "old", state=TaskState.DONE) for number in range(MOST))
    around = instead(daemon.around, tasks=Tasks((*done, Task("x", "still to do")), MOST))
    read = tame(await show(looking(around), SESSION, NOW))
    assert "still to do" in read.text
    assert f"{MOST} more tasks not shown" in read.text
    assert "old" not in read.text


async def test_hostile_titles_are_text(daemon: Served) -> None:
    around = instead(daemon.around, tasks=Tasks((Task("1", HOSTILE, HOSTILE),), 0))
    read = tame(await show(looking(around), SESSION, NOW))
    assert "<script>" in read.text
