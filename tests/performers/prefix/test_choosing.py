import pytest

from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.capabilities import capabilities
from hearth.performers.prefix.choosing import DIALECTS, NoModel, choose, named
from hearth.settings.agents import AgentSettings, ProviderSettings
from hearth.settings.providers import Providers
from hearth.settings.schema import DEFAULT_MODEL


def settings(*providers: ProviderSettings, effort: Effort | None = None) -> AgentSettings:
    return AgentSettings(
        DEFAULT_MODEL, effort=effort, providers={one.name: one for one in providers}
    )


@pytest.mark.parametrize(
    ("said", "provider", "model"),
    [
        (DEFAULT_MODEL, "anthropic", DEFAULT_MODEL),
        ("claude-opus-9", "anthropic", "claude-opus-9"),
        ("gpt-5.1", "openai", "gpt-5.1"),
        ("o3", "openai", "o3"),
        ("o4-mini", "openai", "o4-mini"),
        ("codex-mini-latest", "openai", "codex-mini-latest"),
        ("deepseek-chat", "deepseek", "deepseek-chat"),
        ("scripted", "scripted", "companion"),
        ("scripted:", "scripted", "companion"),
        ("scripted:plays/one.json", "scripted", "plays/one.json"),
        ("ollama:llama3:8b", "ollama", "llama3:8b"),
        ("openrouter:anthropic/claude-sonnet-4", "openrouter", "anthropic/claude-sonnet-4"),
        ("vllm:/models/mine", "vllm", "/models/mine"),
        (" OpenAI: gpt-5 ", "openai", "gpt-5"),
        ("custom:claude-like", "custom", "claude-like"),
    ],
)
def test_a_model_is_named_with_its_provider_or_by_its_family(
    said: str, provider: str, model: str
) -> None:
    assert named(said) == (provider, model)
    # What a choice is called leads to the same choice again.
    assert named(f"{provider}:{model}") == (provider, model)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("llama3:8b", ["no provider llama3", "anthropic", "ollama:llama3:8b"]),
        ("mistral-large", ["mistral-large", "openrouter:mistral-large", "vllm"]),
        ("anthropic:", ["names no model", "anthropic:NAME"]),
        ("", ["without a name", "openrouter:NAME"]),
        ("gpt-5:free", ["no provider gpt-5"]),
        ("x" * 300, ["…"]),
    ],
)
def test_what_cannot_be_understood_says_how_to_name_a_model(said: str, words: list[str]) -> None:
    with pytest.raises(NoModel) as missing:
        named(said)
    for word in words:
        assert word in str(missing.value)
    assert len(str(missing.value)) < 500


def test_every_provider_that_can_be_set_can_be_chosen() -> None:
    assert set(DIALECTS) == {*Providers.__struct_encode_fields__, "scripted"}


def test_a_choice_holds_what_is_known_of_the_model() -> None:
    can = capabilities("anthropic", DEFAULT_MODEL)
    assert choose(DEFAULT_MODEL, None, settings()) == ModelChoice(
        "anthropic", DEFAULT_MODEL, Dialect.ANTHROPIC, can.window, can.max_output, Effort.MAX
    )
    assert choose("gpt-5", None, settings()).dialect is Dialect.RESPONSES
    assert choose("scripted", None, settings()).dialect is Dialect.SCRIPTED
    assert choose("ollama:x", None, settings()).dialect is Dialect.CHAT


def test_settings_may_say_which_dialect_is_spoken() -> None:
    said = settings(ProviderSettings("openai", dialect=Dialect.CHAT), ProviderSettings("ollama"))
    assert choose("gpt-5", None, said).dialect is Dialect.CHAT
    assert choose("ollama:x", None, said).dialect is Dialect.CHAT


def test_settings_may_say_how_much_a_model_reads_and_writes_there() -> None:
    def sizes(
        said: str, window: int | None = None, max_output: int | None = None
    ) -> tuple[int, int]:
        stated = ProviderSettings("ollama", window=window, max_output=max_output)
        found = choose(said, None, settings(stated))
        return found.window, found.max_output

    known = capabilities("ollama", "gpt-oss:20b")
    assert sizes("ollama:gpt-oss:20b") == (known.window, known.max_output)
    # Also of a model that is known: its server decides.
    assert sizes("ollama:gpt-oss:20b", window=32_768, max_output=4_000) == (32_768, 4_000)
    assert sizes("ollama:x", max_output=4_000) == (capabilities("ollama", "x").window, 4_000)
    # Where only the window is said, half of it stays for what is asked.
    assert sizes("ollama:x", window=4_096) == (4_096, 2_048)
    assert sizes("ollama:x", window=65_536) == (65_536, capabilities("ollama", "x").max_output)
    # Another provider's is nobody's affair.
    other = settings(ProviderSettings("ollama", window=4_096))
    assert choose("vllm:x", None, other).window == capabilities("vllm", "x").window


def test_an_answer_that_would_fill_the_whole_window_ends_in_words() -> None:
    there = settings(ProviderSettings("ollama", window=4_096, max_output=4_096))
    with pytest.raises(NoModel, match=r"provider\.ollama\.maxOutput.*provider\.ollama\.window"):
        choose("ollama:x", None, there)


def test_the_effort_is_the_sessions_then_the_settings_then_all_there_is() -> None:
    assert choose("o3", None, settings()).effort is Effort.MAX
    assert choose("o3", None, settings(effort=Effort.LOW)).effort is Effort.LOW
    assert choose("o3", Effort.NONE, settings(effort=Effort.LOW)).effort is Effort.NONE


def test_an_address_of_ones_own_must_be_set() -> None:
    with pytest.raises(NoModel, match=r"provider\.custom\.baseUrl"):
        choose("custom:x", None, settings(ProviderSettings("custom")))
    there = settings(ProviderSettings("custom", base_url="http://h:1"))
    assert choose("custom:x", None, there).name == "custom:x"
