"""`hearth try` shows variants side by side, `hearth keep` makes one the session."""

from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, Seen, answer, refusal
from tests.clients.cli.turns import COMMANDS, EVENTS, SESSION, commands, listed, row

GOOD = {"duration": 0.012, "value": "3", "value_type": "int", "names": ["x"]}
BAD = {"duration": 0.5, "failure": {"type": "code_raised", "name": "ValueError", "message": "no"}}


@pytest.fixture
def live(daemon: FakeDaemon, here: str) -> FakeDaemon:
    listed(daemon, row(here))
    daemon.on("GET /sessions/shop", {"value": row(here), "seq": 7})
    return daemon


def tries(daemon: FakeDaemon, *results: dict[str, Any], problem: str = "") -> None:
    def taken(seen: Seen) -> bytes:
        key = seen.headers["idempotency-key"]
        events = daemon.events(EVENTS)
        events.row(8, {"type": "trial_started", "cell": "c4"}, cause=key)
        ended = {"type": "trial_ended", "cell": "c4", "results": results, "problem": problem}
        events.row(9, ended, cause=key)
        return answer({"id": key, "session": SESSION, "seq": 8}, 202)

    daemon.does(COMMANDS, taken)


def test_results_stand_side_by_side(run: Run, live: FakeDaemon) -> None:
    tries(live, GOOD, BAD)
    done = run("try", "-e", "x = 3; x", "-e", "f()", "--timeout", "9")
    assert done.code == 0
    assert done.out.split("\n") == [
        "1  ok in 12 ms · sets x                | 2  failed after 0.5 s",
        "x = 3; x                               | f()",
        "3  # int                               | ValueError: no",
        "",
    ]
    assert done.err == "`hearth keep N` makes one the session, `hearth keep 0` none\n"
    assert commands(live) == [
        {"type": "try_variants", "variants": ["x = 3; x", "f()"], "time_limit": 9.0}
    ]


def test_files_are_variants_and_a_first_word_that_is_none_is_the_session(
    run: Run, live: FakeDaemon, here: str
) -> None:
    tries(live, GOOD, GOOD)
    Path(here, "a.py").write_text("\ufeffx = 1\nx\n", "utf-8")
    Path(here, "b.py").write_text("x = 2\n", "utf-8")
    for words in (["a.py", "b.py"], ["shop", "a.py", "b.py"], ["-s", "shop", "a.py", "b.py"]):
        assert run("try", *words).code == 0
        assert commands(live)[-1]["variants"] == ["x = 1\nx\n", "x = 2\n"]
    done = run("try", "--full", "a.py", "b.py")
    assert done.out.startswith("1  ok in 12 ms · sets x\n   x = 1 …\n   3  # int\n2  ok")
    assert run("try", "shop", "missing.py").code == 2
    Path(here, "c.py").write_bytes(b"\xff\xfe\xff")
    assert "c.py cannot be read: it is no UTF-8" in run("try", "c.py").err


def test_programs_are_told_all_and_none_that_ran_is_a_failure(run: Run, live: FakeDaemon) -> None:
    tries(live, BAD, BAD)
    done = run("try", "-e", "f()", "-e", "g()", "--json")
    assert done.code == 1
    told = {"session": SESSION, "cell": "c4", "ok": False, "problem": "", "results": [BAD, BAD]}
    assert done.json == told
    assert run("try", "-e", "f()").code == 1


def test_what_is_in_the_way_is_told_with_the_way_out(run: Run, live: FakeDaemon) -> None:
    tries(live, problem="a socket is open")
    done = run("try", "-e", "1")
    assert (done.code, done.out) == (1, "")
    assert "nothing was tried: a socket is open" in done.err
    assert "hint: `hearth fork --how replay`" in done.err
    remedy = ["keep_variant"]
    live.does(COMMANDS, lambda _: refusal("not_now", remedy=remedy))
    done = run("try", "-e", "1")
    assert done.code == 4
    assert "`hearth keep N` keeps one of the variants" in done.err


@pytest.mark.parametrize("words", [["try"], ["try", "shop"], ["try", *["-e", "1"] * 17]])
def test_nothing_and_too_much_cannot_be_tried(run: Run, live: FakeDaemon, words: list[str]) -> None:
    assert run(*words).code == 2
    assert commands(live) == []


def test_a_file_that_there_is_not_is_named(run: Run, live: FakeDaemon) -> None:
    done = run("try", "missing.py")
    assert done.code == 2
    assert "there is nothing to try: there is no file missing.py\n" in done.err
    assert commands(live) == []


def test_a_first_word_that_is_neither_a_file_nor_a_session_may_be_a_slip_of_both(
    run: Run, live: FakeDaemon, here: str
) -> None:
    Path(here, "b.py").write_text("x = 2\n", "utf-8")
    live.does("GET /sessions/typo.py", lambda _: refusal("unknown_session", 404))
    done = run("try", "typo.py", "b.py")
    assert done.code == 4
    assert "hint: try something else; no file is called so either\n" in done.err
    assert commands(live) == []


def test_one_is_kept_or_none(run: Run, live: FakeDaemon) -> None:
    live.on(COMMANDS, {"envelopes": [{"event": {"type": "session_ready"}}]})
    assert run("keep", "2").out == "variant 2 is the session now\n"
    assert run("keep", "shop", "2", "--json").json == {"session": SESSION, "kept": 2}
    live.on(COMMANDS, {"envelopes": [{"event": {"type": "variants_dropped"}}]})
    assert run("keep", "none").out == "no variant was kept: the session is as it was\n"
    assert [one["variant"] for one in commands(live)] == [2, 2, 0]
    live.on(COMMANDS, {"envelopes": [{"event": {"type": "session_faulted"}}]})
    done = run("keep", "1")
    assert done.code == 1
    assert "variant 1 could not take the session's place" in done.err
    gone = {"type": "variants_dropped", "reason": "its interpreter has ended"}
    live.on(COMMANDS, {"envelopes": [{"event": gone}]})
    done = run("keep", "1")
    assert done.code == 1
    assert "could not take the session's place: its interpreter has ended" in done.err
    for word in ("17", "x", "-", "²"):
        assert run("keep", word).code == 2
