"""What the demo tells is a valid script, fits a terminal, and is true."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from hearth.core.vocabulary.ids import block_id
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Returned,
    SaidText,
    ToolMessage,
    UserMessage,
)
from hearth.demo.story import ADD, DRAW, FAST, FIRST, LOOK, SCRIPT, SECOND, lay_out, sales
from hearth.performers.language_model.scripted_scenes import ENDED, Memory, played, script_at

COLUMNS = 80
BLOCK = block_id(1)


def test_the_folder_has_what_the_agent_uses(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, FAST, "png")
    assert {one.name for one in folder.iterdir()} == {".git", "sales.csv", "bars.py", SCRIPT}
    script = script_at(SCRIPT, str(folder))
    codes = [call.arguments for scene in script for call in scene.calls]
    assert {"code": LOOK} in codes
    assert any('"png"' in str(code) for code in codes)


def test_what_is_said_about_the_months_is_so() -> None:
    with_returns, without = Counter[str](), Counter[str]()
    for row in csv.DictReader(sales().splitlines()):
        with_returns[row["month"]] += int(row["amount"])
        without[row["month"]] += max(0, int(row["amount"]))
    assert with_returns.most_common(1)[0][0] == "May"
    assert without.most_common(1)[0][0] == "Jun"


def test_everything_fits_into_a_terminal(tmp_path: Path) -> None:
    script = script_at(SCRIPT, str(lay_out(tmp_path, FAST, "svg")))
    told = [scene.text for scene in script] + [scene.thinking for scene in script]
    code = [ADD % FAST.row, DRAW % "svg", LOOK]
    assert max(len(line) for text in (*told, *code) for line in text.split("\n")) < COLUMNS


@pytest.mark.parametrize("heard_after", [0, 1, 2])
def test_whenever_ann_speaks_up_she_is_answered(tmp_path: Path, heard_after: int) -> None:
    script = script_at(SCRIPT, str(lay_out(tmp_path, FAST, "svg")))
    memory, said = Memory(), list[str]()
    memory.take(UserMessage(BLOCK, FIRST))
    while True:
        scene = played(script, memory)
        said.append(scene.text)
        memory.take(AssistantMessage(BLOCK, (SaidText(scene.text),)))
        if not scene.calls:
            break
        drawn = "Jan ███ 1" if "Bars" in str(scene.calls) else "15 rows"
        memory.take(ToolMessage(BLOCK, (Returned("x", "run_code", drawn),)))
        if len(said) == heard_after + 1:
            memory.take(UserMessage(BLOCK, SECOND))
    assert said[heard_after + 1].startswith("Without the returns")
    assert said[-1].startswith("There it is.")
    assert ENDED not in said
