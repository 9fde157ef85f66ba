"""`hearth rewind` shows what would change, asks, and then does it."""

import io
import sys
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer, refusal
from tests.clients.cli.screens import screen
from tests.clients.cli.turns import COMMANDS, SESSION, commands, listed, row

from hearth.clients.cli import main

CHANGES: list[dict[str, Any]] = [
    {"path": "a.py", "kind": "changed", "added": 2, "removed": 1},
    {"path": "b.py", "kind": "deleted"},
]


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    view = {"now": {"shown": {"prompt": "b7"}}}
    daemon.on(f"GET /sessions/{SESSION}/views/conversation", {"value": view, "seq": 7})
    return daemon


def rewinds(
    daemon: FakeDaemon, changes: list[dict[str, Any]], *, fails: bool = False, **more: Any
) -> None:
    def taken(seen: Seen) -> bytes:
        event: dict[str, Any] = {"type": "files_compared", "changes": changes, **more}
        if not seen.body["preview"]:
            event["type"] = "files_rewound"
        if fails:
            event = {"type": "rewind_failed", "why": "the disk is full", "changes": changes}
        return answer({"envelopes": [{"event": {"type": "rewind_requested"}}, {"event": event}]})

    daemon.does(COMMANDS, taken)


def asked(to: str, *, preview: bool) -> dict[str, Any]:
    return {"type": "rewind_files", "to": to, "preview": preview}


def test_a_preview_changes_nothing(run: Run, live: FakeDaemon) -> None:
    rewinds(live, CHANGES, left_out=3)
    done = run("rewind", "--preview")
    assert (done.code, done.err) == (0, "")
    assert done.out.split("\n") == [
        "5 files would go back to what they were at b7:",
        "  changes back  a.py  +2 -1",
        "  goes away     b.py",
        "  … and 3 more",
        "",
    ]
    assert commands(live) == [asked("b7", preview=True)]


def test_without_a_yes_nothing_is_changed(
    run: Run, live: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewinds(live, CHANGES)
    done = run("rewind")
    assert done.code == 1
    assert "`--yes` does it without asking" in done.err
    assert run("rewind", "--json").json["rewound"] is False

    class Keys(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keys("n\n"))
    shown = screen(monkeypatch)
    assert main(["rewind"]) == 1
    assert "Take 2 files back? [y/N]" in shown.plain
    assert all(one["preview"] for one in commands(live))
    monkeypatch.setattr(sys, "stdin", Keys("y\n"))
    assert main(["rewind", "b3"]) == 0
    assert commands(live)[-1] == asked("b3", preview=False)
    assert "2 files went back; `hearth rewind --undo` undoes it" in shown.plain


def test_programs_are_told_what_went_back(run: Run, live: FakeDaemon) -> None:
    rewinds(live, CHANGES)
    assert run("rewind", "--undo", "--yes", "--json").json == {
        "session": SESSION,
        "to": "",
        "rewound": True,
        "changes": CHANGES,
        "left_out": 0,
    }
    assert commands(live)[-1] == asked("", preview=False)


def test_where_nothing_was_changed_nothing_is_asked(run: Run, live: FakeDaemon) -> None:
    rewinds(live, [], kept={"root": "/project", "tree": "t"})
    done = run("rewind", "b3")
    assert (done.code, done.out) == (
        0,
        "nothing was changed that would go back to what it was at b3\n",
    )
    done = run("rewind", "--undo")
    assert "before the last rewind" in done.out
    assert all(one["preview"] for one in commands(live))


def test_where_nothing_was_kept_that_is_said(run: Run, live: FakeDaemon) -> None:
    rewinds(live, [])
    done = run("rewind", "b3")
    assert done.code == 0
    assert done.out.startswith("no files were kept since b3, so none go back: ")
    assert "before the last rewind" in run("rewind", "--undo").out


def test_a_rewind_that_fails_says_what_went_back_all_the_same(run: Run, live: FakeDaemon) -> None:
    rewinds(live, CHANGES, fails=True)
    done = run("rewind", "--yes")
    assert done.code == 1
    assert "the files stay as they are: the disk is full; 2 files went back" in done.err
    assert run("rewind", "--yes", "--json").json["error"]["changes"] == CHANGES


def test_what_would_help_is_said_as_it_is_typed(run: Run, live: FakeDaemon) -> None:
    nowhere = ["look at the conversation, which names its blocks"]
    live.does(COMMANDS, lambda _: refusal("not_now", remedy=nowhere))
    done = run("rewind", "b999")
    assert done.code == 4
    assert "hint: `hearth events --session NAME --all` shows the blocks" in done.err
    live.does(COMMANDS, lambda _: refusal("not_now", remedy=["send_message"]))
    assert "hint: `hearth ask` says something to the agent\n" in run("rewind", "--undo").err


def test_what_cannot_be_meant_is_told(run: Run, live: FakeDaemon) -> None:
    assert run("rewind", "b3", "--undo").code == 2
    daemon_says = {"value": {"now": {}}, "seq": 7}
    live.on(f"GET /sessions/{SESSION}/views/conversation", daemon_says)
    assert "nothing was said" in run("rewind").err
    live.does(COMMANDS, lambda _: answer({"id": "x"}, 202))
    assert run("rewind", "b3").code == 5
