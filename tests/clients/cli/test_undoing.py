"""`hearth undo` and `hearth redo` say what was taken back and what still can be."""

from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, refusal
from tests.clients.cli.turns import COMMANDS, SESSION, commands, listed, row

KEPT = {"cells": ["c1"], "size": 3 << 20}


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    daemon.on("GET /sessions/shop", {"value": row(here), "seq": 7})
    return daemon


def ends(daemon: FakeDaemon, **event: Any) -> None:
    daemon.on(COMMANDS, {"envelopes": [{"event": event}]})


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([], {}),
        (["3"], {"count": 3}),
        (["c7"], {"cell": "c7"}),
        (["shop"], {}),
        (["shop", "2"], {"count": 2}),
        (["shop", "c7"], {"cell": "c7"}),
        (["--session", "shop", "2"], {"count": 2}),
    ],
)
def test_what_is_meant(
    run: Run, live: FakeDaemon, words: list[str], wanted: dict[str, object]
) -> None:
    ends(live, type="cells_undone", cells=["c2"], kept=KEPT)
    assert run("undo", *words).code == 0
    assert commands(live) == [{"type": "undo_cells", **wanted}]


def test_what_was_taken_back_can_be_brought_back(run: Run, live: FakeDaemon) -> None:
    ends(live, type="cells_undone", cells=["c2", "c3"], kept=KEPT, can_redo=True)
    done = run("undo", "2")
    assert (done.code, done.out) == (0, "c2 and c3 were taken back\n")
    assert done.err == (
        "can still be taken back: c1 (3 MB of copies); `hearth redo` brings back what was there\n"
    )
    told = run("undo", "2", "--json").json
    assert told == {"session": SESSION, "undone": ["c2", "c3"], "can_redo": True, "kept": KEPT}
    ends(live, type="cells_redone", cells=["c2", "c3"])
    done = run("redo", "shop")
    assert done.out == "c2 and c3 are there again; nothing was run again\n"
    assert done.err == "nothing more can be taken back\n"
    assert commands(live)[-1] == {"type": "redo_cells"}
    none = {"cells": [], "size": 0}
    told = run("redo", "--json").json
    assert told == {"session": SESSION, "redone": ["c2", "c3"], "kept": none}


def test_it_is_chosen_before_whose_cells_copies_are_kept(run: Run, live: FakeDaemon) -> None:
    ends(live, type="undo_chosen", who="everyone")
    done = run("undo", "--for", "everyone")
    assert (done.out, done.err) == ("from now on a copy is kept before every cell\n", "")
    assert run("undo", "shop", "--for", "everyone", "--json").json == {
        "session": SESSION,
        "for": "everyone",
    }
    assert commands(live) == [{"type": "choose_undo", "who": "everyone"}] * 2


def test_what_cannot_be_taken_back_says_why_and_what_helps(run: Run, live: FakeDaemon) -> None:
    ends(live, type="undo_failed", why="the copy is gone")
    done = run("undo")
    assert (done.code, done.out) == (1, "")
    assert "nothing was taken back: the copy is gone" in done.err
    remedy = ["choose_undo with who=everyone keeps a copy before people's cells, too"]
    live.does(COMMANDS, lambda _: refusal("not_now", remedy=remedy))
    done = run("undo")
    assert done.code == 4
    assert "hint: `hearth undo --for everyone` keeps a copy before people's cells, too" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["undo", "0"],
        ["undo", "1001"],
        ["undo", "shop", "0"],
        ["undo", "shop", "1001"],
        ["undo", "shop", "two"],
        ["undo", "--for", "me"],
        ["undo", "3", "--for", "agents"],
        ["undo", "shop", "1", "2"],
    ],
)
def test_what_makes_no_sense_is_told(run: Run, live: FakeDaemon, words: list[str]) -> None:
    assert run(*words).code == 2
    assert commands(live) == []


def test_a_word_that_is_no_session_may_have_meant_cells(run: Run, live: FakeDaemon) -> None:
    remedy = ["list_sessions", "create_session"]
    live.does("GET /sessions/two", lambda _: refusal("unknown_session", 404, remedy=remedy))
    done = run("undo", "two")
    assert done.code == 4
    assert "hint: `hearth sessions` lists them; what is taken back is a number" in done.err
    assert "what is taken back" not in run("redo", "two").err
