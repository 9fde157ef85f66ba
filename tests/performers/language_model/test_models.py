"""The table of models is in order."""

import re

import pytest
from tests.repo.tree import DOCS

from hearth.performers.language_model.capabilities import Capabilities, capabilities
from hearth.performers.language_model.models import CLAUDE_OTHER, DEEPSEEK_ECHOED, FAMILIES, Row

ROWS = [(family, row) for family, rows in FAMILIES.items() for row in rows]


@pytest.mark.parametrize("family", FAMILIES)
def test_generations_stand_in_their_order(family: str) -> None:
    generations = [row.since for row in FAMILIES[family]]
    assert generations
    assert generations == sorted(set(generations))


@pytest.mark.parametrize("row", [*(row for _, row in ROWS), CLAUDE_OTHER, DEEPSEEK_ECHOED])
def test_a_line_says_nothing_impossible(row: Row) -> None:
    assert 0 < row.max_output <= row.window // 2, "half of it is for what is asked"
    assert row.min_cache > 0
    ladder = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert list(row.efforts) == [word for word in ladder if word in row.efforts]
    assert row.thinking != "adaptive" or row.efforts, "it is told by effort how much to think"


def test_only_claudes_are_asked_to_think_in_anthropics_words() -> None:
    assert {family.partition("-")[0] for family, row in ROWS if row.thinking != "none"} == {
        "claude"
    }


def test_the_page_for_people_says_what_the_table_says() -> None:
    page = (DOCS / "guides" / "models.md").read_text("utf-8")
    lines = re.findall(r"^\| `?([\w.\- ]+?)`? \| ([\d,]+) \| ([\d,]+) \| (\w+)", page, re.MULTILINE)
    assert len(lines) > 20
    assert {(name, *_told(name)) for name, *_ in lines} == set(lines)
    assert lines[-1] == ("any other model", *_told("")), "what is left comes last"


def _told(name: str) -> tuple[str, str, str]:
    known = capabilities("anthropic", name) if name else Capabilities()
    asked = "a" if known.thinking == "budget" else "effort" if known.efforts else "nothing"
    return f"{known.window:,}", f"{known.max_output:,}", asked
