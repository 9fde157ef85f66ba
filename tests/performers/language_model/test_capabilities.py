"""A model is known by its family, whatever its number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.capabilities import Capabilities, capabilities


@pytest.mark.promise("DP-WIRE-14")
@pytest.mark.parametrize(
    ("newer", "known"),
    [
        ("claude-opus-4-9", "claude-opus-4-8"),
        ("claude-opus-5-7-20270101", "claude-opus-5-5"),
        ("claude-opus-11", "claude-opus-5-5"),
        ("claude-sonnet-6", "claude-sonnet-5-5"),
        ("claude-haiku-6-1", "claude-haiku-5-5"),
        ("claude-fable-5-2", "claude-fable-5-1"),
        ("claude-mythos-6", "claude-fable-5-1"),
        ("gpt-5.9", "gpt-5.6"),
        ("gpt-7-mini", "gpt-5.4-mini"),
        ("o9", "o3"),
        ("deepseek-v5-pro", "deepseek-v4-pro"),
        ("deepseek-flash", "deepseek-v4-flash"),
    ],
)
def test_a_model_that_nobody_has_heard_of_takes_its_familys_capabilities(
    newer: str, known: str
) -> None:
    assert capabilities("x", newer) == capabilities("x", known)


@pytest.mark.promise("DP-WIRE-14")
@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-opus-4-7", "adaptive"),
        ("claude-opus-4-8", "adaptive"),
        ("claude-opus-4-6", "adaptive"),
        ("claude-opus-4.6", "adaptive"),
        ("claude-opus-4-5-20251101", "budget"),
        ("claude-opus-4-20250514", "budget"),
        ("claude-opus-4-1", "budget"),
        ("claude-sonnet-4-5", "budget"),
        ("claude-sonnet-4-6", "adaptive"),
        ("claude-haiku-4-5-20251001", "budget"),
        ("claude-haiku-5-5", "adaptive"),
        ("claude-3-7-sonnet-20250219", "budget"),
        ("claude-3-5-sonnet-latest", "none"),
        ("claude-3-haiku-20240307", "none"),
        ("claude-opus", "adaptive"),
        ("claude-saga-7", "adaptive"),
        ("anthropic/claude-sonnet-5", "adaptive"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "budget"),
    ],
)
def test_how_a_claude_is_asked_to_think_follows_from_its_generation(
    model: str, thinking: str
) -> None:
    assert capabilities("anthropic", model).thinking == thinking


@pytest.mark.parametrize(
    ("model", "window", "max_output"),
    [
        ("claude-fable-5-1", 1_000_000, 128_000),
        ("claude-haiku-4-5", 200_000, 64_000),
        ("claude-opus-4-1", 200_000, 32_000),
        ("gpt-5", 400_000, 128_000),
        ("gpt-5.6-sol", 1_050_000, 128_000),
        ("gpt-5.4-mini", 400_000, 128_000),
        ("gpt-4.1-nano", 1_047_576, 32_768),
        ("gpt-4o-mini", 128_000, 16_384),
        ("openai/gpt-4o:free", 128_000, 16_384),
        ("gpt-5-chat-latest", 128_000, 16_384),
        ("gpt-oss:20b", 131_072, 32_768),
        ("o4-mini-2025-04-16", 200_000, 100_000),
        ("codex-mini-latest", 400_000, 128_000),
        ("deepseek-chat", 128_000, 8_192),
        ("deepseek-v4-pro", 1_000_000, 384_000),
        ("llama-4-maverick", 128_000, 8_192),
        ("", 128_000, 8_192),
    ],
)
def test_windows_are_known(model: str, window: int, max_output: int) -> None:
    known = capabilities("openrouter", model)
    assert (known.window, known.max_output) == (window, max_output)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("claude-opus-4-6", ("low", "low", "medium", "high", "max")),
        ("claude-opus-5", ("low", "low", "medium", "high", "max")),
        ("gpt-5", ("minimal", "low", "medium", "high", "high")),
        ("gpt-5.1", ("none", "low", "medium", "high", "high")),
        ("gpt-5.4", ("none", "low", "medium", "high", "xhigh")),
        ("gpt-5.6", ("none", "low", "medium", "high", "max")),
        ("gpt-5-pro", ("high", "high", "high", "high", "high")),
        ("o3", ("low", "low", "medium", "high", "high")),
        ("deepseek-v4-pro", ("high", "high", "high", "high", "max")),
        ("gpt-4.1", (None, None, None, None, None)),
        ("llama", (None, None, None, None, None)),
    ],
)
def test_effort_is_told_in_a_word_that_the_model_accepts(
    model: str, words: tuple[str | None, ...]
) -> None:
    known = capabilities("openai", model)
    assert tuple(known.effort_word(effort) for effort in Effort) == words


@pytest.mark.parametrize(
    ("provider", "model", "echo"),
    [
        ("deepseek", "deepseek-reasoner", "with_tools"),
        ("deepseek", "deepseek-v3.2", "with_tools"),
        ("deepseek", "deepseek-v4-flash", "with_tools"),
        ("custom", "deepseek-ai/deepseek-v4-pro", "with_tools"),
        ("deepseek", "deepseek-chat", "never"),
        ("deepseek", "deepseek-r1", "never"),
        ("deepseek", "deepseek-v3.1", "never"),
        ("openrouter", "deepseek/deepseek-v4-pro", "never"),
        ("ollama", "deepseek-v3.2", "never"),
        ("openai", "gpt-5.6", "never"),
        ("vllm", "qwen4", "never"),
    ],
)
def test_reasoning_is_echoed_where_it_is_demanded(provider: str, model: str, echo: str) -> None:
    assert capabilities(provider, model).echo_reasoning == echo


def test_what_nobody_knows_is_taken_for_little() -> None:
    assert capabilities("custom", "my-model") == Capabilities()
    assert Capabilities().window == 128_000
    assert Capabilities().max_output == 8_192


@given(st.text(), st.text())
def test_no_name_is_too_strange(provider: str, model: str) -> None:
    known = capabilities(provider, model)
    assert known.max_output <= known.window


@pytest.mark.parametrize(
    ("model", "sees"),
    [
        ("claude-3-haiku-20240307", True),
        ("claude-opus-4-5", True),
        ("claude-opus-9", True),
        ("claude-saga-7", True),
        ("anthropic/claude-sonnet-5", True),
        ("gpt-3.5-turbo", False),
        ("gpt-4-0613", False),
        ("gpt-4.1-mini", True),
        ("gpt-4o-mini", True),
        ("gpt-5", True),
        ("gpt-5.6", True),
        ("gpt-5-codex", True),
        ("gpt-5.4-pro", True),
        ("gpt-oss-120b", False),
        ("o1", True),
        ("o3", True),
        ("o3-mini", False),
        ("o4-mini", True),
        ("deepseek-v4-pro", False),
        ("google/gemini-3-pro", True),
        ("qwen/qwen3-vl-235b", True),
        ("qwen2.5vl:7b", True),
        ("qwen3-coder", False),
        ("llama3.2-vision", True),
        ("llama-3.3-70b", False),
        ("x-ai/grok-4.1-fast", True),
        ("some-model", False),
        ("vllm-served", False),
    ],
)
def test_only_a_model_that_is_known_to_see_is_taken_to(model: str, *, sees: bool) -> None:
    assert capabilities("openrouter", model).sees is sees
