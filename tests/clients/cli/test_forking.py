"""`hearth fork` begins another session, or says what is in the way and what helps."""

from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer
from tests.clients.cli.turns import COMMANDS, SESSION, commands, listed, row

from hearth.clients.agents.ways_out import BLOCKS_AT_SHELL as BLOCKS


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    return daemon


def forks(daemon: FakeDaemon, **event: Any) -> None:
    def taken(seen: Seen) -> bytes:
        made = {"type": "session_forked", "to": seen.body["to"], "how": "copy", **event}
        return answer({"envelopes": [{"event": {"type": "fork_requested"}}, {"event": made}]})

    daemon.does(COMMANDS, taken)


def test_the_id_alone_is_printed_and_what_it_is_told_beside(run: Run, live: FakeDaemon) -> None:
    forks(live)
    done = run("fork")
    [command] = commands(live)
    to = command["to"]
    assert command == {"type": "fork_session", "to": to}
    assert to.startswith("session-")
    assert (done.code, done.out) == (0, f"{to}\n")
    assert done.err == f"{to} goes on from {SESSION}: a live copy of its interpreter\n"


def test_what_it_is_called_is_told(run: Run, live: FakeDaemon) -> None:
    forks(live, name="shop-2")
    assert f"(shop-2) goes on from {SESSION}: " in run("fork").err
    assert run("fork", "--json").json["name"] == "shop-2"


def test_a_fork_goes_on_from_the_session_and_not_from_another_fork(
    run: Run, live: FakeDaemon, here: str
) -> None:
    listed(live, row(here, session="session-99", forked_from=SESSION), row(here))
    forks(live)
    assert f"goes on from {SESSION}: " in run("fork").err
    listed(live, row(here, session="session-99", forked_from=SESSION))
    done = run("fork")
    assert (done.code, done.out) == (2, "")
    assert "name one: `hearth sessions` lists them" in done.err


def test_what_helps_where_there_can_be_none_is_told_as_it_is_typed(
    run: Run, live: FakeDaemon
) -> None:
    remedy = ["look at the conversation, which names its blocks"]
    forks(live, type="fork_failed", why="there is no block b50 in its conversation", remedy=remedy)
    done = run("fork", "--at", "b50")
    assert "there is no fork: there is no block b50 in its conversation\n" in done.err
    assert f"hint: {BLOCKS}\n" in done.err
    remedy = ["stop_session", "raise the limit in the settings"]
    forks(live, type="fork_failed", why="the limit is 10", remedy=remedy)
    hint = "hint: `hearth stop-session` ends one; raise the limit in the settings\n"
    assert hint in run("fork").err


def test_what_is_wanted_is_passed_on(run: Run, live: FakeDaemon) -> None:
    forks(live, how="replay", notice="failed this time: c2")
    done = run("fork", SESSION, "--at", "b17", "--how", "replay", "--name", "night")
    assert f"goes on from {SESSION} at b17: its cells were run again\n" in done.err
    assert "note: failed this time: c2\n" in done.err
    told = run("fork", "--at", "b17", "--how", "replay", "--name", "night", "--json").json
    first, second = commands(live)
    assert {**first, "to": ""} == {
        "type": "fork_session",
        "to": "",
        "block": "b17",
        "how": "replay",
        "name": "night",
    }
    assert first["to"] != second["to"]
    assert told == {
        "session": second["to"],
        "from": SESSION,
        "how": "replay",
        "name": "night",
        "notice": "failed this time: c2",
    }


def test_each_obstacle_is_told_with_the_way_out(run: Run, live: FakeDaemon) -> None:
    obstacles = ["a thread runs: 'load' (t1)", "a socket is open"]
    forks(live, type="fork_failed", why="its interpreter cannot be copied: …", obstacles=obstacles)
    done = run("fork")
    assert (done.code, done.out) == (1, "")
    assert "there is no fork: its interpreter cannot be copied\n  a thread runs" in done.err
    assert "\n  a socket is open\n" in done.err
    assert "hint: `hearth fork --how replay` rebuilds it by running the cells again;" in done.err
    error = run("fork", "--json").json["error"]
    assert (error["code"], error["obstacles"]) == ("fork_failed", obstacles)
    forks(live, type="fork_failed", why="no room")
    done = run("fork")
    assert "there is no fork: no room\n" in done.err
    assert "`hearth stop-session` ends one" in done.err
    assert "--how" not in done.err  # none of them would help


def test_a_way_that_there_is_not_is_told_before_anybody_is_asked(
    run: Run, live: FakeDaemon
) -> None:
    done = run("fork", "--how", "magic")
    assert done.code == 2
    assert "one of: copy, replay, new" in done.err
    assert live.seen == []
