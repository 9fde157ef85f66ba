"""What each model can do: a table by family and generation, never by comparing whole names.

A generation that is not in the table is taken for the nearest older one of its family; a name
without a number for the newest. So a model that came out yesterday works today. Only its price is
not guessed: `core.rules.pricing` knows that by name alone.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal, TypeAlias

from hearth.core.vocabulary.prompting import Effort
from hearth.performers.language_model.models import (
    CLAUDE_OTHER,
    DEEPSEEK_ECHOED,
    FAMILIES,
    Row,
    Version,
)

Echo: TypeAlias = Literal["never", "with_tools"]
_ECHOING_PROVIDERS: Final = frozenset({"deepseek", "custom"})
"""Who demands the reasoning of DeepSeek's models back; others serve the same models without."""

_LADDER: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What must be known of a model to ask it well."""

    window: int = 128_000
    """Tokens that fit into a request together with its answer."""
    max_output: int = 8_192
    thinking: Literal["none", "budget", "adaptive"] = "none"
    """Of Anthropic's protocol: how thinking is asked for."""
    thinking_off: Literal["omit", "disabled", "between_tools", "never"] = "omit"
    """How it is asked not to think; `never`: it cannot be."""
    efforts: tuple[str, ...] = ()
    """The words for effort that it accepts, least first; none: it cannot be told."""
    echo_reasoning: Echo = "never"
    """In which turns Chat Completions must be sent the reasoning back that they sent."""
    min_cache: int = 1_024
    """A shorter beginning is not cached, in tokens."""
    bound_thinking: bool = False
    """Its thinking is refused once anything that stood before it is sent otherwise."""
    sees: bool = False
    """It takes pictures."""

    def effort_word(self, effort: Effort) -> str | None:
        """The word it accepts for this much: not more than asked for, unless all words are."""
        if not self.efforts:
            return None
        asked = _LADDER.index(effort.value)
        lesser = [word for word in self.efforts if _LADDER.index(word) <= asked]
        return lesser[-1] if lesser else self.efforts[0]


_CLAUDE: Final = re.compile(
    r"claude-(?:(?P<tier>[a-z]+)(?:-(?P<major>\d{1,2}(?!\d))(?:[-.](?P<minor>\d{1,2}(?!\d)))?)?"
    r"|(?P<old_major>\d{1,2})(?:[-.](?P<old_minor>\d{1,2}))?-(?P<old_tier>[a-z]+))"
)
_GPT: Final = re.compile(
    r"(?:gpt-(?P<major>\d+)(?:\.(?P<minor>\d+))?(?P<omni>o)?(?P<rest>[a-z0-9-]*)|(?P<codex>codex.*))"
)
_O_SERIES: Final = re.compile(r"o(?P<major>\d+)(?:-[a-z0-9-]*)?$")
_DEEPSEEK: Final = re.compile(
    r"deepseek(?:-ai)?-(?:(?P<kind>chat|reasoner|r\d)|v?(?P<major>\d+)?(?:\.(?P<minor>\d+))?)"
)
_SEEING: Final = re.compile(
    r"gemini|grok-[4-9]|llama-?4|llava|pixtral|vision|(?<![a-z])vl(?![a-z])"
)
"""Models of others that take pictures, by what their makers call them."""


@cache
def capabilities(provider: str, model: str) -> Capabilities:
    """What is known of a model, or of its family; a careful default for what nobody knows."""
    name = _plain(model)
    row = _row(name)
    known = Capabilities(sees=bool(_SEEING.search(name))) if row is None else _said(row)
    if row is not None and row.echoes and provider not in _ECHOING_PROVIDERS:
        return replace(known, echo_reasoning="never")
    return known


def _said(row: Row) -> Capabilities:
    return Capabilities(
        window=row.window,
        max_output=row.max_output,
        thinking=row.thinking,
        thinking_off=row.thinking_off,
        efforts=row.efforts,
        echo_reasoning="with_tools" if row.echoes else "never",
        min_cache=row.min_cache,
        bound_thinking=row.bound_thinking,
        sees=row.sees,
    )


def _plain(model: str) -> str:
    """The model's own name, without the shop that sells it: `openai/gpt-5:free` is `gpt-5`."""
    name = model.lower().rpartition("/")[2].partition(":")[0]
    return name[start:] if (start := name.find("claude-")) > 0 else name


def _row(name: str) -> Row | None:
    if match := _CLAUDE.match(name):
        tier = match["tier"] or match["old_tier"]
        version = _version(
            match["major"] or match["old_major"], match["minor"] or match["old_minor"]
        )
        return _newest(f"claude-{tier}", version) or CLAUDE_OTHER
    if match := _GPT.match(name):
        return _newest(_gpt_family(match), _version(match["major"], match["minor"]))
    if match := _O_SERIES.match(name):
        family = "o-mini" if "mini" in name else "o"
        return _newest(family, _version(match["major"], None))
    if match := _DEEPSEEK.match(name):
        if match["kind"]:
            return _newest(f"deepseek-{match['kind']}", None) or DEEPSEEK_ECHOED
        return _newest("deepseek", _version(match["major"], match["minor"]))
    return _newest("gpt-oss", None) if name.startswith("gpt-oss") else None


def _gpt_family(match: re.Match[str]) -> str:
    kinds = (match["rest"] or match["codex"] or "").split("-")
    if match["omni"]:
        return "gpt-omni"
    for kind in ("codex", "pro", "chat"):
        if kind in kinds:
            return f"gpt-{kind}"
    return "gpt-small" if {"mini", "nano"} & set(kinds) else "gpt"


def _version(major: str | None, minor: str | None) -> Version | None:
    return None if major is None else (int(major), int(minor or 0))


def _newest(family: str, version: Version | None) -> Row | None:
    """The newest row that is not newer than this version; the oldest if all are."""
    rows = FAMILIES.get(family)
    if rows is None:
        return None
    fitting = [row for row in rows if version is None or row.since <= version]
    return fitting[-1] if fitting else rows[0]
