"""Which conversation `--continue` means: never another than the one that was named."""

from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, answer, refusal
from tests.clients.cli.turns import (
    OTHER,
    SESSION,
    THIRD,
    answering,
    listed,
    pipe,
    row,
    said,
    tells,
    three,
    was_spoken_to,
)


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
    assert not was_spoken_to(daemon, OTHER)
    assert [line.partition("] ")[2] for line in run("ask", "--bare", "-l").out.splitlines()] == [
        "the bare one (4 messages)"
    ]


def sent(daemon: FakeDaemon, session: str) -> list[str]:
    """What that session was told."""
    return [one.body["text"] for one in daemon.asked(f"POST /sessions/{session}/commands")]


@pytest.fixture
def both(daemon: FakeDaemon, here: str) -> FakeDaemon:
    """The newest conversation of this directory, and one elsewhere that is called `shop`."""
    there = said("/elsewhere", OTHER, "2026-01-02T10:00:00Z", "the other one", name="shop")
    listed(daemon, said(here, SESSION, "2026-02-02T10:00:00Z", "the newest", name="work"), there)
    for word in (OTHER, OTHER[:-1], "0000ff", "0000", "shop"):
        daemon.on(f"GET /sessions/{word}", {"value": there, "seq": 7})
    tells(daemon, answering("hello"), SESSION)
    tells(daemon, answering("hello"), OTHER)
    return daemon


@pytest.mark.promise("DL-CLI-03")
@pytest.mark.parametrize("word", [OTHER, OTHER[:-1], "0000ff", "0000", "shop"])
@pytest.mark.parametrize("form", ["-c {} hey you", "--continue={} hey you", "hey you -c {}"])
def test_one_is_continued_by_its_id_its_beginning_or_its_name(
    run: Run, both: FakeDaemon, word: str, form: str
) -> None:
    done = run("ask", *form.format(word).split())
    assert (done.code, done.out) == (0, "hello\n")
    assert done.err == f"continuing {OTHER}: the other one (4 messages)\n"
    assert sent(both, OTHER) == ["hey you"]
    assert not was_spoken_to(both, SESSION)


def test_what_is_piped_in_is_a_prompt_as_well(
    run: Run, both: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, b"from a pipe\n")
    assert run("ask", "-c", "shop").out == "hello\n"
    assert sent(both, OTHER) == ["from a pipe"]


@pytest.mark.parametrize(
    "words",
    [
        ["shop"],  # it is all there is to ask
        ["--", "shop", "is", "closed"],
        ["--", OTHER],
        ["session", "handling", "fails"],
        ["sess", "is", "no", "word"],
        ["shopping", "is", "fun"],
        ["00f", "is", "short"],
        ["work", "is", "hard"],  # the folder's name, which nobody gave
        [f"{OTHER}: what", "is", "it"],
        ["-"],
    ],
)
def test_what_can_be_a_prompt_is_one(
    run: Run, both: FakeDaemon, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if words == ["-"]:
        pipe(monkeypatch, b"-")
    done = run("ask", "-c", *words)
    assert (done.code, done.out) == (0, "hello\n")
    assert sent(both, SESSION) == [" ".join(one for one in words if one != "--")]
    assert not was_spoken_to(both, OTHER)


@pytest.mark.parametrize(
    "words",
    [
        ["-c", "session-9f9f9f", "hey"],
        ["-c", "session-9f", "hey"],
        ["--continue=nobody", "hey"],
        ["--continue=session-9f9f9f"],
    ],
)
def test_one_that_is_not_there_is_told_and_nothing_is_sent(
    run: Run, both: FakeDaemon, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(monkeypatch, b"a prompt")
    done = run("ask", *words)
    assert (done.code, done.out) == (2, "")
    assert "there is no conversation" in done.err
    assert "hearth sessions --all" in done.err
    assert [one for one in both.seen if one.method == "POST"] == []


def test_several_that_begin_so_are_told_and_nothing_is_sent(run: Run, both: FakeDaemon) -> None:
    both.does("GET /sessions/0000", lambda _: refusal("ambiguous_session"))
    done = run("ask", "-c", "0000", "hey")
    assert done.code == 1
    assert "no: ambiguous_session" in done.err
    assert [one for one in both.seen if one.method == "POST"] == []


def test_an_id_alone_is_nothing_to_ask(run: Run, both: FakeDaemon) -> None:
    done = run("ask", "-c", OTHER)
    assert done.code == 2
    assert f"nothing to ask in {OTHER}" in done.err
    assert "behind `--`" in done.err
    assert [one for one in both.seen if one.method == "POST"] == []


def test_a_session_in_which_nothing_was_said_can_be_named(
    run: Run, daemon: FakeDaemon, here: str
) -> None:
    listed(daemon, said(here, OTHER, "2026-01-02T10:00:00Z", "another"), row(here))
    tells(daemon, answering("hello"))
    done = run("ask", "-c", SESSION, "hey")
    assert (done.out, done.err) == ("hello\n", f"continuing {SESSION}\n")
    assert not was_spoken_to(daemon, OTHER)


def test_an_answer_goes_to_the_agent_that_is_named(run: Run, both: FakeDaemon) -> None:
    both.on(f"GET /sessions/{OTHER}/views/conversation", {"value": {"now": {}}})
    done = run("ask", "--answer", "yes", "-c", "shop")
    assert f"the agent of {OTHER} waits for no answer" in done.err


@pytest.mark.promise("DL-CLI-03")
def test_a_number_counts_what_the_list_shows(run: Run, daemon: FakeDaemon, here: str) -> None:
    unheard = said(here, THIRD, "2026-05-01T10:00:00Z", "is anybody there?", replied=False)
    newest = said("/elsewhere", OTHER, "2026-06-01T10:00:00Z", "not here")
    listed(daemon, unheard, said(here, SESSION, "2026-02-02T10:00:00Z", "heard"), newest)
    for session in (SESSION, OTHER, THIRD):
        tells(daemon, answering("hello"), session)
    assert f"continuing {SESSION}" in run("ask", "-c", "1", "hi").err
    assert f"continuing {OTHER}" in run("ask", "--all", "-c", "1", "hi").err
    assert f"continuing {THIRD}" in run("ask", "--all", "-c", "2", "hi").err
    assert "no conversation 2" in run("ask", "-c", "2", "hi").err
    # Without a number it is the latest, whoever was silent there.
    assert f"continuing {THIRD}" in run("ask", "-c", "hi").err
