"""Which conversation is meant, and the list of them."""

import calendar
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, answer
from tests.clients.cli.turns import COMMANDS, SESSION, answering, listed, pipe, row, tells

from hearth.clients.cli.conversations import holds, live_at, talks
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.commands import SessionMode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.resolving import holds as holds_in_daemon

OTHER = "session-0000ff"
THIRD = "session-0000ee"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The directory that the command is given in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    pipe(monkeypatch)
    return str(folder)


def said(here: str, session: str, at: str, preview: str, **more: Any) -> dict[str, Any]:
    """A session in which something was said."""
    return row(here, session=session, talked=at, preview=preview, messages=4, **more)


def three(here: str) -> list[dict[str, Any]]:
    """Out of order, one of them stopped, one elsewhere, one in which nothing was said."""
    return [
        said(here, OTHER, "2026-01-02T10:00:00Z", "the older one", stopped=True),
        said("/elsewhere", THIRD, "2026-03-01T10:00:00Z", "not here"),
        said(here, SESSION, "2026-02-02T10:00:00Z", "the newer one"),
        row(here, session="session-silent", last_activity="2026-04-01T10:00:00Z"),
    ]


def local(text: str) -> str:
    at = calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M"))
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


@pytest.mark.promise("DL-CLI-01", "DL-CLI-02")
def test_the_list_has_number_time_beginning_and_count(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, *three(here))
    done = run("ask", "--list")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"1. [{local('2026-02-02 10:00')}] the newer one (4 messages)",
        f"2. [{local('2026-01-02 10:00')}] the older one (4 messages)",
    ]
    everywhere = run("ask", "-l", "--all").out.splitlines()
    assert len(everywhere) == 3
    assert everywhere[0].endswith("not here (4 messages)  /elsewhere")


@pytest.mark.promise("DL-CLI-02")
def test_a_list_without_conversations_says_so(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here))
    done = run("ask", "--list")
    assert (done.code, done.out) == (0, "No sessions found.\n")
    assert run("ask", "--list", "--json").json == {"conversations": []}


