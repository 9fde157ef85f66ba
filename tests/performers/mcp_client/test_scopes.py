import asyncio

import pytest
from tests.performers.mcp_client.faking import call
from tests.performers.mcp_client.pretending import Played, settled

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.mcp_client.connecting import Unavailable
from hearth.performers.mcp_client.scopes import MOST_SESSIONS, Scopes
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import ServerSpec

A, B, C = (ServerSpec(name, "x") for name in "abc")
ONE, TWO = SessionId("one"), SessionId("two")


def nothing() -> None:
    return None


@pytest.mark.promise("LK-SCOPE-02", "LK-SCOPE-05")
async def test_sessions_hold_different_servers_at_the_same_time() -> None:
    played = Played()
    scopes = Scopes(played.pool)
    for session, specs in ((ONE, (A, B)), (TWO, (B, C))):
        scopes.of(session).is_in_turn = True
        for spec in specs:
            await scopes.of(session).hold(spec)
    assert set(scopes.of(ONE).held) == {A.digest, B.digest}
    assert set(scopes.of(TWO).held) == {B.digest, C.digest}
    assert [one.spec.name for one in played.starts.made] == ["a", "b", "c"]
    both = await asyncio.gather(
        scopes.of(ONE).call(A, call("echo"), nothing), scopes.of(TWO).call(C, call("echo"), nothing)
    )
    assert list(both) == [Outcome("echo")] * 2
    await played.pool.close()


@pytest.mark.promise("LK-SCOPE-03")
async def test_a_change_starts_only_what_is_missing_and_drops_only_what_is_not_needed() -> None:
    played = Played(idle_timeout=0)
    scope = Scopes(played.pool).of(ONE)
    scope.is_in_turn = True
    for spec in (A, B):
        await scope.hold(spec)
    for spec in (B, C):
        await scope.hold(spec)
    scope.become([B.digest, C.digest])
    await settled()
    assert [one.spec.name for one in played.starts.made] == ["a", "b", "c"]
    assert [one.spec.name for one in played.starts.alive] == ["b", "c"]
    await played.pool.close()


@pytest.mark.promise("LK-SCOPE-04")
async def test_a_change_that_fails_leaves_what_was_there() -> None:
    played = Played()
    played.starts.broken.add("c")
    scope = Scopes(played.pool).of(ONE)
    scope.is_in_turn = True
    await scope.hold(A)
    with pytest.raises(Unavailable):
        await scope.hold(C)
    assert scope.held == (A.digest,)
    assert await scope.call(A, call("echo"), nothing) == Outcome("echo")
    await played.pool.close()


@pytest.mark.promise("LK-SESS-05", "LK-SCOPE-06")
async def test_a_turn_keeps_what_it_used_and_lets_go_of_it_in_the_end() -> None:
    played = Played(idle_timeout=0)
    scopes = Scopes(played.pool)
    scopes.of(ONE).is_in_turn = True
    await scopes.of(ONE).call(A, call("echo"), nothing)
    await settled()
    assert len(played.starts.alive) == 1
    scopes.end(ONE)
    scopes.end(TWO)
    await settled()
    assert played.starts.alive == []
    await played.pool.close()


async def test_outside_of_a_turn_a_server_is_held_for_the_call_alone() -> None:
    played = Played()
    scope = Scopes(played.pool).of(ONE)
    assert await scope.call(A, call("echo"), nothing) == Outcome("echo")
    assert scope.held == ()
    assert [one.state for one in played.pool.running()] == ["idle"]
    await played.pool.close()


async def test_a_call_that_runs_when_the_turn_ends_keeps_its_server_until_it_is_over() -> None:
    played = Played(idle_timeout=0)
    scopes = Scopes(played.pool)
    scopes.of(ONE).is_in_turn = True
    calling = asyncio.create_task(scopes.of(ONE).call(A, call("wait"), nothing))
    await settled()
    scopes.end(ONE)
    await settled()
    assert len(played.starts.alive) == 1
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    await settled()
    assert played.starts.alive == []
    await played.pool.close()


async def test_a_check_may_refuse_once_the_server_runs() -> None:
    played = Played()
    scope = Scopes(played.pool).of(ONE)
    refusal = Outcome("no", is_error=True)
    assert await scope.call(A, call("echo"), lambda: refusal) == refusal
    assert len(played.starts.made) == 1
    await played.pool.close()


async def test_what_was_only_looked_at_is_let_go_unless_a_turn_keeps_it() -> None:
    played = Played()
    scope = Scopes(played.pool).of(ONE)
    await scope.hold(A)
    scope.settle(A)
    assert not scope.held
    scope.is_in_turn = True
    await scope.hold(A)
    scope.settle(A)
    assert scope.held == (A.digest,)
    await played.pool.close()


async def test_who_takes_a_server_at_the_same_moment_holds_it_once() -> None:
    played = Played()
    scope = Scopes(played.pool).of(ONE)
    await asyncio.gather(*(scope.hold(A) for _ in range(5)))
    assert [one.users for one in played.pool.running()] == [1]
    scope.let_go()
    assert [one.users for one in played.pool.running()] == [0]
    await played.pool.close()


async def test_sessions_that_never_end_are_not_kept_for_ever() -> None:
    played = Played()
    scopes = Scopes(played.pool)
    first = scopes.of(SessionId("first"))
    await first.hold(A)
    for number in range(MOST_SESSIONS):
        scopes.of(SessionId(str(number)))
    assert first.held == ()
    await played.pool.close()
