"""`hearth ask` as people use it: real processes, a real daemon, a scripted model."""

import json
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from tests.clients.cli.test_command_daemon import LIMIT, Place, placed, showing

SGR = re.compile(r"\x1b\[[0-9;]*[mK]")
SUM = [
    {
        "thinking": "They want a sum.\nThe interpreter knows it.",
        "text": "Let me **compute** that.",
        "calls": [{"name": "run_code", "arguments": {"code": "total = sum(range(10)); total"}}],
    },
    {"text": "It is `45`."},
]
SLOW = [{"text": "never to be " + "heard " * 600, "delay": 0.1}, {"text": "the next answer"}]
LOOP = [
    *[{"calls": [{"name": "run_code", "arguments": {"code": "1"}}]} for _ in range(3)],
    {"text": "out of the loop"},
]
WORDY = [{"text": "one two three", "when": "count"}]


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Where a daemon runs, and scripts lie for its models."""
    with placed() as made:
        for name, script in (("sum", SUM), ("slow", SLOW), ("loop", LOOP), ("wordy", WORDY)):
            (made.work / f"{name}.json").write_text(json.dumps(script), "utf-8")
        made.run("-d")
        yield made


@pytest.fixture
def folder(place: Place, request: pytest.FixtureRequest) -> Iterator[Place]:
    """A directory of its own, and so a session; nothing lives there in the end."""
    work = place.work / re.sub(r"\W", "_", request.node.name)[:40]
    work.mkdir()
    for script in place.work.glob("*.json"):
        (work / script.name).write_bytes(script.read_bytes())
    yield Place(place.home, work)
    for row in place.json("sessions")["sessions"]:
        place.run("stop-session", row["session"])


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.promise("LK-EMIT-02", "DL-CLI-05")
def test_an_agent_runs_code_in_the_session_of_the_directory(folder: Place) -> None:
    done = folder.run("ask", "-m", "scripted:sum.json", "the sum of ten numbers")
    assert done.stdout == "Let me **compute** that.\nIt is `45`.\n"
    assert "▸ run_code  total = sum(range(10)); total → 1 line: " in done.stderr
    assert "45" in done.stderr
    assert folder.run("run", "total").stdout == "45\n"


@pytest.mark.promise("DL-CLI-01", "DL-CLI-02", "DL-CLI-03")
def test_conversations_are_listed_and_continued(folder: Place) -> None:
    assert folder.run("ask", "--list").stdout == "No sessions found.\n"
    note = folder.run("ask", "-c", "-m", "scripted", "the first question").stderr
    assert "no conversation here to continue" in note
    folder.run("ask", "--new", "-m", "scripted", "another question")
    listed = folder.run("ask", "-l").stdout.splitlines()
    assert re.fullmatch(
        r"1\. \[\d{4}-\d\d-\d\d \d\d:\d\d\] another question \(2 messages\)", listed[0]
    )
    assert listed[1].endswith("the first question (2 messages)")
    again = folder.run("ask", "-c", "2", "-m", "scripted", "and then?")
    assert "the first question" in again.stderr
    assert (
        folder.run("ask", "-l").stdout.splitlines()[0].endswith("the first question (4 messages)")
    )


@pytest.mark.promise("DL-CLI-03")
def test_a_conversation_is_continued_by_its_id_and_by_its_name(folder: Place) -> None:
    folder.run("ask", "-s", "ledger", "-m", "scripted", "the first question")
    [first] = folder.json("ask", "-l")["conversations"]
    folder.run("ask", "--new", "-m", "scripted", "another question")
    for word in (first["session"], first["session"][:-1], "ledger"):
        done = folder.run("ask", "-c", word, "-m", "scripted", "hey")
        assert f"continuing {first['session']}: the first question" in done.stderr
    counts = {one["preview"]: one["messages"] for one in folder.json("ask", "-l")["conversations"]}
    assert counts == {"the first question": 8, "another question": 2}
    gone = folder.run("ask", "--continue=nobody", "hey", code=2)
    assert "there is no conversation nobody" in gone.stderr


@pytest.mark.promise("DL-MGR-03")
def test_a_conversation_is_taken_up_again_after_its_session_was_stopped(folder: Place) -> None:
    folder.run("ask", "-s", "shop", "-m", "scripted", "remember me")
    session = folder.json("ask", "-l")["conversations"][0]["session"]
    folder.run("stop-session", "shop")
    done = folder.run("ask", "-c", "-m", "scripted", "run: 6 * 7")
    assert f"continuing {session}: remember me" in done.stderr
    assert "42" in done.stdout
    assert folder.json("ask", "-l")["conversations"][0]["messages"] > 4


@pytest.mark.promise("DL-MGR-07")
def test_the_latest_conversation_goes_on_by_itself_if_that_is_set(fresh: Place) -> None:
    fresh.run("config", "set", "session.autoResume", "true")
    fresh.run("ask", "-m", "scripted", "the beginning")
    [before] = fresh.json("ask", "-l")["conversations"]
    fresh.run("stop-session", before["session"])
    done = fresh.run("ask", "-m", "scripted", "the end")
    assert f"continuing {before['session']}" in done.stderr
    [after] = fresh.json("ask", "-l")["conversations"]
    assert after["messages"] == 4


@pytest.fixture
def fresh() -> Iterator[Place]:
    """A home in which nothing runs yet."""
    with placed() as made:
        yield made


def test_programs_get_the_logs_own_lines(folder: Place) -> None:
    done = folder.run("ask", "--json", "-m", "scripted:sum.json", "the sum")
    told = lines(done.stdout)
    events = [one["event"]["type"] for one in told if "event" in one]
    assert events[0] == "turn_started"
    assert events[-1] == "turn_finished"
    assert {"cell_started", "cell_finished", "tool_started"} <= set(events)
    session = told[0]["session"]
    kept = folder.json("events", "--session", session, "--all")["events"]
    assert all(one in kept for one in told if "event" in one)
    written = "".join(
        one["progress"]["text"]
        for one in told
        if one.get("progress", {}).get("type") == "text_delta"
    )
    assert written == "Let me **compute** that.It is `45`."


@pytest.mark.promise("DL-CLI-05")
def test_a_terminal_shows_the_turn_as_it_goes(folder: Place) -> None:
    with showing(folder, "ask", "-m", "scripted:sum.json", "the sum") as screen:
        screen.until(r"tokens in")
        assert screen.end() == 0
        text = SGR.sub("", screen.text).replace("\r", "\n")
    shown = [line for line in text.splitlines() if line and line[0] not in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"]
    assert shown[0] == "· They want a sum. …"
    assert shown[1] == "Let me compute that."
    assert shown[2].startswith("▸ run_code  total = sum(range(10)); total → ")
    assert shown[3] == "It is 45."
    assert re.match(r"[\d,]+ tokens in.* out .*\d s$", shown[4])
    assert len(shown) == 5


@pytest.mark.promise("LK-CANC-02")
def test_an_interruption_cancels_the_turn_and_the_session_goes_on(folder: Place) -> None:
    with showing(folder, "ask", "-m", "scripted:slow.json", "go") as screen:
        screen.until("never to be")
        screen.type("\x03")
        assert screen.end() == 130
    assert "the next answer" in folder.run("ask", "-m", "scripted:slow.json", "and now?").stdout
    rows = folder.json("events", "--all")["events"]
    ends = [row["event"]["end"] for row in rows if row["event"]["type"] == "turn_finished"]
    assert ends[-2:] == ["cancelled", "done"]


@pytest.mark.promise("DP-TURN-01")
def test_an_agent_goes_on_when_its_client_is_killed(folder: Place) -> None:
    (folder.work / "slowly.json").write_text(
        json.dumps([{"text": "a b c d", "delay": 0.2}]), "utf-8"
    )
    with folder.begun("ask", "--json", "-m", "scripted:slowly.json", "go") as process:
        assert process.stdout is not None
        assert "turn_started" in process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait(LIMIT)
    session = folder.json("ask", "-l", "--all")["conversations"][0]["session"]
    with folder.begun("events", "--follow", "--all", "--session", session, "--json") as following:
        assert following.stdout is not None
        for line in following.stdout:
            event = json.loads(line)["event"]
            if event["type"] == "turn_finished":
                assert event["end"] == "done"
                break


def test_a_message_to_a_busy_agent_waits_and_is_taken_back_by_an_interruption(
    folder: Place,
) -> None:
    left = folder.json("ask", "--no-wait", "-m", "scripted:slow.json", "go")
    assert left["turn"] == "t1"
    with showing(folder, "ask", "-s", left["session"], "hurry") as screen:
        screen.until("it hears m1 next")
        screen.type("\x03")
        assert screen.end() == 130
    rows = folder.json("events", "--session", left["session"], "--all")["events"]
    kinds = [row["event"]["type"] for row in rows]
    assert "message_withdrawn" in kinds
    assert "turn_cancel_requested" not in kinds


def test_a_person_is_asked_where_there_is_one_and_told_how_to_answer_elsewhere(
    folder: Place,
) -> None:
    done = folder.run("ask", "-m", "scripted:loop.json", "go", code=6)
    assert "the agent waits for a person" in done.stderr
    assert folder.run("ask", "--answer", "yes").stdout == "out of the loop\n"
    with showing(folder, "ask", "--new", "-m", "scripted:loop.json", "go") as screen:
        screen.until(r"let it go on\?")
        screen.type("y\n")
        screen.until("out of the loop")
        assert screen.end() == 0


def test_a_fork_knows_what_was_said_and_leaves_the_trunk_alone(folder: Place) -> None:
    folder.run("ask", "-m", "scripted", "the trunk")
    [trunk] = folder.json("ask", "-l")["conversations"]
    done = folder.run("ask", "--fork", "-m", "scripted", "the branch")
    assert f"branches off from {trunk['session']}" in done.stderr
    found = folder.json("ask", "-l")["conversations"]
    assert [one["messages"] for one in found if one["session"] == trunk["session"]] == [2]
    [branch] = [one for one in found if one["session"] != trunk["session"]]
    assert branch["forked_from"] == trunk["session"]
    known = folder.json("sessions", "--all")["sessions"]
    for session in (trunk["session"], branch["session"]):
        wrong = folder.run("ask", "-s", session, "--fork", "b1", "no", code=1)
        assert wrong.stderr.count("Error: ") == 1
        assert "there is no block b1 in its conversation" in wrong.stderr
        assert "shows the blocks that there are" in wrong.stderr
    assert len(folder.json("sessions", "--all")["sessions"]) == len(known), "nothing is left behind"
    # Both can be meant by their names, and the folder still means the first.
    names = {one["session"]: one["name"] for one in known}
    assert names[branch["session"]] == f"{names[trunk['session']]}-2"
    folder.run("run", "where = 'trunk'")
    folder.run("run", "-s", names[branch["session"]], "where = 'branch'")
    assert folder.run("run", "-s", names[trunk["session"]], "where").stdout == "'trunk'\n"
    assert folder.run("run", "where").stdout == "'trunk'\n", "also where the fork was used last"


@pytest.mark.promise("DL-CLI-04")
def test_a_model_that_cannot_be_asked_is_an_error_with_a_hint(folder: Place) -> None:
    done = folder.run("ask", "-m", "nobody-knows-it", "hi", code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    done = folder.run("ask", "-m", "scripted:missing.json", "hi", code=1)
    assert "missing.json" in done.stderr


def test_what_is_piped_in_reaches_the_model(folder: Place) -> None:
    done = folder.run("ask", "-m", "scripted:wordy.json", "please", given="count to three\n")
    assert done.stdout == "one two three\n"


@pytest.mark.promise("DL-APPR-01", "DL-APPR-02")
def test_what_an_agent_asks_for_is_run_if_a_person_allows_it_from_anywhere(folder: Place) -> None:
    done = folder.run("ask", "-m", "scripted", "$ touch made", code=6)
    [row] = json.loads(folder.run("approvals", "--json", code=6).stdout)["approvals"]
    assert f"hearth approve {row['which']}" in done.stderr
    shown = folder.run("approvals", code=6).stdout
    assert "$ touch made" in shown
    assert 'write    "made"' in shown
    assert not (folder.work / "made").exists()
    assert "1 thing waits for you" in folder.run("status").stdout
    with showing(folder, "ask", "-m", "scripted", "and then?") as screen:
        screen.until(r"a1: allow it\?")
        folder.run("approve", row["which"], "go on")
        screen.until("run_shell.* went well")
        assert screen.end() == 0
    assert (folder.work / "made").exists()
    again = folder.run("approve", row["which"], code=4)
    assert "was allowed once already, by ann" in again.stderr
    assert "a1" in folder.run("permissions", "decisions").stdout


@pytest.mark.promise("DL-APPR-02", "DP-PERM-11")
def test_what_is_rejected_is_not_run_and_what_is_allowed_for_always_is_not_asked_again(
    folder: Place,
) -> None:
    folder.run("ask", "-m", "scripted", "$ touch never", code=6)
    folder.run("reject", "not", "this")
    folder.run("ask", "-m", "scripted", "are you done?")
    assert not (folder.work / "never").exists()
    with showing(folder, "ask", "-m", "scripted", "$ touch often") as screen:
        screen.until(r"allow it\?")
        screen.type("a\n")
        screen.until("Type yes to store it")
        screen.type("yes\n")
        screen.until("Exit code 0")
        assert screen.end() == 0
    assert (folder.work / "often").exists()
    folder.run("ask", "-m", "scripted", "$ touch often")  # nobody is asked
    grants = json.loads(folder.run("permissions", "list", "--json").stdout)["grants"]
    for one in grants:
        folder.run("permissions", "revoke", one["id"])
    folder.run("ask", "-m", "scripted", "$ touch often", code=6)
    folder.run("reject")


def test_files_go_back_to_what_they_were(folder: Place) -> None:
    (folder.work / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "0"\n')
    (folder.work / "kept.txt").write_text("before\n")
    folder.run("ask", "-m", "scripted", "$ rm kept.txt; touch made", code=6)
    folder.run("ask", "--answer", "yes")
    assert not (folder.work / "kept.txt").exists()
    preview = folder.run("rewind", "--preview").stdout
    assert "comes back    kept.txt" in preview
    assert "goes away     made" in preview
    folder.run("rewind", "--yes")
    assert (folder.work / "kept.txt").read_text() == "before\n"
    assert not (folder.work / "made").exists()
    folder.run("rewind", "--undo", "--yes")
    assert (folder.work / "made").exists()
