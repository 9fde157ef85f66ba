"""The table of models: per family, what holds from which generation on. Data, and nothing else.

As the providers' own pages had it in November 2026; prices are in `core.rules.pricing`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

Version: TypeAlias = tuple[int, int]

_LOW_TO_HIGH: Final = ("low", "medium", "high")
_TO_MAX: Final = (*_LOW_TO_HIGH, "max")
_ALL: Final = (*_LOW_TO_HIGH, "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Row:
    """What holds for a family from a generation on; see `capabilities.Capabilities`."""

    since: Version
    window: int
    max_output: int
    thinking: Literal["none", "budget", "adaptive"] = "none"
    thinking_off: Literal["omit", "disabled", "between_tools", "never"] = "omit"
    efforts: tuple[str, ...] = ()
    echoes: bool = False
    min_cache: int = 1_024
    bound_thinking: bool = False
    sees: bool = False


def _claude(
    since: Version,
    thinking_off: Literal["omit", "disabled", "between_tools", "never"],
    *,
    efforts: tuple[str, ...] = _ALL,
    min_cache: int = 512,
    bound: bool = False,
) -> Row:
    """A model that decides by itself how long it thinks."""
    return Row(
        since,
        1_000_000,
        128_000,
        "adaptive",
        thinking_off,
        efforts,
        min_cache=min_cache,
        bound_thinking=bound,
        sees=True,
    )


def _older(
    since: Version,
    max_output: int,
    thinking: Literal["none", "budget"] = "budget",
    min_cache: int = 1_024,
) -> Row:
    """A Claude of before, that is given so many tokens to think with, or none."""
    return Row(since, 200_000, max_output, thinking, min_cache=min_cache, sees=True)


CLAUDE_OTHER: Final = _claude((5, 0), "never", bound=True)
"""A tier of Claude that is not in the table: what all of the newest have in common."""

_FABLE: Final = (_claude((5, 0), "never"), _claude((5, 1), "never", bound=True))

DEEPSEEK_ECHOED: Final = Row((3, 2), 128_000, 64_000, echoes=True, min_cache=64)

_GPT_4_1: Final = Row((4, 1), 1_047_576, 32_768, sees=True)
_GPT_5: Final = Row((5, 0), 400_000, 128_000, efforts=("minimal", *_LOW_TO_HIGH), sees=True)
_GPT_5_4: Final = Row(
    (5, 4), 1_050_000, 128_000, efforts=("none", *_LOW_TO_HIGH, "xhigh"), sees=True
)
_O: Final = Row((1, 0), 200_000, 100_000, efforts=_LOW_TO_HIGH, sees=True)

FAMILIES: Final[Mapping[str, tuple[Row, ...]]] = {
    "claude-fable": _FABLE,
    "claude-mythos": _FABLE,
    "claude-opus": (
        _older((3, 0), 4_096, "none"),
        _older((4, 0), 32_000),
        _older((4, 5), 64_000, min_cache=4_096),
        _claude((4, 6), "omit", efforts=_TO_MAX, min_cache=4_096),
        _claude((4, 7), "omit", min_cache=2_048),
        _claude((4, 8), "omit", min_cache=1_024),
        _claude((5, 0), "disabled"),
        _claude((5, 5), "never", bound=True),
    ),
    "claude-sonnet": (
        _older((3, 0), 8_192, "none"),
        _older((3, 7), 64_000),
        _claude((4, 6), "omit", efforts=_TO_MAX, min_cache=1_024),
        _claude((5, 0), "disabled", min_cache=1_024),
        _claude((5, 5), "between_tools", bound=True),
    ),
    "claude-haiku": (
        _older((3, 0), 4_096, "none", 2_048),
        _older((3, 5), 8_192, "none", 2_048),
        _older((4, 5), 64_000, min_cache=4_096),
        _claude((5, 5), "disabled", bound=True),
    ),
    "gpt": (
        Row((3, 0), 16_000, 4_096),
        Row((4, 0), 128_000, 4_096),
        _GPT_4_1,
        _GPT_5,
        replace(_GPT_5, since=(5, 1), efforts=("none", *_LOW_TO_HIGH)),
        replace(_GPT_5, since=(5, 2), efforts=("none", *_LOW_TO_HIGH, "xhigh")),
        _GPT_5_4,
        replace(_GPT_5_4, since=(5, 6), efforts=("none", *_ALL)),
    ),
    "gpt-small": (
        Row((4, 0), 128_000, 16_384),
        _GPT_4_1,
        _GPT_5,
        replace(_GPT_5, since=(5, 4), efforts=("none", *_LOW_TO_HIGH, "xhigh")),
    ),
    "gpt-codex": (
        replace(_GPT_5, efforts=_LOW_TO_HIGH),
        replace(_GPT_5, since=(5, 2), efforts=(*_LOW_TO_HIGH, "xhigh")),
    ),
    "gpt-pro": (
        replace(_GPT_5, efforts=("high",)),
        replace(_GPT_5, since=(5, 2), efforts=("medium", "high", "xhigh")),
        replace(_GPT_5_4, efforts=("medium", "high", "xhigh")),
    ),
    "gpt-chat": (Row((5, 0), 128_000, 16_384, sees=True),),
    "gpt-omni": (Row((4, 0), 128_000, 16_384, sees=True),),
    "gpt-oss": (Row((0, 0), 131_072, 32_768, efforts=_LOW_TO_HIGH),),
    "o": (_O,),
    "o-mini": (replace(_O, sees=False), replace(_O, since=(4, 0))),
    "deepseek-chat": (Row((3, 0), 128_000, 8_192, min_cache=64),),
    "deepseek-r1": (Row((1, 0), 64_000, 32_000, min_cache=64),),
    "deepseek-reasoner": (DEEPSEEK_ECHOED,),
    "deepseek": (
        Row((3, 0), 128_000, 8_192, min_cache=64),
        DEEPSEEK_ECHOED,
        Row(
            (4, 0),
            1_000_000,
            384_000,
            thinking_off="disabled",
            efforts=("high", "max"),
            echoes=True,
            min_cache=64,
        ),
    ),
}
