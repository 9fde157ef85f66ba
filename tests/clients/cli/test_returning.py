"""`hearth rewind --scope` shows what each part would do, asks, and says what was done."""

import io
import sys
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer
from tests.clients.cli.screens import screen
from tests.clients.cli.turns import COMMANDS, SESSION, commands, listed, row

from hearth.clients.cli import main
from hearth.clients.cli.returning import SCOPES

SEEN: dict[str, Any] = {
    "blocks": 4,
    "cells": ["c3"],
    "how": "copy",
    "changes": [{"path": "a.py", "kind": "changed", "added": 2, "removed": 1}],
}


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    view = {"now": {"shown": {"prompt": "b7"}}}
    daemon.on(f"GET /sessions/{SESSION}/views/conversation", {"value": view, "seq": 7})
    return daemon


def returns(daemon: FakeDaemon, **seen: Any) -> None:
    def taken(asked: Seen) -> bytes:
        kind = "return_previewed" if asked.body["preview"] else "session_returned"
        event = {"type": kind, "to": asked.body["to"], **seen}
        return answer({"envelopes": [{"event": event}]})

    daemon.does(COMMANDS, taken)


def wanted(to: str, scope: dict[str, bool], *, preview: bool) -> dict[str, Any]:
    return {"type": "return_to", "to": to, "scope": scope, "preview": preview}


@pytest.mark.parametrize("scope", SCOPES)
def test_what_goes_back_is_what_was_said(run: Run, live: FakeDaemon, scope: str) -> None:
    returns(live, **SEEN)
    done = run("rewind", "--scope", scope, "--yes")
    assert done.code == 0
    both = [wanted("b7", SCOPES[scope], preview=one) for one in (True, False)]
    assert commands(live) == both
    assert "the session is back at b7 (interpreter: without c3" in done.out
    assert done.err == "`hearth rewind --back` undoes it\n"


def test_a_preview_names_each_part_and_changes_nothing(run: Run, live: FakeDaemon) -> None:
    returns(live, **SEEN)
    done = run("rewind", "b3", "--scope", "all", "--preview")
    assert (done.code, done.err) == (0, "")
    assert done.out.split("\n")[:5] == [
        "the session would be what it was at b3:",
        "  conversation  4 blocks leave it, and stay in a branch",
        "  interpreter   without c3, a copy that is kept takes its place",
        "  files         1 file",
        "    changes back  a.py  +2 -1",
    ]
    assert all(one["preview"] for one in commands(live))


def test_without_a_yes_nothing_is_changed(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    returns(live, **SEEN)
    done = run("rewind", "--scope", "all")
    assert done.code == 1
    assert "`--yes` does it without asking" in done.err
    assert run("rewind", "--scope", "all", "--json").json["rewound"] is False

    class Keys(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keys("n\n"))
    shown = screen(monkeypatch)
    assert main(["rewind", "--scope", "all"]) == 1
    assert "Go back to b7? [y/N]" in shown.plain
    assert all(one["preview"] for one in commands(live))
    monkeypatch.setattr(sys, "stdin", Keys("y\n"))
    assert main(["rewind", "--scope", "all"]) == 0
    assert not commands(live)[-1]["preview"]


def test_the_last_time_is_undone(run: Run, live: FakeDaemon) -> None:
    returns(live)
    done = run("rewind", "--back", "--yes")
    assert done.code == 0
    assert "the session would be what it was before the last time it went back" in done.out
    assert "the session is as it was before going back" in done.out
    assert commands(live)[-1] == wanted("", {}, preview=False)


def test_programs_are_told_all_of_it(run: Run, live: FakeDaemon) -> None:
    returns(live, **SEEN, problems=["redo: gone"])
    done = run("rewind", "--scope", "all", "--yes", "--json")
    assert done.code == 1  # not all of it went back
    assert done.json == {
        "session": SESSION,
        "to": "b7",
        "rewound": True,
        **SEEN,
        "left_out": 0,
        "problems": ["redo: gone"],
    }


def test_where_nothing_would_change_nothing_is_asked(run: Run, live: FakeDaemon) -> None:
    returns(live, blocks=0)
    done = run("rewind", "--scope", "conversation")
    assert (done.code, done.out) == (0, "the session is as it was at b7\n")
    assert all(one["preview"] for one in commands(live))


def test_what_cannot_be_meant_or_done_is_told(run: Run, live: FakeDaemon) -> None:
    assert "one of: conversation, interpreter" in run("rewind", "--scope", "me").err
    for words in (["--undo", "--back"], ["--back", "--scope", "all"], ["b3", "--back"]):
        done = run("rewind", *words)
        assert done.code == 2
        assert "say two things" in done.err
    assert commands(live) == []
    live.on(COMMANDS, {"envelopes": [{"event": {"type": "return_failed", "why": "no"}}]})
    done = run("rewind", "--scope", "all")
    assert done.code == 1
    assert "the session stays as it is: no" in done.err


def test_what_cannot_go_back_is_told_before_anybody_is_asked(run: Run, live: FakeDaemon) -> None:
    done = run("rewind", "--scope", "x")
    assert done.code == 2
    assert "one of: conversation, interpreter, files, all" in done.err
    assert live.seen == []
