"""What the README shows and tells newcomers to do is what they see when they do it."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.clients.repl.screens import at_a_seat
from tests.journeys.homes import a_home

README: Final = Path(__file__).parents[2] / "README.md"
VARIES: Final = (
    (re.compile(r"^\S+ · session-\w{6} · .*$"), "NAME · SESSION · FOLDER"),
    (re.compile(r"Python( 3(\.\d+)+)?"), "PYTHON"),
    (re.compile(r"\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"(in|after) [\d.]+ m?s *"), r"\1 SOME ms "),
    (re.compile(r"(warming up|ready)"), "STATE"),
    (re.compile(r"last used [^·]+ ·"), "last used WHEN ·"),
    (re.compile(r"(anthropic|scripted):[^ ]+"), "MODEL"),
    (re.compile(r"[\d.]+k? (tokens in|of them cached|out)"), r"SOME \1"),
    (re.compile(r"· [\d.]+ m?s$"), "· SOME ms"),
)
ANSWERS: Final = (
    {
        "text": "I look at how far each of them is from the median.",
        "calls": [
            {
                "name": "run_code",
                "arguments": {"code": "{p: p - sorted(prices)[1] for p in prices}"},
            }
        ],
    },
    {"text": "42: it is 23 above the median, the others are 14 away at most."},
)
"""What Claude said, played from a script."""


EDIT: Final = (
    {"calls": [{"name": "read_file", "arguments": {"path": "shop.py"}}]},
    {
        "calls": [
            {
                "name": "edit_file",
                "arguments": {
                    "path": "shop.py",
                    "edits": [{"old": "    return x", "new": "    return round(x, 2)"}],
                },
            }
        ]
    },
)


DONE: Final = re.compile(r"t1 done[^\n]*\n>>>[ ]*$", re.MULTILINE)
"""The turn is over and the next prompt stands below it, whatever stands below that."""


def shown_in_readme(place: int = 0) -> str:
    whole = README.read_text("utf-8")
    return str(re.findall(r"^```console\n(.*?)^```", whole, re.MULTILINE | re.DOTALL)[place])


def alike(text: str) -> list[str]:
    """The lines without what is another each time."""
    lines = []
    for line in text.splitlines():
        for pattern, word in VARIES:
            line = pattern.sub(word, line)  # noqa: PLW2901 - bit by bit
        lines.append(line.rstrip())
    return lines


@pytest.mark.slow
def test_the_readme_shows_what_the_prompt_shows(tmp_path: Path) -> None:
    wanted = shown_in_readme()
    code = [line[4:] for line in wanted.splitlines() if line.startswith(">>> ")]
    (prompt,) = (line for line in wanted.splitlines() if line.startswith("ask > "))
    script = tmp_path / "answers.json"
    script.write_text(json.dumps(ANSWERS), "utf-8")
    with a_home(tmp_path) as home:
        words = [sys.executable, "-m", "hearth"]
        surroundings = {**home.environment, "HEARTH_MODEL": f"scripted:{script}"}
        with at_a_seat(words, surroundings, home.project) as seat:
            seat.until(">>>")
            for line in code:
                seat.type(f"{line}\r")
            seat.until("66  # int")
            seat.type(f"{prompt.removeprefix('ask ')}\r")
            screen = alike(seat.until(DONE.search))
    missing = [line for line in alike(wanted) if line not in screen]
    assert missing == [], "\n".join(screen)


@pytest.mark.slow
def test_the_readme_shows_how_a_person_is_asked(tmp_path: Path) -> None:
    command, _, wanted = shown_in_readme(1).partition("\n")
    script = tmp_path / "edit.json"
    script.write_text(json.dumps(EDIT), "utf-8")
    with a_home(tmp_path) as home:
        (home.project / "shop.py").write_text("def price(x):\n    return x\n", "utf-8")
        words = [sys.executable, "-m", "hearth", *shlex.split(command.removeprefix("$ hearth "))]
        surroundings = {**home.environment, "HEARTH_MODEL": f"scripted:{script}"}
        with at_a_seat(words, surroundings, home.project) as seat:
            screen = alike(seat.until("no, and why:"))
    missing = [line for line in alike(wanted) if line not in screen]
    assert missing == [], "\n".join(screen)


@pytest.mark.slow
def test_the_readme_shows_how_cells_are_taken_back_and_tried(tmp_path: Path) -> None:
    wanted = shown_in_readme(2)
    # What was said before the next line is typed: a prompt takes lines while a cell runs.
    typed = [part.strip().splitlines() for part in wanted.split(">>> ")[1:]]
    with a_home(tmp_path) as home:
        words = [sys.executable, "-m", "hearth"]
        # How wide a terminal is, it says itself, unless whoever runs this says otherwise.
        surroundings = {k: v for k, v in home.environment.items() if k not in {"COLUMNS", "LINES"}}
        with at_a_seat(words, surroundings, home.project) as seat:
            # A cell that waits until it is ready would begin after what is chosen meanwhile.
            seat.until("· ready ·")
            for line, *said in typed:
                seat.type(f"{line}\r")
                seat.until(said[-1] if said else ">>>")
            screen = alike(seat.until(typed[-1][-1]))
    missing = [line for line in alike(wanted) if line not in screen]
    assert missing == [], "\n".join(screen)


@pytest.mark.slow
def test_whoever_has_no_key_is_answered_and_told_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "HEARTH_MODEL"):
        monkeypatch.delenv(name, raising=False)
    (line,) = re.findall(r"`(hearth ask --model scripted [^`]+)`", README.read_text("utf-8"))
    with a_home(tmp_path) as home:
        answered = home.hearth(*shlex.split(line)[1:])
        assert answered.returncode == 0
        assert "\nOut: 45\n" in answered.stdout
        refused = home.hearth("ask", "what does this project do?")
        assert refused.returncode == 1
        assert "ANTHROPIC_API_KEY" in refused.stderr
        assert refused.stdout == ""
