"""The bench works and measures all that has a limit. What it finds is not judged here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench import agents
from tests.repo.tree import BENCH, ROOT

FIGURES = (
    "appends one by one, SQLite FULL",
    "50 sessions appending at once",
    "acknowledgement at 1,000 events/s, p99",
    "worst delay of the event loop meanwhile",
    "replay of a log into state and views",
    "opening 1,000,000 events from a snapshot",
    "memory for that",
    "one event seen by 1,000 followers, p99",
    "a follower that never reads holds",
    "events/s beside a follower that never reads",
    "an idle session holds",
    "200 idle sessions compute",
    "a cell after 100,000 events",
    "start with 200 sessions, replayed",
    "new session ready, from the pool",
    "1+1 through the engine, settled, p50",
    "1+1 through the engine, settled, p99",
    "completion while a busy loop runs, p95",
    "completion while a busy loop runs, warm, p50",
    "completion while a sleep runs, p95",
    "completion while a sleep runs, warm, p50",
    "interrupt of while True: pass, p95",
    "interrupt of time.sleep(60), p95",
    "interrupt of await forever, p95",
    "a saved module of 200 lines is usable, p95",
    "processes after 10 sessions came and went",
    "files and descriptors, the same",
    "memory, the same",
    "worst delay of the loop as 50 MB are printed",
    "memory that this takes in the daemon",
    "of that, kept or counted",
    "a branch with 500 MB, until it answers",
    "memory that it takes until written to (PSS)",
    "ten variants that wait 0.3 s, tried at once",
    "processes after 200 branches came and went",
    "files and descriptors after those",
    "memory after those",
    "undo of a cell with 500 MB, until ready",
    "… with next to nothing in memory",
    "what a copy before it adds to a cell, p50",
    "… with 500 MB in memory, p50",
    "a cell once no copy is kept any more, p50",
    "hearth status, the whole command",
    "hearth on a fresh home, until it answers",
    "hearth a second time, until it answers",
    "1+1 over HTTP with Prefer: wait, p50",
    "the same, beside jupyter_server",
    "500 followers over SSE: streams that are whole",
    "500 followers over SSE: how late, p99",
    "500 followers over SSE: the daemon computes",
    "a follower that never reads: the daemon grows",
    "a follower that never reads: others late, p99",
    "a follower that never read: what it had missed",
    "an idle daemon holds",
    "an idle daemon computes over a minute",
    "a step with a tool that does nothing, p50",
    "a step with a tool that does nothing, p95",
    "the 200th step beside the 2nd",
    "the 200th of those beside the 2nd",
    "hearth ask until the first request, p50",
    "hearth ask -c until the first request, p50",
    "readable from the cache, least of 50 steps",
    "the same behind 185 KB, least of 50 steps",
    "of the request before, readable again, least",
    "disturbed: begins as the request before, least",
    "disturbed: of that, readable again, least",
    "100 followers of a model: who got every token",
    "… the slowest follower, p99",
    "200 tokens/s to 100 followers: daemon computes",
    "a step behind 50,000 blocks",
    "memory that the long one takes more",
    "memory that its steps take",
    "a verdict for 200 characters, p50",
    "a verdict for 200 characters, p99",
    "a verdict for 10,000 characters, worst kind",
    "everyday read-only commands that do not ask",
    "what the sandbox adds to `true`, p50",
    "grep over 100,000 lines, few match",
    "grep over 100,000 lines, many match",
    "diagnostics after an edit, ty and ruff, p95",
    "first paint after 100,000 events",
    "the newest item visible after 100,000 events",
    "weight of a page, packed, without images",
    "a token until it is on the screen, p95",
    "200 tokens/s: those that were on the screen",
    "200 tokens/s: the page's longest task",
    "nodes of a page after 100,000 events",
    "memory of its scripts after 100,000 events",
    "memory of the daemon for a tab",
    "… that shows a session of its own",
    "50 tabs of a busy session: daemon computes",
    "50 tabs of a busy session: worst delay",
    "50 tabs of a busy session: who saw its end",
)


def bench(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own script, with arguments written in this file
        [sys.executable, str(BENCH / "run.py"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=580,
    )


@pytest.mark.slow
@pytest.mark.timeout(600)  # all parts of the bench, one after the other, beside whatever else runs
def test_a_quick_run_prints_every_figure_and_leaves_nothing(tmp_path: Path) -> None:
    done = bench(tmp_path, "--quick")
    assert done.returncode == 0, done.stderr
    missing = [name for name in FIGURES if f"\n{name} " not in done.stdout]
    assert not missing, done.stdout
    assert "MISS" not in done.stdout
    assert list((tmp_path / "build").iterdir()) == []


def test_a_part_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    done = bench(tmp_path, "apend")
    assert done.returncode == 2
    assert "no part apend; parts are: append, acknowledge, replay" in done.stderr
    assert done.stdout == ""


def test_every_part_is_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guides" / "measuring.md").read_text("utf-8")
    refused = bench(ROOT, "?").stderr
    parts = refused.rpartition("parts are: ")[2].split(", ")
    assert len(parts) > 3
    assert [part for part in parts if f"\n| {part.strip()} |" not in guide] == []


def noted(number: int, outcome: str) -> str:
    shares = {"size": 9, "before": 0, "shared": 0, "readable": 0}
    line = {"number": number, "outcome": outcome, "at": 1.0, "ended": 2.0, "shares": shares}
    return json.dumps(line) + "\n"


def test_an_answer_whose_end_is_not_noted_yet_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text(noted(0, "open") + noted(0, "whole") + noted(1, "open"), "utf-8")

    def note_its_end(_: float) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(noted(1, "whole"))

    monkeypatch.setattr(agents, "sleep", note_its_end)
    record = agents.Record(tmp_path)
    assert len(record.so_far()) == 1
    assert len(record.new()) == 1
    assert record.new() == []
