"""Which model is meant, and what must be known of it."""

import re
from collections.abc import Mapping
from typing import Final

from hearth.core.vocabulary.lines import Dialect, ModelChoice
from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.capabilities import capabilities
from hearth.settings.agents import AgentSettings, ProviderSettings

SCRIPTED: Final = "scripted"
COMPANION: Final = "companion"
"""What the scripted model is called when it plays no script."""

DIALECTS: Final[Mapping[str, Dialect]] = {
    "anthropic": Dialect.ANTHROPIC,
    "openai": Dialect.RESPONSES,
    "deepseek": Dialect.CHAT,
    "openrouter": Dialect.CHAT,
    "ollama": Dialect.CHAT,
    "llamacpp": Dialect.CHAT,
    "vllm": Dialect.CHAT,
    "custom": Dialect.CHAT,
    SCRIPTED: Dialect.SCRIPTED,
}
"""The providers there are, and what each speaks unless settings say otherwise."""

_FAMILIES: Final = (
    (re.compile(r"claude", re.IGNORECASE), "anthropic"),
    (re.compile(r"gpt|o\d|codex", re.IGNORECASE), "openai"),
    (re.compile(r"deepseek", re.IGNORECASE), "deepseek"),
    (re.compile(r"scripted", re.IGNORECASE), SCRIPTED),
)


class NoModel(Exception):
    """There is no such model; the text says what was asked for and how to name one."""


def choose(said: str, effort: Effort | None, settings: AgentSettings) -> ModelChoice:
    """The model that is meant by what somebody said. NoModel.

    Whether there is a key for it turns out when it is asked.
    """
    provider, model = named(said)
    known = settings.providers.get(provider) or ProviderSettings(provider)
    if provider == "custom" and not known.base_url:
        raise NoModel(
            f"{said} has no address; set provider.custom.baseUrl in your own hearth.jsonc, "
            'like "http://127.0.0.1:8000/v1"'
        )
    can = capabilities(provider, model)
    window = known.window or can.window
    max_output = known.max_output or min(can.max_output, window // 2)
    if max_output >= window:
        raise NoModel(
            f"{said} could be asked nothing: provider.{provider}.maxOutput is {max_output} tokens, "
            f"and no more than {window} fit into a question and its answer together; set it to "
            f"less, or provider.{provider}.window to more if the model has more"
        )
    return ModelChoice(
        provider=provider,
        model=model,
        dialect=known.dialect or DIALECTS[provider],
        window=window,
        max_output=max_output,
        effort=effort or settings.effort or Effort.MAX,
    )


def named(said: str) -> tuple[str, str]:
    """The provider and the model of `provider:model`, or of a model's name alone. NoModel."""
    name = said.strip()
    provider, colon, model = name.partition(":")
    provider = provider.strip().lower()
    if colon and provider in DIALECTS:
        model = model.strip()
        if not model and provider != SCRIPTED:
            raise NoModel(f'{name} names no model; name one, like "{provider}:NAME"')
        return provider, model or COMPANION
    if name.lower() == SCRIPTED:
        return SCRIPTED, COMPANION
    family = next((one for pattern, one in _FAMILIES if pattern.match(name)), None)
    if family is not None and not colon:
        return family, name
    known = ", ".join(DIALECTS)
    if colon:
        raise NoModel(
            f"there is no provider {_short(provider)}; there are {known}. A name with a colon in "
            f'it needs its provider in front, like "ollama:{_short(name)}"'
        )
    raise NoModel(
        f"nobody knows whose model {_short(name) or 'without a name'} is; name it with its "
        f'provider, like "openrouter:{_short(name) or "NAME"}". Providers are {known}'
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
