"""Whole turns: what is prepared, called and noted, through the engine and into the log."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contracts.allowing import Allowing

from hearth.api import Settled, settle
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeBlock, TextBlock, ToolResultBlock
from hearth.core.vocabulary.commands import CreateSession, SessionConfig
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.prompting import SendMessage
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.performers.language_model.keys import Keys
from hearth.performers.language_model.performer import Models
from hearth.performers.prefix.performer import Prefixes
from hearth.performers.tools.add_knowledge import AddKnowledge
from hearth.performers.tools.performer import Tools
from hearth.performers.tools.registry import Registry
from hearth.settings.agents import agents_settings
from hearth.settings.keeping import SettingsKeeper

ME = Origin(Actor.PERSON, "me")
ONE, TWO = SessionId("session-1"), SessionId("session-2")
LIMIT = 60


class Hall:
    """An engine whose agent is the scripted model, in a project."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        (self.root / ".git").mkdir(parents=True)
        self.trusted = True
        keeper = SettingsKeeper(folder / "hearth.jsonc", {}, trusted=lambda _: self.trusted)
        settings = agents_settings(keeper)
        registry = Registry([AddKnowledge(settings)])
        self.log = MemoryLog()

        async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            return await self.log.read_session(session, after, limit)

        async def fetch(digest: str) -> bytes:
            return await self.engine.fetch(digest)

        keys = Keys(lambda place: settings(place).providers, {})
        self.engine = Engine(
            self.log,
            (
                ScriptedInterpreter({}),
                Prefixes(settings, registry, spill_folder=str(folder / "spilled")),
                Allowing(),
                Tools(registry, fetch=fetch),
                Models(read, fetch, keys),
            ),
        )

    async def begin(self, session: SessionId) -> None:
        config = SessionConfig(directory=str(self.root))
        await settle(self.engine, session, CreateSession(config), ME)

    async def say(self, session: SessionId, script: list[dict[str, object]]) -> tuple[Event, ...]:
        """What a message leads to, if the model plays this."""
        file = self.root / "script.json"
        file.write_text(json.dumps(script))
        said = SendMessage("go", model=f"scripted:{file}")
        settled = await settle(self.engine, session, said, ME)
        assert isinstance(settled, Settled)
        return tuple(one.event for one in settled.envelopes)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Hall]:
    hall = Hall(folder)
    await hall.log.open()
    await hall.engine.open()
    try:
        async with asyncio.timeout(LIMIT):
            yield hall
    finally:
        await hall.engine.close()
        await hall.log.close()


def prefixes(events: tuple[Event, ...]) -> list[t.PrefixStarted]:
    return [one for one in events if isinstance(one, t.PrefixStarted)]


def contents(events: tuple[Event, ...]) -> list[object]:
    return [one.content for one in events if isinstance(one, t.BlockSealed)]


NOTES: list[dict[str, object]] = [
    {"calls": [{"name": "add_knowledge", "arguments": {"text": "tests run with make"}}]},
    {"text": "noted"},
]
SAYS: list[dict[str, object]] = [{"text": "hello"}]


@pytest.mark.promise("DL-KNOW-01")
async def test_what_one_session_notes_the_next_one_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as hall:
        await hall.begin(ONE)
        first = await hall.say(ONE, NOTES)
        [result] = [one for one in contents(first) if isinstance(one, ToolResultBlock)]
        assert (result.name, result.is_error) == ("add_knowledge", False)
        assert TextBlock("noted") in contents(first)
        assert "tests run with make" not in str(prefixes(first)[0].system)
        # The conversation that noted it goes on in its cache.
        assert prefixes(await hall.say(ONE, SAYS)) == []
        await hall.begin(TWO)
        [started] = prefixes(await hall.say(TWO, SAYS))
        assert "- tests run with make" in str(started.system)


@pytest.mark.promise("DL-INST-06")
async def test_instructions_are_in_the_log_with_their_hash_and_a_change_is_a_reason(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as hall:
        (hall.root / "AGENTS.md").write_text("use make")
        await hall.begin(ONE)
        [started] = prefixes(await hall.say(ONE, SAYS))
        assert [(one.path, one.size) for one in started.instructions] == [("AGENTS.md", 8)]
        assert "use make" in str(started.system)
        (hall.root / "AGENTS.md").write_text("use just")
        [changed] = prefixes(await hall.say(ONE, SAYS))
        assert changed.epoch == 2
        assert "instructions" in changed.reason


async def test_what_is_not_trusted_is_told_to_people_and_not_to_the_model(tmp_path: Path) -> None:
    async with opened(tmp_path) as hall:
        hall.trusted = False
        (hall.root / "AGENTS.md").write_text("run this")
        await hall.begin(ONE)
        said = await hall.say(ONE, NOTES)
        assert "run this" not in str(prefixes(said)[0].system)
        notices = [one.text for one in contents(said) if isinstance(one, NoticeBlock)]
        assert any("AGENTS.md is not told to the agent" in text for text in notices)
        [result] = [one for one in contents(said) if isinstance(one, ToolResultBlock)]
        assert result.is_error
        assert not (hall.root / ".hearth").exists()


async def test_a_model_that_nobody_knows_ends_the_turn_with_a_hint(tmp_path: Path) -> None:
    async with opened(tmp_path) as hall:
        await hall.begin(ONE)
        settled = await settle(hall.engine, ONE, SendMessage("go", model="llama3:8b"), ME)
        assert isinstance(settled, Settled)
        end = settled.outcome.event
        assert isinstance(end, t.TurnFinished)
        assert end.end is t.TurnEnd.FAILED
        rows = await hall.log.read_session(ONE)
        assert "ollama:llama3:8b" in str([codec.envelope(row).event for row in rows])
