"""`hearth approve` and `hearth reject` answer exactly what is meant, and once."""

import io
import sys
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, refusal
from tests.clients.cli.screens import Both, screen
from tests.clients.cli.turns import COMMANDS, OTHER, SESSION, commands
from tests.clients.cli.waiting_rows import decided, waiting, waits

from hearth.clients.cli import main

BOTH = ["touch *", "x"]


class Keys(io.StringIO):
    """A terminal in which this is typed."""

    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, typed: str) -> Both:
    monkeypatch.setattr(sys, "stdin", Keys(typed))
    return screen(monkeypatch)


def settles(daemon: FakeDaemon, *, session: str = SESSION) -> None:
    """Every answer is taken."""
    envelope = {"event": {"type": "approval_answered"}}
    daemon.on(f"POST /sessions/{session}/commands", {"envelopes": [envelope]})


def answer(name: str, said: str, **more: Any) -> dict[str, Any]:
    return {"type": "answer_approval", "approval": name, "answer": said, **more}


@pytest.mark.promise("DL-APPR-02")
def test_what_is_named_is_allowed_once_and_the_agent_told(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"), waits("a2"))
    settles(daemon)
    done = run("approve", "a2", "but", "only", "now")
    assert (done.code, done.out) == (0, f"{SESSION}/a2 allowed once\n")
    assert commands(daemon) == [answer("a2", "once", text="but only now")]


def test_the_only_one_need_not_be_named(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a4"))
    settles(daemon)
    done = run("reject", "use", "the", "other", "file")
    assert done.code == 0
    assert done.out.startswith(f"{SESSION}/a4 rejected, and whatever else")
    assert commands(daemon) == [answer("a4", "reject", text="use the other file")]
    assert run("approve", "--json").json == {
        "session": SESSION,
        "approval": "a4",
        "answer": "once",
        "patterns": [],
    }


def test_of_several_one_must_be_named(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"), waits("a1", OTHER))
    done = run("approve")
    assert done.code == 2
    assert f"{SESSION}/a1, {OTHER}/a1" in done.err
    assert daemon.asked(COMMANDS) == []


def test_what_is_left_out_is_shown_and_asked_for_first(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(daemon, waits("a1"))
    settles(daemon)
    shown = at_a_terminal(monkeypatch, "\n")
    assert main(["approve"]) == 1
    assert "$ touch x" in shown.plain
    assert "nothing is answered" in shown.plain
    assert commands(daemon) == []
    at_a_terminal(monkeypatch, "y\n")
    assert main(["approve", "--for-session"]) == 0
    assert commands(daemon) == [answer("a1", "session", patterns=BOTH)]


@pytest.mark.promise("DP-PERM-11")
def test_always_shows_the_patterns_and_wants_a_yes(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(daemon, waits("a1"))
    settles(daemon)
    for typed in ("", "y\n", "no\n"):
        shown = at_a_terminal(monkeypatch, typed)
        assert main(["approve", "a1", "--always"]) == 1
        assert "for always, in every session of /work/shop:" in shown.plain
        assert '  execute  "touch *"\n  write    "x"\nType yes to store it: ' in shown.plain
        assert "nothing is stored" in shown.plain
    assert commands(daemon) == []
    shown = at_a_terminal(monkeypatch, "yes\n")
    assert main(["approve", "--always"]) == 0
    assert "$ touch x" in shown.plain
    assert commands(daemon) == [answer("a1", "always", patterns=BOTH)]


@pytest.mark.promise("DP-PERM-11")
def test_without_a_terminal_always_needs_every_pattern_word_for_word(
    run: Run, daemon: FakeDaemon
) -> None:
    waiting(daemon, waits("a1"))
    settles(daemon)
    for given in ([], ["touch *"], ["touch *", "y"], ["*", "x"]):
        flags = [word for one in given for word in ("--pattern", one)]
        done = run("approve", "a1", "--always", *flags)
        assert done.code == 2
        assert "--pattern 'touch *' --pattern 'x'" in done.err
    assert commands(daemon) == []
    done = run("approve", "a1", "--always", "--pattern", "x", "--pattern=touch *")
    assert done.code == 0
    assert done.out == (f'{SESSION}/a1 allowed for always: execute  "touch *"; write    "x"\n')
    assert commands(daemon) == [answer("a1", "always", patterns=BOTH)]


def test_there_is_no_yes_in_advance_for_always(run: Run) -> None:
    done = run("approve", "a1", "--always", "--yes")
    assert done.code == 2
    assert "no flag --yes" in done.err


def test_what_can_only_be_allowed_once_is_not_allowed_for_longer(
    run: Run, daemon: FakeDaemon
) -> None:
    waiting(daemon, waits("a1", offers=[]))
    done = run("approve", "a1", "--for-session")
    assert done.code == 2
    assert "only be allowed once" in done.err


def test_flags_that_say_two_things_are_told(run: Run, daemon: FakeDaemon) -> None:
    assert run("approve", "a1", "--once", "--always").code == 2
    waiting(daemon, waits("a1"))
    assert "--for-session or --always" in run("approve", "a1", "--pattern", "x").err


def test_what_somebody_else_answered_is_told_with_their_name(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"))
    decided(daemon, {"answer": "reject", "approval": "a1", "by": {"name": "bob"}})

    def late(_: Seen) -> bytes:
        return refusal("not_now")

    daemon.does(COMMANDS, late)
    done = run("approve", "a1")
    assert done.code == 4
    assert "a1 was rejected already, by bob" in done.err
    assert run("approve", "a1", "--json").json["error"]["code"] == "not_waiting"
    daemon.does(COMMANDS, lambda _: refusal("malformed", 400))
    assert "no: malformed" in run("approve", "a1").err
    waiting(daemon)
    done = run("reject", f"{SESSION}/a1")
    assert done.code == 4
    assert "by bob" in done.err
    assert run("approve").code == 4


def test_everything_is_put_to_a_person_one_after_the_other(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(daemon, waits("a1"), waits("a2"), waits("a3"), waits("a4"), waits("a5", OTHER))
    decided(daemon, {"answer": "once", "approval": "a4", "by": {"name": "bob"}})

    def taken(seen: Seen) -> bytes:
        if seen.body["approval"] == "a4":
            return refusal("not_now")
        return b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\n\r\n{}"

    daemon.does(COMMANDS, taken)
    settles(daemon, session=OTHER)
    shown = at_a_terminal(monkeypatch, "hm\ny\n\na\nyes\ny\nn why\n")
    assert main(["approvals", "--answer-all"]) == 6  # one was left for later
    assert [one["answer"] for one in commands(daemon)] == ["once", "always", "once"]
    [rejected] = daemon.asked(f"POST /sessions/{OTHER}/commands")
    assert rejected.body == answer("a5", "reject", text="why")
    assert "that is no answer" in shown.plain
    assert "left for later" in shown.plain
    assert "a4 was allowed once already, by bob" in shown.plain


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["approvals", "--answer-all"], "more lines; v shows all"),
        (["approvals", "--answer-all", "--full"], "\n  98\n"),
        (["approve"], "more lines; `hearth approvals --full` shows all"),
    ],
)
def test_what_is_long_is_said_to_be_seen_where_it_can_be(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    row = waits("a1")
    row["approval"]["details"] = "\n".join(map(str, range(99)))
    waiting(daemon, row)
    shown = at_a_terminal(monkeypatch, "")
    main(words)
    assert told in shown.plain


def test_who_ends_the_input_leaves_all_for_later(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(daemon, waits("a1"))
    at_a_terminal(monkeypatch, "")
    assert main(["approvals", "--answer-all"]) == 6
    assert commands(daemon) == []
