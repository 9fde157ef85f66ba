"""The inbox: everything that waits for a person, wherever it is asked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.agents.asking_agent import Opened, asking

from hearth.core.views.approvals import Approvals, Pending
from hearth.core.views.talk import Approval
from hearth.core.vocabulary.ids import ApprovalId, SessionId
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.refusals import StoreUnavailable
from hearth.servers.dashboard.panels.approvals import MOST, show
from hearth.servers.dashboard.panels.saying import said

OTHER = SessionId("session-bbbbbb")


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with asking(tmp_path) as one:
        yield one


async def shown(opened: Opened, session: SessionId | None = SESSION) -> Read:
    return tame(await show(looking(opened.daemon.around, session), NOW))


async def test_nothing_asked_says_so(opened: Opened) -> None:
    read = await shown(opened)
    assert "Nothing waits for you." in read.text
    assert "Nothing was decided here yet." in read.text


async def test_what_is_asked_in_any_session_is_here_with_its_answers(opened: Opened) -> None:
    await opened.daemon.begin(OTHER)
    await opened.ask()
    await opened.ask(OTHER)
    for session in (SESSION, None):
        read = await shown(opened, session)
        links = [one.attributes["href"] for one in read.all("a")]
        assert links == [f"/dashboard/s/{SESSION}", f"/dashboard/s/{OTHER}"]
        assert read.text.count("make build") >= 2
        asked = [
            one
            for one in read.elements
            if "answer_approval" in one.attributes.get("data-command", "")
        ]
        assert {one.attributes["data-session"] for one in asked} == {SESSION, OTHER}
        assert ("this session" in read.text.split("Allowed for always")[0]) or session is None


async def test_a_decision_moves_from_the_inbox_to_what_was_decided(opened: Opened) -> None:
    await opened.ask()
    await opened.answer("session", patterns=["make build"])
    await opened.rest()
    read = await shown(opened)
    assert "Nothing waits for you." in read.text
    assert "allowed for the session" in read.text
    assert "Allowed for this session" in read.text
    elsewhere = await shown(opened, None)
    assert "allowed for the session" not in elsewhere.text
    assert "Allowed for always" in elsewhere.text


async def test_many_and_hostile_questions_are_bounded_text(opened: Opened) -> None:
    need = Judged(Need(HOSTILE, HOSTILE, why=HOSTILE, pattern=HOSTILE), Verdict.ASK, HOSTILE)
    asked = Approval(
        ApprovalId("a1"),
        (),
        HOSTILE,
        HOSTILE,
        HOSTILE[:60_000],
        (need,),
        (Grant(HOSTILE, HOSTILE),),
        NOW,
        HOSTILE,
    )  # fmt: skip - one approval
    row = Pending(OTHER, HOSTILE, HOSTILE, asked)
    around = instead(opened.daemon.around, approvals=Approvals((row,)))
    assert "<script>" in tame(await show(looking(around), NOW)).text
    small = replace(row, approval=Approval(ApprovalId("a1"), (), "why", "tool"))
    around = instead(opened.daemon.around, approvals=Approvals((small,) * (MOST + 7)))
    assert "7 more questions not shown" in tame(await show(looking(around), NOW)).text


async def test_a_session_that_is_gone_and_a_store_that_is_down_are_said(opened: Opened) -> None:
    panel = said(show)
    gone = tame(await panel(looking(opened.daemon.around, SessionId("session-zzzzzz"))))
    assert "session-zzzzzz" in gone.text
    around = instead(opened.daemon.around, approvals=StoreUnavailable(why="the store is down"))
    assert "the store is down" in tame(await panel(looking(around))).text
