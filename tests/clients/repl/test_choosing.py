"""The session that is meant is found, picked or begun."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clients.repl.talking import room

from hearth.clients.repl.choosing import Picked, Wanted, choose, picked_by
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.commands import SessionMode, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import AmbiguousSession, Refused, UnknownSession


def row(session: str, name: str, directory: str = "/x") -> SessionRow:
    return SessionRow(
        session=SessionId(session), name=name, directory=directory, state=PhaseName.READY
    )


class Picking:
    """Picks what it was told to, and remembers what it was shown."""

    def __init__(self, picked: Picked | None) -> None:
        self.picked = picked
        self.shown: list[str] = []

    async def __call__(self, rows: Sequence[SessionRow]) -> Picked | None:
        self.shown = [one.session for one in rows]
        return self.picked


async def test_a_named_session_is_taken_whatever_else_is_there(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pick = Picking(None)
        wanted = Wanted("loo", "/elsewhere")
        assert await choose(here.host, wanted, pick) == "session-000001"
        assert pick.shown == []
        unknown = await choose(here.host, Wanted("nowhere", "/loom"), pick)
        assert isinstance(unknown, UnknownSession)
        await here.begin("/a/loom")
        ambiguous = await choose(here.host, Wanted("loom", "/"), pick)
        assert isinstance(ambiguous, AmbiguousSession)


@pytest.mark.promise("SF-CLI-02")
async def test_a_session_of_the_directory_is_taken_or_begun_without_asking(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pick = Picking(None)
        await here.begin("/yarn")
        for directory in ("/yarn", "/loom"):
            begun = await choose(here.host, Wanted(None, directory), pick)
            assert isinstance(begun, str)
        assert pick.shown == []


async def test_with_one_other_session_a_new_one_is_begun(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pick = Picking(None)
        assert await choose(here.host, Wanted(None, "/new"), pick) == "session-000002"
        assert pick.shown == []


@pytest.mark.promise("SF-REPL-02")
async def test_where_several_live_elsewhere_one_is_picked(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        yarn = await here.begin("/yarn")
        pick = Picking(Picked(yarn))
        assert await choose(here.host, Wanted(None, "/new"), pick) == yarn
        assert sorted(pick.shown) == ["session-000001", yarn]
        anew = await choose(here.host, Wanted(None, "/new"), Picking(Picked(None)))
        assert anew == "session-000003"
        assert await choose(here.host, Wanted(None, "/other"), Picking(None)) is None


async def test_stopped_sessions_are_not_offered(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        yarn = await here.begin("/yarn")
        await here.host.engine.submit(yarn, StopSession(), SYSTEM)
        pick = Picking(None)
        assert await choose(here.host, Wanted(None, "/new"), pick) == "session-000003"
        assert pick.shown == []


async def test_nobody_is_asked_where_nobody_could_answer(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.begin("/yarn")
        assert await choose(here.host, Wanted(None, "/new"), None) == "session-000003"


async def test_a_bare_session_is_always_a_new_one(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.begin("/yarn")
        bare = await choose(here.host, Wanted(None, "/new", bare=True), Picking(None))
        assert not isinstance(bare, Refused)
        assert bare is not None
        assert here.host.begun[-1].mode is SessionMode.BARE
        assert here.host.begun[-2].mode is SessionMode.PROJECT


@pytest.mark.parametrize(
    ("said", "session"),
    [("", None), ("n", None), (" New ", None), ("2", "s-b"), ("yarn", "s-b"), ("s-a", "s-a")],
)
def test_what_is_typed_is_understood(said: str, session: str | None) -> None:
    rows = [row("s-a", "loom"), row("s-b", "yarn")]
    assert picked_by(said, rows) == Picked(SessionId(session) if session else None)


def test_what_is_not_understood_says_what_would_be() -> None:
    rows = [row("s-a", "loom"), row("s-b", "loom")]
    assert picked_by("9", rows) == "'9' is none of them: say a number, or n"
    assert picked_by("loom", rows) == "'loom' is several of them: say a number, or n"
