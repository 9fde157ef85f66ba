from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.performers.tools.staging import SESSION, Heard, call

from hearth.performers.prefix.knowledge import LONGEST, Knowledge
from hearth.performers.tools.add_knowledge import AddKnowledge
from hearth.performers.tools.performer import Tools
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Scene
from hearth.settings.agents import AgentSettings

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def tool(*, trusted: bool = True, knowledge: bool = True) -> AddKnowledge:
    settings = AgentSettings("m", trusted=trusted, knowledge=knowledge)
    return AddKnowledge(lambda _: settings, lambda: NOW)


@pytest.mark.promise("DL-KNOW-01")
async def test_a_note_is_written_down_with_when_and_where_it_came_from(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    heard = Heard()
    tools = Tools(Registry([tool()]))
    said = '{"text": " use make ", "tags": ["a", "a", "b"]}'
    await tools.perform(SESSION, call("add_knowledge", said, directory=str(tmp_path)), heard)
    [note] = Knowledge(tmp_path).notes()
    assert (note.text, note.tags, note.origin) == ("use make", ("a", "b"), SESSION)
    assert note.at == "2026-01-02T03:04:05+00:00"
    assert heard.returned.result == f"Noted as {note.id}, for sessions that begin from now on."
    again = Heard()
    await tools.perform(SESSION, call("add_knowledge", said, directory=str(tmp_path)), again)
    assert again.returned.result == "That is noted already."
    assert not again.returned.is_error


@pytest.mark.promise("DL-KNOW-01")
@pytest.mark.parametrize(
    ("trusted", "knowledge", "root", "offered"),
    [
        (True, True, "/p", True),
        (False, True, "/p", False),
        (True, False, "/p", False),
        (True, True, "", False),
    ],
)
def test_it_is_offered_in_trusted_projects_unless_it_is_switched_off(
    *, trusted: bool, knowledge: bool, root: str, offered: bool
) -> None:
    one = tool(trusted=trusted, knowledge=knowledge)
    assert one.is_offered(Scene(SESSION, "/p", root)) is offered
    declared = Registry([one]).offered(Scene(SESSION, "/p", root)).declarations
    assert ("add_knowledge" in declared) is offered


async def test_where_it_is_not_offered_it_does_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    heard = Heard()
    tools = Tools(Registry([tool(trusted=False)]))
    said = call("add_knowledge", '{"text": "x"}', directory=str(tmp_path))
    await tools.perform(SESSION, said, heard)
    assert heard.returned.is_error
    assert not (tmp_path / ".hearth").exists()


@pytest.mark.parametrize(
    "said",
    [
        "{}",
        '{"text": ""}',
        '{"text": "  "}',
        f'{{"text": "{"x" * (LONGEST + 1)}"}}',
        '{"text": "x", "tags": "a"}',
        '{"text": "x", "tags": [""]}',
        '{"text": "x", "tags": ["1","2","3","4","5","6","7","8","9","10","11"]}',
    ],
)
async def test_what_is_no_note_is_not_noted(tmp_path: Path, said: str) -> None:
    (tmp_path / ".git").mkdir()
    heard = Heard()
    tools = Tools(Registry([tool()]))
    await tools.perform(SESSION, call("add_knowledge", said, directory=str(tmp_path)), heard)
    assert heard.returned.is_error
    assert Knowledge(tmp_path).notes() == ()


async def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".hearth").write_text("in the way")
    outcome = await tool().run({"text": "x"}, Scene(SESSION, str(tmp_path), str(tmp_path)))
    assert outcome.is_error
    assert outcome.text.startswith("Nothing was noted: ")
    assert "knowledge.jsonl" in outcome.text
