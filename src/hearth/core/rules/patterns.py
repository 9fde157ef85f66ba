r"""Patterns over names, paths, hosts and the words of commands.

`*` is any run of characters, `/` and spaces among them; `?` is one character; `\` takes the next
one as it is. One that ends in ` *` also matches without arguments, one that ends in `/*` the folder
itself. Case matters.

Two more are for the words of commands, and stand for themselves where they are not words of their
own with a space before them. ` <words>` are further words, as many as there are or none, that can
neither be options nor settings nor addresses: of letters, digits and `_ . / , : -`, without a `-`,
`,` or `:` at their beginning and without `:/`. `<word>` is exactly one word, quoted or not, that
does not begin with a `-`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Final

from hearth.core.rules import word_patterns as words
from hearth.core.rules.word_patterns import Token, WordPattern

_MOST: Final = 4096
"""So many patterns are kept in mind as what they are compiled to."""
_RUN: Final = words.RUN
_ONE: Final = words.ONE
_SPECIAL: Final = re.compile(r"[*?\\]|<(?=words?>)")
_OF_WORDS: Final = re.compile(r"<words?>(?= |\Z)")
_HOMES: Final = ("~", "$HOME")
_STANDS_FOR: Final = {
    words.RUN: words.ANY_RUN,
    words.ONE: words.ANY_ONE,
    words.WORD: words.ANY_WORD,
    words.WORDS: words.ANY_WORDS,
}
"""What is written for it in a text that stands for a pattern."""
_VARYING: Final = f"{words.ANY_RUN}{words.ANY_WORD}{words.ANY_WORDS}"
"""Which of them are not exactly one character."""


def matches(pattern: str, target: str) -> bool:
    """Whether the pattern is about the target. The time it takes does not explode with either."""
    return _compiled(pattern).match(target) is not None


def escape(text: str) -> str:
    """A pattern that matches this text; it may stand in a longer one.

    By itself it matches nothing else.
    """
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def has_wildcard(pattern: str) -> bool:
    """Whether it may match more than one text."""
    return any(is_special for _, is_special in _tokens(pattern))


def expanded(pattern: str, home: str) -> str:
    """The pattern with a `~` or `$HOME` at its start replaced by this folder."""
    for name in _HOMES:
        rest = pattern.removeprefix(name)
        if rest != pattern and (not rest or rest.startswith("/")):
            return escape(home.rstrip("/")) + rest or "/"
    return pattern


def includes(wide: str, narrow: str) -> bool:
    """Whether `wide` surely matches all that `narrow` does. False may also be: not known."""
    found = _comparing(wide)
    return all(found.match(one) is not None for one in _samples(narrow))


def beginning(pattern: str) -> str:
    """What everything begins with that the pattern matches."""
    tokens = _tokens(pattern)
    if _may_end_early(tokens):
        tokens = tokens[:-2]
    fixed = takewhile(lambda token: not token[1], tokens)
    return "".join(sign for sign, _ in fixed)


@lru_cache(_MOST)
def _compiled(pattern: str) -> re.Pattern[str] | WordPattern:
    tokens = _tokens(pattern)
    if _has_words(tokens):
        return WordPattern(tokens, ends_early=_may_end_early(tokens), comparing=False)
    return re.compile(rf"{_expression(tokens, '(?s:.)')}\Z")


@lru_cache(_MOST)
def _comparing(pattern: str) -> re.Pattern[str] | WordPattern:
    """Like the pattern, but for texts that stand for patterns: one character is never a run."""
    tokens = _tokens(pattern)
    if _has_words(tokens):
        return WordPattern(tokens, ends_early=_may_end_early(tokens), comparing=True)
    return re.compile(rf"{_expression(tokens, f'[^{_VARYING}]')}\Z")


def _samples(pattern: str) -> Iterator[str]:
    """Texts that stand for everything a pattern matches."""
    tokens = _tokens(pattern)
    signs = [_STANDS_FOR[sign] if is_special else sign for sign, is_special in tokens]
    text = "".join(signs)
    early = "".join(signs[:-2]) if _may_end_early(tokens) else text
    for one in dict.fromkeys((text, early)):
        if signs.count(words.ANY_WORDS) == 1:
            # With and without them: so it is seen that ` *` includes both.
            yield one.replace(words.ANY_WORDS, "")
            yield one.replace(words.ANY_WORDS, f" {words.ANY_WORDS}")
        else:
            yield one


@lru_cache(_MOST)
def _tokens(pattern: str) -> tuple[Token, ...]:
    """Each sign, and whether it stands for others. Runs that follow each other are one."""
    found: list[Token] = []
    at = 0
    while at < len(pattern):
        sign, length = pattern[at], 1
        of_words = _OF_WORDS.match(pattern, at) if found[-1:] == [(" ", False)] else None
        if of_words is not None:
            length = len(of_words[0])
            if of_words[0] == words.WORD:
                found.append((words.WORD, True))
            else:
                found[-1] = (words.WORDS, True)
        elif sign == "\\":
            # At the very end it stands for itself.
            found.append((pattern[at + 1 : at + 2] or sign, False))
            length = 2
        elif sign != _RUN or found[-1:] != [(_RUN, True)]:
            found.append((sign, sign in {_RUN, _ONE}))
        at += length
    return tuple(found)


def _has_words(tokens: tuple[Token, ...]) -> bool:
    return any(is_special and sign in {words.WORD, words.WORDS} for sign, is_special in tokens)


def _may_end_early(tokens: tuple[Token, ...]) -> bool:
    """Whether it ends in ` *` or `/*` behind something."""
    return (
        len(tokens) > 2
        and tokens[-1] == (_RUN, True)
        and tokens[-2] in {(" ", False), ("/", False)}
    )


def _expression(tokens: tuple[Token, ...], one: str) -> str:
    whole = _runs(tokens, one)
    return f"(?:{whole}|{_runs(tokens[:-2], one)})" if _may_end_early(tokens) else whole


def _runs(tokens: tuple[Token, ...], one: str) -> str:
    """What stands between runs, each found where it comes first.

    A place further on could not lead to a match where the first does not, so none is tried: the
    groups are atomic, and a pattern of many runs takes no longer than reading the text.
    """
    parts = [""]
    for sign, is_special in tokens:
        if is_special and sign == _RUN:
            parts.append("")
        else:
            parts[-1] += one if is_special else re.escape(sign)
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    return f"{first}{''.join(f'(?>(?s:.*?){part})' for part in middle)}(?s:.*){last}"
