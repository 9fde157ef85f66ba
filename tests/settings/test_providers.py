from typing import get_args

import msgspec

from hearth.core.vocabulary.lines import Dialect as Spoken
from hearth.settings.providers import Dialect, Provider, Providers


def test_every_provider_is_known_and_can_be_set_alike() -> None:
    fields = msgspec.structs.fields(Providers)
    assert [one.encode_name for one in fields] == [
        "anthropic",
        "openai",
        "deepseek",
        "openrouter",
        "ollama",
        "llamacpp",
        "vllm",
        "custom",
    ]
    assert all(one.type is Provider for one in fields)


def test_nothing_is_set_of_a_provider_at_first() -> None:
    assert msgspec.structs.asdict(Provider()) == {
        "api_key": None,
        "base_url": None,
        "key_command": None,
        "key_file": None,
        "dialect": None,
        "window": None,
        "max_output": None,
    }


def test_the_dialects_are_those_that_hearth_speaks_with_providers() -> None:
    assert {Spoken(one) for one in get_args(Dialect)} == set(Spoken) - {Spoken.SCRIPTED}