def test_one_message_is_one_and_nothing_in_a_preview_is_an_order(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    one = said(here, SESSION, "2026-02-02T10:00:00Z", "\x1b[2Jfirst\nsecond")
    listed(daemon, {**one, "messages": 1})
    assert run("ask", "--list").out.endswith("] ?[2Jfirst … (1 message)\n")


def asked(daemon: FakeDaemon, session: str = SESSION) -> bool:
    """Whether that session was spoken to."""
    return bool(daemon.asked(f"POST /sessions/{session}/commands"))


def test_the_live_session_of_the_directory_goes_on_without_a_word(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, *three(here)[:3])
    tells(daemon, answering("hello"))
    done = run("ask", "hi")
    assert (done.code, done.out, done.err) == (0, "hello\n", "")
    assert asked(daemon)
    assert daemon.asked("POST /sessions") == []


@pytest.mark.promise("DL-CLI-01")
def test_the_latest_is_continued_and_that_is_told(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, *three(here))
    tells(daemon, answering("hello"))
    done = run("ask", "-c", "hi")
    assert done.out == "hello\n"
    assert done.err == f"continuing {SESSION}: the newer one (4 messages)\n"


@pytest.mark.promise("DL-CLI-03")
def test_one_is_continued_by_its_number_and_brought_back_first(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, *three(here))
    tells(daemon, answering("hello"), OTHER)
    woken: list[dict[str, Any]] = []
    spoken = daemon.answers[f"POST /sessions/{OTHER}/commands"]

    def answered(seen: Any) -> bytes:
        if seen.body["type"] != "hard_reset_session":
            return spoken(seen)
        woken.append(seen.body)
        assert seen.headers["prefer"].startswith("wait=")
        return answer({"accepted": {}, "envelopes": []})

    daemon.does(f"POST /sessions/{OTHER}/commands", answered)
    done = run("ask", "--continue", "2", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert "the older one" in done.err
    assert woken == [{"type": "hard_reset_session"}]
    wrong = run("ask", "--continue=3", "hi")
    assert wrong.code == 2
    assert "no conversation 3" in wrong.err
    assert "hearth ask --list" in wrong.err


@pytest.mark.promise("DL-MGR-03")
def test_where_there_is_nothing_to_continue_that_is_told_and_a_new_one_begins(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, said("/elsewhere", OTHER, "2026-01-02T10:00:00Z", "not here"))
    daemon.on("POST /sessions", {"session": SESSION, "status": {}}, 201)
    daemon.events(f"/sessions/{SESSION}/events")
    tells(daemon, answering("hello"))
    done = run("ask", "-c", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert done.err == "note: there is no conversation here to continue; a new one begins\n"
    [made] = daemon.asked("POST /sessions")
    assert made.body == {"directory": here, "reuse": True}


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
        assert asked(daemon)


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
    assert not asked(daemon, OTHER)


def test_a_fork_is_a_session_of_its_own_and_waits_for_its_branch(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, session=OTHER))
    daemon.on("POST /sessions", {"session": SESSION, "status": {}}, 201)
    events = daemon.events(f"/sessions/{SESSION}/events")
    events.row(8, {"type": "conversation_forked", "source": OTHER, "block": "b3"})
    tells(daemon, answering("hello"))
    done = run("ask", "--fork", "b3", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert f"{SESSION} branches off from {OTHER} at b3" in done.err
    [made] = daemon.asked("POST /sessions")
    assert made.body == {"directory": here, "forked_from": {"session": OTHER, "block": "b3"}}
    assert not asked(daemon, OTHER)


def test_a_fork_of_a_bare_session_is_bare(run: Run, daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here, session=OTHER, mode="bare"))
    daemon.on("POST /sessions", {"session": SESSION, "status": {}}, 201)
    events = daemon.events(f"/sessions/{SESSION}/events")
    events.row(8, {"type": "conversation_forked", "source": OTHER, "block": "b3"})
    tells(daemon, answering("hello"))
    assert run("ask", "--bare", "--fork", "--", "hi").code == 0
    [made] = daemon.asked("POST /sessions")
    assert made.body == {"directory": here, "mode": "bare", "forked_from": {"session": OTHER}}


def test_a_bare_session_is_another_than_the_projects(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, row(here, session=OTHER), row(here, mode="bare"))
    tells(daemon, answering("hello"))
    assert run("ask", "--bare", "hi").out == "hello\n"
    assert not asked(daemon, OTHER)


def test_of_bare_sessions_the_latest_is_continued_and_no_projects(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(
        daemon,
        said(here, SESSION, "2026-01-02T10:00:00Z", "the bare one", mode="bare"),
        said(here, OTHER, "2026-02-02T10:00:00Z", "the project's"),
    )
    tells(daemon, answering("hello"))
    done = run("ask", "--bare", "-c", "hi")
    assert (done.code, done.out) == (0, "hello\n")
    assert done.err == f"continuing {SESSION}: the bare one (4 messages)\n"
    assert not asked(daemon, OTHER)
    assert [line.partition("] ")[2] for line in run("ask", "--bare", "-l").out.splitlines()] == [
        "the bare one (4 messages)"
    ]


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


FOLDERS = st.sampled_from(["/", "/a", "/a/b", "/ab", "/a/b/c"])


ROWS = st.builds(
    SessionRow,
    session=st.just(SessionId("s")),
    name=st.just(""),
    directory=FOLDERS,
    state=st.just(PhaseName.READY),
    root=st.one_of(st.just(""), FOLDERS),
    source=st.sampled_from(["", "directory", "marker"]),
    mode=st.sampled_from(list(SessionMode)),
)


@given(ROWS, FOLDERS, st.sampled_from(list(SessionMode)))
def test_sessions_of_a_directory_are_found_as_the_daemon_finds_them(
    found: SessionRow, directory: str, mode: SessionMode
) -> None:
    told = msgspec.to_builtins(found)
    assert holds(told, directory, mode.value) == holds_in_daemon(found, directory, mode)


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


def test_what_cannot_be_read_is_no_conversation() -> None:
    rows = [said("/a", "s1", "2026-01-02T10:00:00Z", "x", trouble="unreadable")]
    assert talks(rows, "/a") == []
