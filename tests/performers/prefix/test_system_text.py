import re

import pytest

from hearth.performers.prefix.system_text import (
    MOST_NAMES,
    base_text,
    joined,
    manifest,
    system_text,
)
from hearth.settings.agents import AgentSettings
from hearth.settings.instructions import InstructionFile

GENERAL = InstructionFile("AGENTS.md", "use make\n", "s", 9)
SESSION_TOOLS = ("run_code", "inspect", "check_code")
NEAR = InstructionFile("a/CLAUDE.md", "be kind", "s", 7)


@pytest.mark.promise("DL-INST-03", "DL-INST-06")
def test_the_base_comes_first_then_files_then_what_settings_say() -> None:
    settings = AgentSettings("m", instructions=("Answer in French.", "Be brief."))
    assert system_text(settings, (GENERAL, NEAR)) == (
        f"{base_text()}\n\n"
        "Instructions of this project, from AGENTS.md:\n\nuse make\n\n"
        "Instructions of this project, from a/CLAUDE.md:\n\nbe kind\n\n"
        "Answer in French.\n\nBe brief."
    )


@pytest.mark.promise("DL-INST-06")
def test_a_prompt_of_ones_own_stands_in_the_place_of_hearths() -> None:
    text = system_text(AgentSettings("m", system_prompt="You are a duck."), (GENERAL,))
    assert text.startswith("You are a duck.\n\nInstructions of this project, from AGENTS.md:")
    assert "hearth" not in text


@pytest.mark.promise("DP-WIRE-06")
def test_hearths_own_text_is_the_same_everywhere_and_always() -> None:
    text = base_text()
    assert len(text) < 2000
    assert not re.search(r"\d|/|\{|%", text), "no date, no path, nothing that is filled in"
    for tool in SESSION_TOOLS:
        assert f"`{tool}`" in text


@pytest.mark.promise("DP-TOOL-09")
@pytest.mark.parametrize("off", SESSION_TOOLS)
def test_nothing_is_said_about_a_tool_that_is_switched_off(off: str) -> None:
    text = system_text(AgentSettings("m"), (), switched_off=(off,))
    assert off not in text
    assert all(f"`{tool}`" in text for tool in SESSION_TOOLS if tool != off)


def test_live_names_are_told_sorted_and_not_by_the_thousand() -> None:
    assert manifest(()) == ""
    assert manifest(("b: int", "a: list")) == (
        "These names live in the interpreter now:\n- a: list\n- b: int"
    )
    many = manifest([f"n{number:04}: int" for number in range(500)]).splitlines()
    assert len(many) == MOST_NAMES + 2
    assert many[-1] == "- and 300 more"
    long = manifest(["x\ny: " + "t" * 1000])
    assert len(long.splitlines()) == 2
    assert len(long) < 300
    assert manifest(["\ud800: int"]).endswith("- ?: int")


def test_parts_that_say_nothing_are_left_out() -> None:
    assert joined("a\n", "", " \n", "b") == "a\n\nb"
