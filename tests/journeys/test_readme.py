"""What the README shows of the prompt is what the prompt shows."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.clients.repl.screens import at_a_seat
from tests.journeys.homes import Caller, a_home

from hearth.daemon.discovery import Found, find

README: Final = Path(__file__).parents[2] / "README.md"
VARIES: Final = (
    (re.compile(r"^\S+ · session-\w{6} · .*$"), "NAME · SESSION · FOLDER"),
    (re.compile(r"Python( 3(\.\d+)+)?"), "PYTHON"),
    (re.compile(r"\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"in [\d.]+ m?s"), "in SOME ms"),
    (re.compile(r"(warming up|ready)"), "STATE"),
    (re.compile(r"last used [^·]+ ·"), "last used WHEN ·"),
)
AGENT: Final = re.compile(
    r"^── c\d+  (?P<name>\w+) \(agent, http\) ──\n(?P<code>.*?)^──$", re.MULTILINE | re.DOTALL
)


def shown_in_readme() -> str:
    block = re.search(
        r"^```console\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert block is not None
    return block[1]


def alike(text: str) -> list[str]:
    """The lines without what is another each time."""
    lines = []
    for line in text.splitlines():
        for pattern, word in VARIES:
            line = pattern.sub(word, line)  # noqa: PLW2901 - bit by bit
        lines.append(line.rstrip())
    return lines


def run_as_agent(found: Found, name: str, code: str) -> None:
    person = Caller(found)
    token = person.ask("POST", "/tokens", {"name": name, "standing": "agent"})["token"]
    (row,) = person.ask("GET", "/sessions")["value"]["rows"]
    person.close()
    agent = Caller(found, token)
    command = {"type": "run_cell", "code": code}
    agent.ask("POST", f"/sessions/{row['session']}/commands", command, Prefer="wait=30")
    agent.close()


@pytest.mark.slow
def test_the_readme_shows_what_the_prompt_shows(tmp_path: Path) -> None:
    wanted = shown_in_readme()
    agent = AGENT.search(wanted)
    assert agent is not None
    typed = [line[4:] for line in wanted[: agent.start()].splitlines() if line[:4] == ">>> "]
    with a_home(tmp_path) as home:
        words = [sys.executable, "-m", "hearth"]
        with at_a_seat(words, home.environment, home.project) as seat:
            seat.until(">>>")
            for line in typed:
                seat.type(f"{line}\r")
            seat.until("66  # int")
            found = find(str(home.path))
            assert found is not None
            run_as_agent(found, agent["name"], agent["code"].rstrip("\n"))
            screen = alike(seat.until("c3 finished"))
    missing = [line for line in alike(wanted) if line not in screen]
    assert missing == [], "\n".join(screen)
