"""The list of conversations: what is on it, and how its lines look."""

import calendar
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.screens import screen
from tests.clients.cli.turns import OTHER, SESSION, THIRD, listed, row, said, three

from hearth.clients.cli.conversation_list import holds, talks
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.commands import SessionMode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.resolving import holds as holds_in_daemon


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


@pytest.mark.promise("DL-SESS-07")
def test_conversations_without_an_answer_are_left_out_and_counted(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    unheard = said(here, THIRD, "2026-05-01T10:00:00Z", "is anybody there?", replied=False)
    listed(daemon, {**unheard, "messages": 1}, *three(here))
    done = run("ask", "--list")
    assert "is anybody there?" not in done.out
    assert done.out.startswith("1. ")
    assert "the newer one" in done.out.splitlines()[0]
    assert done.err == "1 more without an answer yet; `--all` shows them\n"
    assert len(run("ask", "--list", "--json").json["conversations"]) == 2
    everything = run("ask", "--list", "--all")
    assert "is anybody there? (1 message, no answer yet)  " in everything.out
    assert everything.out.count("no answer yet") == 1
    assert everything.err == ""


def test_a_list_of_which_all_is_left_out_is_empty_and_says_why(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, said(here, SESSION, "2026-05-01T10:00:00Z", "hello?", replied=False))
    done = run("ask", "--list")
    assert done.out == "No sessions found.\n"
    assert "1 more without an answer yet" in done.err


@pytest.mark.promise("DP-SESS-03")
def test_a_line_says_what_a_conversation_cost_and_what_it_branches_off_from(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(
        daemon,
        said(here, SESSION, "2026-02-02T10:00:00Z", "dear", cost=0.01234, forked_from=OTHER),
        said(here, OTHER, "2026-02-01T10:00:00Z", "free", cost=0.0, forked_from=""),
        said(here, THIRD, "2026-01-01T10:00:00Z", "unknown", cost=None),
    )
    shown = [line.partition("] ")[2] for line in run("ask", "-l").out.splitlines()]
    assert shown == [
        f"dear (4 messages, $0.0123, fork of {OTHER})",
        "free (4 messages)",
        "unknown (4 messages)",
    ]


def test_a_line_of_the_list_is_one_of_the_terminal(
    run: Run, daemon: FakeDaemon, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = said(here, SESSION, "2026-02-02T10:00:00Z", "word " * 19, cost=1.5)
    listed(daemon, long, said(here, OTHER, "2026-02-01T10:00:00Z", "short"))
    [piped, _] = run("ask", "-l").out.splitlines()
    assert len(piped) > 80
    looked_at = screen(monkeypatch)
    run("ask", "-l")
    [first, second] = looked_at.plain.splitlines()
    assert len(first) == 80
    assert first.endswith("… (4 messages, $1.5000)")
    assert second.endswith("] short (4 messages)")


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


def test_what_cannot_be_read_is_no_conversation() -> None:
    rows = [said("/a", "s1", "2026-01-02T10:00:00Z", "x", trouble="unreadable")]
    assert talks(rows, "/a") == []
