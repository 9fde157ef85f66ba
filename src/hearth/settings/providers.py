"""The providers of models that settings know, and what can be set of each."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from hearth.settings.values import Count, Group, Text, Url, says

Dialect: TypeAlias = Literal["anthropic", "responses", "chat"]
"""The protocols that a provider may speak."""

KeyText: TypeAlias = Annotated[
    str,
    # Elsewhere a key's own place also takes `command:` and `file:`. Here they would be sent as the
    # key, to be refused by a provider who cannot know why.
    msgspec.Meta(min_length=1, pattern=r"^(?!\s*(command:|file:|~/))"),
]
"""A key itself, not where it comes from."""


class Provider(Group, frozen=True):
    """How one provider of models is reached."""

    api_key: Annotated[
        KeyText | None,
        says(
            "The key that requests are made with. Better kept in the environment: {env:NAME}.",
            'the key itself, like "{env:ANTHROPIC_API_KEY}"; a command that prints it is '
            "keyCommand, a file that holds it keyFile",
            secret=True,
        ),
    ] = None
    base_url: Annotated[
        Url | None,
        says(
            "Where requests go to; without it the provider's own address.",
            'an address without a password, like "https://proxy.example/v1"',
        ),
    ] = None
    key_command: Annotated[
        Text | None,
        says(
            "A command whose output is the key; it is run when there is no apiKey.",
            'a command line, like "pass show anthropic"',
        ),
    ] = None
    key_file: Annotated[
        Text | None,
        says(
            "A file that holds the key; it is read when nothing else gives one.",
            'the path of a file, like "~/.config/hearth/anthropic.key"',
        ),
    ] = None
    dialect: Annotated[
        Dialect | None,
        says(
            "The protocol that is spoken there; without it the provider's own.",
            'one of "anthropic", "responses" and "chat"',
        ),
    ] = None
    window: Annotated[
        Count | None,
        says(
            "How many tokens a request and its answer may have together, with each model there; "
            "without it what hearth knows of the model.",
            "a whole number above 0, like 32768",
        ),
    ] = None
    max_output: Annotated[
        Count | None,
        says(
            "How many tokens an answer may have, with each model there; less than window. "
            "Without it what hearth knows of the model, and at most half of the window.",
            "a whole number above 0 and below window, like 8192",
        ),
    ] = None


class Providers(Group, frozen=True):
    """The providers of models."""

    anthropic: Provider = Provider()
    openai: Provider = Provider()
    deepseek: Provider = Provider()
    openrouter: Provider = Provider()
    ollama: Provider = Provider()
    llamacpp: Provider = Provider()
    vllm: Provider = Provider()
    custom: Provider = Provider()
