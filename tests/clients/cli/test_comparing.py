"""`hearth compare` and `hearth tree` show what there is, and only look."""

from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, refusal
from tests.clients.cli.turns import OTHER, SESSION, listed, row

COMPARE = f"POST /sessions/{SESSION}/compare"
DIFFERING = [
    {
        "name": "x",
        "here": {"name": "x", "value_type": "int", "preview": "1"},
        "there": {"name": "x", "value_type": "str", "preview": "'one'"},
    }
]


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    daemon.on("GET /sessions/shop", {"value": row(here), "seq": 7})
    return daemon


def test_variables_that_differ_stand_side_by_side(run: Run, live: FakeDaemon) -> None:
    found: dict[str, Any] = {"here": SESSION, "there": OTHER, "differing": DIFFERING}
    live.on(COMPARE, {**found, "not_listed": 3})
    done = run("compare", "shop", "night")
    assert done.code == 0
    assert done.out == "name  shop   night\nx     int 1  str 'one'\n"
    assert done.err == "note: 3 names were too many to be compared\n"
    assert run("compare", "night", "--json").json == {**found, "not_listed": 3}
    assert [one.body for one in live.asked(COMPARE)] == [{"other": "night"}] * 2
    live.on(COMPARE, {"differing": []})
    assert run("compare", "night").out.startswith("nothing differs, as far as")


def test_a_session_that_cannot_be_asked_is_told(run: Run, live: FakeDaemon) -> None:
    remedy = ["hard_reset_session"]
    live.does(COMPARE, lambda _: refusal("not_now", remedy=remedy))
    done = run("compare", "night")
    assert done.code == 4
    assert "hint: `hearth reset --hard` begins anew" in done.err
    live.does(COMPARE, lambda _: refusal("not_now", remedy=remedy, session=OTHER))
    assert f"error: {OTHER} cannot be compared: " in run("compare", "night").err
    assert run("compare", "night", "--json").json["error"]["session"] == OTHER
    live.does(COMPARE, lambda _: refusal("malformed", 400))
    assert "hint: `hearth tree` names others" in run("compare", "shop").err
    assert run("compare").code == 2


def test_the_tree_is_drawn_around_a_session(run: Run, live: FakeDaemon) -> None:
    root = {"session": SESSION, "name": "shop", "state": "ready", "depth": 0, "is_here": True}
    fork = {"session": OTHER, "name": "night", "state": "ready", "depth": 1, "how": "copy"}
    live.on(f"GET /sessions/{SESSION}/tree", {"branches": [root, fork], "left_out": 1, "seq": 7})
    done = run("tree", "shop")
    assert (done.code, done.err) == (0, "")
    assert done.out.split("\n") == [
        "*  shop      session-a1b2c3             ready  -",
        "   └─ night  session-0000ff  live copy  ready  -",
        "   … and 1 more",
        "",
    ]
    told = run("tree", "--json").json
    assert told == {"session": SESSION, "branches": [root, fork], "left_out": 1}
    live.on(f"GET /sessions/{SESSION}/tree", {"branches": [root], "seq": 7})
    assert run("tree").err == "nothing branched off yet: `hearth fork` does\n"
