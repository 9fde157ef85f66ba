"""Which conversation is meant, and what is begun if there is none."""

from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, answer
from tests.clients.cli.turns import (
    COMMANDS,
    OTHER,
    SESSION,
    answering,
    listed,
    row,
    said,
    tells,
    three,
    was_spoken_to,
)

from hearth.clients.cli.conversations import live_at


def test_the_live_session_of_the_directory_goes_on_without_a_word(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, *three(here)[:3])
    tells(daemon, answering("hello"))
    done = run("ask", "hi")
    assert (done.code, done.out, done.err) == (0, "hello\n", "")
    assert was_spoken_to(daemon)
    assert daemon.asked("POST /sessions") == []


@pytest.mark.promise("DL-MGR-07")
@pytest.mark.parametrize("said_so", ["yes", "no", "nothing"])
def test_the_setting_takes_the_latest_up_without_a_flag(
    run: Run, daemon: FakeDaemon, here: str, said_so: str
) -> None:
    resumes = said_so == "yes"
    listed(daemon, said(here, SESSION, "2026-01-02T10:00:00Z", "the last one", stopped=True))
    tells(daemon, answering("hello"))
    tells(daemon, answering("fresh"), OTHER)
    spoken = daemon.answers[COMMANDS]
    reset = answer({"accepted": {}, "envelopes": []})
    daemon.does(
        COMMANDS, lambda seen: reset if seen.body["type"] != "send_message" else spoken(seen)
    )
    daemon.on("POST /sessions", {"session": OTHER, "status": {}}, 201)
    daemon.events(f"/sessions/{OTHER}/events")
    if said_so != "nothing":
        daemon.on("GET /config", {"values": {"session.autoResume": resumes}})
    done = run("ask", "hi")
    assert done.out == ("hello\n" if resumes else "fresh\n")
    assert ("continuing" in done.err) is resumes
    assert len(daemon.asked("POST /sessions")) == (not resumes)


@pytest.mark.promise("LK-SESS-01")
def test_a_session_is_named_by_id_beginning_or_name(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, name="shop"))
    for word in ("shop", SESSION[:10]):
        daemon.on(f"GET /sessions/{word}", {"value": row(here), "seq": 7})
        daemon.events(f"/sessions/{SESSION}/events")
        tells(daemon, answering("hello"))
        assert run("ask", "-s", word, "hi").out == "hello\n"
        assert was_spoken_to(daemon)


@pytest.mark.promise("DL-MGR-03")
def test_a_name_that_nobody_has_is_told_and_given_to_a_new_session(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon)
    daemon.on("POST /sessions", {"session": SESSION, "status": {}}, 201)
    daemon.events(f"/sessions/{SESSION}/events")
    tells(daemon, answering("hello"))
    done = run("ask", "--session", "shop", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert done.err == "note: there is no session shop; a new one of this name begins\n"
    [made] = daemon.asked("POST /sessions")
    assert made.body == {"directory": here, "name": "shop"}


def test_a_new_one_is_begun_whatever_lives_here(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here, session=OTHER))
    daemon.on("POST /sessions", {"session": SESSION, "status": {}}, 201)
    daemon.events(f"/sessions/{SESSION}/events")
    tells(daemon, answering("hello"))
    assert run("ask", "--new", "hi").out == "hello\n"
    [made] = daemon.asked("POST /sessions")
    assert made.body == {"directory": here}
    assert not was_spoken_to(daemon, OTHER)


def test_a_fork_is_not_meant_by_its_directory(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here, session=OTHER, forked_from=SESSION), row(here))
    daemon.events(f"/sessions/{SESSION}/events")
    tells(daemon, answering("hello"))
    assert run("ask", "hi").out == "hello\n"
    assert was_spoken_to(daemon)
    assert not was_spoken_to(daemon, OTHER)


def forks(daemon: FakeDaemon, **event: Any) -> None:
    """What comes of a wish to fork the other session."""
    made = {"type": "session_forked", "to": SESSION, "how": "copy", **event}
    daemon.on(f"POST /sessions/{OTHER}/commands", {"envelopes": [{"event": made}]})


def test_a_fork_is_a_session_of_its_own_and_waits_for_its_branch(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, session=OTHER))
    forks(daemon, how="replay", notice="failed this time: c2")
    events = daemon.events(f"/sessions/{SESSION}/events")
    events.row(8, {"type": "conversation_forked", "source": OTHER, "block": "b3"})
    tells(daemon, answering("hello"))
    done = run("ask", "--fork", "b3", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert f"{SESSION} branches off from {OTHER} at b3: its cells were run again\n" in done.err
    assert "note: failed this time: c2\n" in done.err
    [made] = daemon.asked(f"POST /sessions/{OTHER}/commands")
    assert made.body == {"type": "fork_session", "to": made.body["to"], "block": "b3"}
    assert daemon.asked("POST /sessions") == []


def test_a_fork_of_a_bare_session_is_bare(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here, session=OTHER, mode="bare"))
    forks(daemon)
    events = daemon.events(f"/sessions/{SESSION}/events")
    events.row(8, {"type": "conversation_forked", "source": OTHER, "block": "b3"})
    tells(daemon, answering("hello"))
    assert run("ask", "--bare", "--fork", "--", "hi").code == 0
    [made] = daemon.asked(f"POST /sessions/{OTHER}/commands")
    assert made.body == {"type": "fork_session", "to": made.body["to"]}


def test_a_fork_that_cannot_be_is_told_and_nothing_is_said(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, session=OTHER))
    forks(daemon, type="fork_failed", obstacles=["a socket is open"])
    done = run("ask", "--fork", "--", "hi")
    assert done.code == 1
    assert "a socket is open\n" in done.err
    assert "hint: `hearth fork --how replay`" in done.err
    assert not was_spoken_to(daemon)


def test_a_bare_session_is_another_than_the_projects(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, session=OTHER), row(here, mode="bare"))
    tells(daemon, answering("hello"))
    assert run("ask", "--bare", "hi").out == "hello\n"
    assert not was_spoken_to(daemon, OTHER)


@pytest.mark.parametrize(
    "words",
    [
        ["--new", "--continue"],
        ["--session", "x", "--new"],
        ["--session", "x", "-c"],
        ["--session", "x", "--proj", "/"],
        ["--new", "--fork"],
    ],
)
def test_flags_that_say_two_things_are_told(words: list[str], run: Run, daemon: FakeDaemon) -> None:
    done = run("ask", "hi", *words)
    assert done.code == 2
    assert "say two things" in done.err
    assert daemon.seen == []


def test_the_nearest_live_session_is_meant() -> None:
    rows = [
        row("/a", session="far", root="/a", source="marker"),
        row("/a/b", session="near", root="/a/b", source="marker"),
        row("/a/b/c", session="dead", stopped=True),
        row("/a/b/c", session="broken", state="faulted"),
        row("/a/b/c", session="odd", trouble="unreadable"),
    ]
    found = live_at(rows, "/a/b/c")
    assert found is not None
    assert found["session"] == "near"
    assert live_at(rows, "/") is None
