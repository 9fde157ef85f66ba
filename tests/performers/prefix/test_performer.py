import asyncio
import json
import logging
from hashlib import sha256
from pathlib import Path

import pytest
from tests.performers.tools.staging import Heard, Pretended

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.core.vocabulary.effects import StopWorker
from hearth.core.vocabulary.ids import SessionId, TurnId
from hearth.core.vocabulary.lines import Instruction, TurnLimits
from hearth.core.vocabulary.modelling import PrefixFailed, PrefixPrepared, PreparePrefix
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.reports import EffectFailed
from hearth.performers.prefix.knowledge import Knowledge
from hearth.performers.prefix.performer import LiveNames, Prefixes
from hearth.performers.prefix.system_text import base_text
from hearth.performers.tools.add_knowledge import AddKnowledge
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Scene
from hearth.settings.agents import AgentSettings, agents_settings
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.schema import DEFAULT_MODEL

TURN = TurnId("t1")
SESSION = SessionId("session-1")
AT = "2026-01-02T03:04:05+00:00"


class Place:
    """A project, and who prepares turns in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.below = self.root / "below"
        (self.root / ".git").mkdir(parents=True)
        self.below.mkdir()
        self.mine = folder / "hearth.jsonc"
        self.trusted = True
        keeper = SettingsKeeper(self.mine, {}, trusted=lambda _: self.trusted)
        self.settings = agents_settings(keeper)
        self.prefixes = self.anew()

    def anew(self, live_names: LiveNames | None = None, **wishes: float) -> Prefixes:
        registry = Registry([AddKnowledge(self.settings)])
        return Prefixes(
            self.settings, registry, live_names, spill_folder="/spilled", patience=5.0, **wishes
        )

    async def report(self, **asked: object) -> PrefixPrepared | PrefixFailed:
        heard = Heard()
        config = SessionConfig(directory=str(self.below))
        effect = PreparePrefix(**{"turn": TURN, "config": config, **asked})  # type: ignore[arg-type] # wishes of tests
        async with asyncio.timeout(30):
            await self.prefixes.perform(SESSION, effect, heard)
        [report] = heard.reports
        assert isinstance(report, PrefixPrepared | PrefixFailed)
        assert report.turn == TURN
        return report

    async def prepared(self, **asked: object) -> PrefixPrepared:
        report = await self.report(**asked)
        assert isinstance(report, PrefixPrepared)
        return report


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_turn_knows_its_model_its_text_its_tools_and_its_limits(place: Place) -> None:
    found = await place.prepared()
    assert found.choice.name == f"anthropic:{DEFAULT_MODEL}"
    assert found.choice.effort is Effort.MAX
    assert found.prefix.system == base_text()
    names = [one["name"] for one in json.loads(found.prefix.tools)]
    assert names == [
        "add_knowledge",
        "check_code",
        "compact_conversation",
        "inspect",
        "keep_variant",
        "run_code",
        "tasks",
        "try_code",
        "undo_code",
    ]
    assert found.prefix.read_only == ("check_code", "inspect")
    assert found.prefix.instructions == ()
    assert found.limits == TurnLimits(spill_folder="/spilled")
    assert found.warnings == ()


async def test_what_is_set_holds(place: Place) -> None:
    place.mine.write_text(
        """{"model": "gpt-5", "effort": "low", "maxTurns": 3, "maxRetries": 2,
        "systemPrompt": "mine", "instructions": ["more"],
        "compaction": {"enabled": false, "reserveTokens": 7, "keepRecentTokens": 8},
        "knowledge": {"nudgeInterval": 4}}"""
    )
    found = await place.prepared()
    assert (found.choice.name, found.choice.effort) == ("openai:gpt-5", Effort.LOW)
    assert found.prefix.system == "mine\n\nmore"
    assert found.limits == TurnLimits(
        max_steps=3,
        max_retries=2,
        compaction=False,
        reserve_tokens=7,
        keep_recent_tokens=8,
        spill_folder="/spilled",
        nudge_interval=4,
    )
    asked = await place.prepared(model="claude-opus-4-1", effort=Effort.NONE)
    assert (asked.choice.provider, asked.choice.effort) == ("anthropic", Effort.NONE)


@pytest.mark.promise("DL-INST-06")
async def test_instruction_files_are_told_and_named_with_their_hash(place: Place) -> None:
    (place.root / "AGENTS.md").write_text("use make")
    (place.below / "CLAUDE.md").write_text("x" * 40_000)
    found = await place.prepared()
    general = Instruction("AGENTS.md", sha256(b"use make").hexdigest(), 8)
    near = Instruction("below/CLAUDE.md", sha256(b"x" * 32_768).hexdigest(), 40_000, truncated=True)
    assert found.prefix.instructions == (general, near)
    assert "from AGENTS.md:\n\nuse make" in found.prefix.system
    assert found.prefix.system.index("use make") < found.prefix.system.index("xxx")
    assert found.warnings == ("below/CLAUDE.md is too long: the agent is told its first part only",)


@pytest.mark.promise("DL-INST-06", "DP-WIRE-06")
async def test_the_same_project_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        place = Place(tmp_path / name)
        (place.root / "AGENTS.md").write_text("use make")
        Knowledge(place.root).add("a fact", AT, "s")
        found.append((await place.prepared()).prefix)
    assert found[0] == found[1]
    assert str(tmp_path) not in found[0].system + found[0].tools


async def test_nothing_of_a_project_that_is_not_trusted_reaches_the_model(place: Place) -> None:
    Knowledge(place.root).add("a planted fact", AT, "s")
    (place.root / "AGENTS.md").write_text("run this")
    (place.below / "AGENTS.md").write_text("and that")
    place.trusted = False
    found = await place.prepared()
    assert found.prefix.system == base_text()
    assert found.prefix.instructions == ()
    assert "add_knowledge" not in found.prefix.tools
    [warning] = found.warnings
    assert warning.startswith("AGENTS.md, below/AGENTS.md are not told to the agent")
    assert "`hearth trust`" in warning
    assert (await place.prepared()).warnings == (), "once is enough"
    place.trusted = True
    trusted = await place.prepared()
    assert "run this" in trusted.prefix.system
    assert "a planted fact" in trusted.prefix.system
    place.trusted = False
    assert (await place.prepared()).warnings == found.warnings, "it is news again"


async def test_a_bare_session_is_told_nothing_of_where_it_is(place: Place) -> None:
    (place.root / "AGENTS.md").write_text("use make")
    (place.root / "hearth.jsonc").write_text('{"model": "gpt-5"}')
    config = SessionConfig(directory=str(place.root), mode=SessionMode.BARE)
    found = await place.prepared(config=config)
    assert (found.prefix.system, found.prefix.instructions) == (base_text(), ())
    assert found.choice.provider == "anthropic"
    assert "add_knowledge" not in found.prefix.tools
    assert found.warnings == ()


@pytest.mark.promise("DL-KNOW-01")
async def test_what_was_noted_is_told_within_its_budget(place: Place) -> None:
    for number in range(200):
        Knowledge(place.root).add(f"fact {number}", AT, "s")
    found = await place.prepared()
    assert "\n- fact 0\n" in found.prefix.system
    assert found.prefix.system.endswith("- fact 199")
    place.mine.write_text('{"knowledge": {"injectionBudget": 100}}')
    less = await place.prepared()
    assert "- fact 199" in less.prefix.system
    assert "- fact 0\n" not in less.prefix.system
    place.mine.write_text('{"knowledge": {"enabled": false, "nudgeInterval": 5}}')
    none = await place.prepared()
    assert none.prefix.system == base_text()
    assert "add_knowledge" not in none.prefix.tools
    assert none.limits.nudge_interval == 0, "nobody is reminded of what cannot be done"


async def test_notes_that_cannot_be_read_are_told_and_cost_no_turn(place: Place) -> None:
    Knowledge(place.root).file.mkdir(parents=True)
    found = await place.prepared()
    assert found.prefix.system == base_text()
    [warning] = found.warnings
    assert "cannot be read" in warning


async def test_live_names_are_told_when_they_are_asked_for(place: Place) -> None:
    async def live_names(session: SessionId) -> tuple[str, ...]:
        assert session == SESSION
        return ("frame: DataFrame", "a: int")

    place.prefixes = place.anew(live_names)
    without = await place.prepared()
    assert "frame" not in without.prefix.system
    found = await place.prepared(with_names=True)
    assert found.prefix.system.endswith("- a: int\n- frame: DataFrame")


async def test_names_that_cannot_be_had_cost_no_turn(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_session: SessionId) -> tuple[str, ...]:
        raise RuntimeError("busy")

    async def silent(_session: SessionId) -> tuple[str, ...]:
        await asyncio.Event().wait()
        raise AssertionError("nobody wakes it")

    for prefixes in (
        place.anew(broken),
        Prefixes(place.settings, Registry(), silent, patience=0.0),
        place.anew(None),
    ):
        place.prefixes = prefixes
        with caplog.at_level(logging.WARNING):
            found = await place.prepared(with_names=True)
        assert found.prefix.system == base_text()
    assert caplog.text.count("cannot be told") == 2


async def test_notes_and_names_are_no_reason_to_begin_a_prefix_anew(place: Place) -> None:
    async def live_names(_session: SessionId) -> tuple[str, ...]:
        return ("a: int",)

    place.prefixes = place.anew(live_names)
    before = await place.prepared()
    Knowledge(place.root).add("a fact", AT, "s")
    after = await place.prepared(with_names=True)
    assert before.prefix.system != after.prefix.system
    assert before.prefix.digest == after.prefix.digest


async def test_instructions_tools_settings_and_the_model_are_a_reason(place: Place) -> None:
    digests = {(await place.prepared()).prefix.digest}
    digests.add((await place.prepared(model="claude-opus-4-1")).prefix.digest)
    (place.root / "AGENTS.md").write_text("use make")
    digests.add((await place.prepared()).prefix.digest)
    (place.root / "AGENTS.md").write_text("use just")
    digests.add((await place.prepared()).prefix.digest)
    place.mine.write_text('{"instructions": ["more"]}')
    digests.add((await place.prepared()).prefix.digest)
    place.mine.write_text('{"instructions": ["more"], "knowledge": {"enabled": false}}')
    digests.add((await place.prepared()).prefix.digest)
    assert len(digests) == 6


async def test_another_protocol_is_a_reason_for_it_sends_other_bytes(place: Place) -> None:
    there = '"baseUrl": "http://127.0.0.1:8000/v1"'
    digests = set()
    for dialect in ("chat", "responses", "anthropic"):
        place.mine.write_text(f'{{"provider": {{"custom": {{{there}, "dialect": "{dialect}"}}}}}}')
        digests.add((await place.prepared(model="custom:x")).prefix.digest)
    assert len(digests) == 3


@pytest.mark.parametrize("model", ["llama3", "nobody:x", "custom:x", "anthropic:"])
async def test_a_model_that_nobody_can_name_ends_the_turn_with_a_hint(
    place: Place, model: str
) -> None:
    found = await place.report(model=model)
    assert isinstance(found, PrefixFailed)
    assert "like" in found.why


async def test_whatever_goes_wrong_is_a_report_and_no_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_directory: str) -> AgentSettings:
        raise RuntimeError("the settings are gone")

    heard = Heard()
    prefixes = Prefixes(broken, Registry([Pretended()]))
    with caplog.at_level(logging.ERROR):
        await prefixes.perform(SESSION, PreparePrefix(TURN, SessionConfig()), heard)
    assert heard.reports == [
        PrefixFailed(TURN, "the turn could not be prepared: RuntimeError: the settings are gone")
    ]
    await prefixes.perform(SESSION, StopWorker(1), heard)
    assert isinstance(heard.reports[-1], EffectFailed)
    await prefixes.close()


class Elsewhere:
    """A source that needs to be prepared."""

    def __init__(self) -> None:
        self.seen: list[Scene] = []

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        self.seen.append(scene)
        return ("one of its servers is broken",)

    def tools(self, _scene: Scene) -> tuple[Pretended, ...]:
        return (Pretended("s__tool"),) if self.seen else ()

    def tool(self, _name: str, _scene: Scene) -> None:
        return None


async def test_a_source_is_prepared_before_its_tools_are_told(place: Place) -> None:
    source = Elsewhere()
    place.prefixes = Prefixes(place.settings, Registry(sources=[source]))
    found = await place.prepared(model="openai:gpt-5")
    assert "s__tool" in [one["name"] for one in json.loads(found.prefix.tools)]
    assert found.warnings == ("one of its servers is broken",)
    (scene,) = source.seen
    assert (scene.session, scene.root, scene.agent) == (SESSION, str(place.root), "openai:gpt-5")
    assert (await place.prepared()).warnings == (), "once is enough"
