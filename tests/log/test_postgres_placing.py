"""Where appends go, decided without a server."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.event_log import DuplicateEvent, Lease, LogError, NotOwner
from hearth.log.postgres_placing import Seen, Wanted


def drafts(*ids: str) -> list[Draft]:
    return [Draft(EventId(one), "session_ready", one.encode()) for one in ids]


def wanted(session: str, expected: int, ids: Sequence[str], lease: Lease | None = None) -> Wanted:
    return Wanted(SessionId(session), expected, drafts(*ids), lease, asyncio.Future())


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6), st.integers(1, 3))))
async def test_whatever_is_wanted_what_is_placed_is_dense(
    script: list[tuple[str, int, int]],
) -> None:
    seen = Seen(last=100, versions={SessionId("a"): 2})
    placed: list[Stored] = []
    for number, (session, expected, size) in enumerate(script):
        ids = [f"{number}.{place}" for place in range(size)]
        reached = seen.versions.get(SessionId(session), 0)
        try:
            rows = seen.place(wanted(session, expected, ids))
        except LogError:
            assert expected != reached
        else:
            assert rows is not None
            assert expected == reached
            placed += rows
    assert [row.seq for row in placed] == list(range(101, 101 + len(placed)))
    for session, start in (("a", 3), ("b", 1)):
        versions = [row.version for row in placed if row.session == session]
        assert versions == list(range(start, start + len(versions)))


async def test_the_same_append_twice_in_one_group_is_one() -> None:
    seen = Seen()
    rows = seen.place(wanted("a", 0, ["1", "2"]))
    assert seen.place(wanted("a", 0, ["1", "2"])) is None
    assert seen.standing(wanted("a", 0, ["1", "2"])) == rows
    with pytest.raises(DuplicateEvent):
        seen.place(wanted("b", 0, ["2"]))
    assert seen.last == 2


@pytest.mark.parametrize("lease", [("me", 1), ("me", 3), ("you", 2)])
async def test_any_lease_but_the_present_one_is_refused(lease: tuple[str, int]) -> None:
    a = SessionId("a")
    seen = Seen(leases={a: ("me", 2)})
    with pytest.raises(NotOwner) as caught:
        seen.place(wanted("a", 0, ["1"], Lease(a, *lease)))
    assert caught.value.owner == "me"
    assert seen.place(wanted("a", 0, ["1"], Lease(a, "me", 2)))
    with pytest.raises(NotOwner, match="nobody"):
        seen.place(wanted("b", 0, ["2"], Lease(SessionId("b"), "me", 2)))
