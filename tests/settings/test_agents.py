from pathlib import Path

import pytest

from hearth.core.vocabulary.lines import Dialect, TurnLimits
from hearth.core.vocabulary.prompting import Effort
from hearth.settings.agents import (
    USUAL_BUDGET,
    AgentSettings,
    ProviderSettings,
    agent_settings,
    agents_settings,
)
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.schema import DEFAULT_MODEL

THEIRS = "https://elsewhere.example"


class Place:
    """A person's file and a project's."""

    def __init__(self, folder: Path) -> None:
        self.mine = folder / "config" / "hearth.jsonc"
        self.root = folder / "project"
        self.theirs = self.root / "hearth.jsonc"
        (self.root / ".git").mkdir(parents=True)
        self.mine.parent.mkdir()

    def agent(
        self, environ: dict[str, str] | None = None, *, trusted: bool = True
    ) -> AgentSettings:
        keeper = SettingsKeeper(self.mine, environ or {}, trusted=lambda _: trusted)
        return agents_settings(keeper)(str(self.root))

    def anthropic(self, environ: dict[str, str] | None = None) -> ProviderSettings:
        return self.agent(environ).providers["anthropic"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_any_setting_an_agent_has_the_usual_limits(place: Place) -> None:
    usual = TurnLimits()
    found = place.agent()
    assert (found.model, found.effort, found.system_prompt) == (DEFAULT_MODEL, None, None)
    assert found.instructions == ()
    assert (found.max_steps, found.max_retries) == (usual.max_steps, usual.max_retries)
    assert (found.compaction, found.knowledge) == (True, True)
    assert (found.nudge_interval, found.injection_budget) == (0, USUAL_BUDGET)
    assert (found.root, found.trusted) == (str(place.root), True)
    assert found.providers["custom"] == ProviderSettings("custom")


def test_what_is_set_holds(place: Place) -> None:
    place.mine.write_text(
        """{"model": "m", "effort": "low", "systemPrompt": "s", "instructions": ["a"],
        "maxTurns": 3, "maxRetries": 2,
        "knowledge": {"enabled": false, "nudgeInterval": 4, "injectionBudget": 5},
        "compaction": {"enabled": false, "reserveTokens": 6, "keepRecentTokens": 7},
        "provider": {"custom": {"baseUrl": "http://h:1", "dialect": "responses",
                                "keyCommand": "pass show key", "keyFile": "custom.key",
                                "window": 8, "maxOutput": 3}}}"""
    )
    found = place.agent()
    assert (found.model, found.effort, found.system_prompt) == ("m", Effort.LOW, "s")
    assert (found.instructions, found.max_steps, found.max_retries) == (("a",), 3, 2)
    assert (found.knowledge, found.nudge_interval, found.injection_budget) == (False, 4, 5)
    assert (found.compaction, found.reserve_tokens, found.keep_recent_tokens) == (False, 6, 7)
    assert found.providers["custom"] == ProviderSettings(
        "custom",
        base_url="http://h:1",
        dialect=Dialect.RESPONSES,
        key_command="pass show key",
        key_file=str(place.mine.parent / "custom.key"),
        window=8,
        max_output=3,
    )


def test_a_path_from_home_or_from_the_top_stays_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    for said, meant in (
        ("~/k", "/home/me/k"),
        ("/etc/k", "/etc/k"),
        ("~nobody-of-this-name/k", f"{place.mine.parent}/~nobody-of-this-name/k"),
    ):
        place.mine.write_text(f'{{"provider": {{"anthropic": {{"keyFile": "{said}"}}}}}}')
        assert place.anthropic().key_file == meant


def test_no_key_is_in_the_text_of_an_object(place: Place) -> None:
    place.mine.write_text(
        '{"provider": {"anthropic": {"apiKey": "sk-secret", "keyCommand": "echo sk-secret"}}}'
    )
    assert place.anthropic().api_key == "sk-secret"
    assert "sk-secret" not in repr(place.agent())


def test_a_key_goes_to_an_address_that_the_person_set(place: Place) -> None:
    place.mine.write_text(f'{{"provider": {{"anthropic": {{"baseUrl": "{THEIRS}"}}}}}}')
    found = place.anthropic({"ANTHROPIC_API_KEY": "sk-mine"})
    assert (found.api_key, found.base_url, found.withheld) == ("sk-mine", THEIRS, "")


@pytest.mark.parametrize(
    ("mine", "environ"),
    [
        ("{}", {"ANTHROPIC_API_KEY": "sk-mine"}),
        ('{"provider": {"anthropic": {"apiKey": "sk-mine"}}}', {}),
        ('{"provider": {"anthropic": {"keyCommand": "echo sk-mine"}}}', {}),
        ('{"provider": {"anthropic": {"keyFile": "~/sk-mine"}}}', {}),
        (
            '{"provider": {"anthropic": {"apiKey": "sk-mine", "baseUrl": "https://my.example"}}}',
            {},
        ),
    ],
)
def test_a_persons_key_never_goes_to_an_address_that_a_project_sets(
    place: Place, mine: str, environ: dict[str, str]
) -> None:
    place.mine.write_text(mine)
    place.theirs.write_text(f'{{"provider": {{\n"anthropic": {{"baseUrl": "{THEIRS}"}}}}}}')
    found = place.anthropic(environ)
    assert found.base_url == THEIRS
    assert (found.api_key, found.key_command, found.key_file) == (None, None, None)
    assert THEIRS in found.withheld
    assert f"{place.theirs}:2" in found.withheld
    assert "your own hearth.jsonc" in found.withheld
    assert "sk-mine" not in repr(found)
    # Another provider's key is where it always was.
    assert place.agent({"OPENAI_API_KEY": "o"}).providers["openai"].api_key == "o"


def test_a_key_that_a_project_takes_from_the_environment_is_the_persons(place: Place) -> None:
    place.theirs.write_text(
        f'{{"provider": {{"custom": {{"baseUrl": "{THEIRS}", "apiKey": "{{env:SECRET}}"}}}}}}'
    )
    found = place.agent({"SECRET": "sk-mine"}).providers["custom"]
    assert (found.base_url, found.api_key) == (THEIRS, None)
    assert found.withheld
    # To the provider itself it may go: that is how teams name their variable.
    place.theirs.write_text('{"provider": {"custom": {"apiKey": "{env:SECRET}"}}}')
    assert place.agent({"SECRET": "sk-mine"}).providers["custom"].api_key == "sk-mine"


def test_an_address_of_a_project_gets_the_key_that_stands_beside_it(place: Place) -> None:
    place.theirs.write_text(
        f'{{"provider": {{"anthropic": {{"baseUrl": "{THEIRS}", "apiKey": "sk-theirs"}}}}}}'
    )
    found = place.anthropic({"ANTHROPIC_API_KEY": "sk-mine"})
    assert (found.base_url, found.api_key, found.withheld) == (THEIRS, "sk-theirs", "")


def test_an_address_that_person_and_project_agree_on_is_the_persons(place: Place) -> None:
    for file in (place.mine, place.theirs):
        file.write_text(f'{{"provider": {{"anthropic": {{"baseUrl": "{THEIRS}"}}}}}}')
    found = place.anthropic({"ANTHROPIC_API_KEY": "sk-mine"})
    assert (found.api_key, found.withheld) == ("sk-mine", "")


def test_an_address_of_a_project_without_any_key_is_no_trouble(place: Place) -> None:
    place.theirs.write_text(
        '{"provider": {"ollama": {"baseUrl": "http://127.0.0.1:11434", "window": 4096}}}'
    )
    found = place.agent().providers["ollama"]
    assert found == ProviderSettings("ollama", base_url="http://127.0.0.1:11434", window=4096)


def test_of_a_project_that_is_not_trusted_nothing_about_providers_counts(place: Place) -> None:
    place.theirs.write_text(
        f'{{"model": "theirs", "provider": {{"anthropic": {{"baseUrl": "{THEIRS}",'
        ' "apiKey": "sk-theirs", "dialect": "chat", "window": 5, "maxOutput": 2}}}'
    )
    found = place.agent({"ANTHROPIC_API_KEY": "sk-mine"}, trusted=False)
    assert (found.model, found.trusted) == (DEFAULT_MODEL, False)
    assert found.providers["anthropic"] == ProviderSettings("anthropic", api_key="sk-mine")


def test_without_a_directory_no_project_counts(place: Place) -> None:
    place.mine.write_text('{"model": "mine"}')
    keeper = SettingsKeeper(place.mine, {}, trusted=lambda _: True)
    found = agents_settings(keeper)("")
    assert (found.model, found.root, found.trusted) == ("mine", "", False)
    assert found == agent_settings(keeper.current())
