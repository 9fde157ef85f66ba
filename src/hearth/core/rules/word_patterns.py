"""Patterns with `<words>` or `<word>` in them: gone through sign by sign, each text once.

Where the words of a command end is not a matter of spaces alone, because a word may be quoted and
have spaces in it; and a run of words may end at several places. So all places of the pattern at
which a text could be are followed at once: the time it takes grows with the text, and not faster.
"""

import string
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

RUN: Final = "*"
ONE: Final = "?"
WORD: Final = "<word>"
WORDS: Final = " <words>"
"""With the space before them: there may be none."""

# Stand for what varies in a pattern, where patterns are compared with each other.
ANY_RUN: Final = "\U0010ffff"
ANY_ONE: Final = "\U0010fffe"
ANY_WORD: Final = "\U0010fffd"
ANY_WORDS: Final = "\U0010fffc"

Token: TypeAlias = tuple[str, bool]
"""A sign, or what stands for others; and which of both."""

_Fits: TypeAlias = Callable[[str], bool]

_LETTERS: Final = frozenset(f"{string.ascii_letters}{string.digits}_")
_FIRST: Final = _LETTERS | frozenset("./")
_FURTHER: Final = _FIRST | frozenset(",-")
_BEHIND_COLON: Final = _FURTHER - {"/"}
_UNQUOTED_FIRST: Final = _LETTERS | frozenset("@%+=:,./")
_UNQUOTED: Final = _UNQUOTED_FIRST | frozenset("^~{}-")
_VARYING: Final = frozenset({ANY_RUN, ANY_ONE, ANY_WORD, ANY_WORDS})
_MOST_STEPS: Final = 4096
"""So many steps are kept in mind of each pattern."""


class WordPattern:
    """A pattern that is ready to be tried.

    `comparing`: on texts that stand for patterns.
    """

    __slots__ = ("_after", "_comparing", "_ends", "_moves", "_start", "_steps")

    def __init__(self, tokens: Sequence[Token], *, ends_early: bool, comparing: bool) -> None:
        self._comparing = comparing
        self._moves: list[list[tuple[_Fits, int]]] = [[]]
        """Of each place: with which signs to which place."""
        self._after: list[set[int]] = [set()]
        """Of each place: which others it also is."""
        places = [0]
        for sign, is_special in tokens:
            places.append(self._add(places[-1], sign, is_special=is_special))
        self._ends = 1 << places[-1] | (1 << places[-3] if ends_early else 0)
        self._start = self._all(0)
        self._steps: dict[tuple[int, str], int] = {}

    def match(self, text: str) -> str | None:
        """The text, if the pattern is about it."""
        now = self._start
        steps = self._steps
        for sign in text:
            following = steps.get((now, sign))
            if following is None:
                following = self._step(now, sign)
            if not following:
                return None
            now = following
        return text if now & self._ends else None

    def _step(self, now: int, sign: str) -> int:
        found = 0
        for place, moves in enumerate(self._moves):
            if now >> place & 1:
                for fits, to in moves:
                    if fits(sign):
                        found |= self._all(to)
        if len(self._steps) >= _MOST_STEPS:
            self._steps.clear()
        self._steps[now, sign] = found
        return found

    def _all(self, place: int) -> int:
        """This place and all that it also is, one bit for each."""
        found, left = 0, [place]
        while left:
            one = left.pop()
            if not found >> one & 1:
                found |= 1 << one
                left.extend(self._after[one])
        return found

    def _place(self) -> int:
        self._moves.append([])
        self._after.append(set())
        return len(self._moves) - 1

    def _add(self, start: int, sign: str, *, is_special: bool) -> int:
        """Go on from a place with a token; where it ends."""
        end = self._place()
        if not is_special:
            self._moves[start].append((sign.__eq__, end))
        elif sign == RUN:
            self._after[start].add(end)
            self._moves[end].append((_always, end))
        elif sign == ONE:
            self._moves[start].append((self._is_one, end))
        elif sign == WORDS:
            self._add_words(start, end)
        else:
            self._add_word(start, end)
        return end

    def _add_words(self, start: int, end: int) -> None:
        self._after[start].add(end)
        first, inside, colon = self._place(), self._place(), self._place()
        self._moves[end].append((" ".__eq__, first))
        self._moves[first].append((_FIRST.__contains__, inside))
        self._moves[inside] += [(_FURTHER.__contains__, inside), (":".__eq__, colon)]
        self._moves[colon] += [(_BEHIND_COLON.__contains__, inside), (":".__eq__, colon)]
        self._after[inside].add(end)
        self._after[colon].add(end)
        if self._comparing:
            self._moves[end].append((ANY_WORDS.__eq__, end))
            self._moves[first].append((ANY_WORDS.__eq__, end))

    def _add_word(self, start: int, end: int) -> None:
        plain, opened, quoted, closed = (self._place() for _ in range(4))
        escaped, again = self._place(), self._place()
        self._moves[start] += [(_UNQUOTED_FIRST.__contains__, plain), ("'".__eq__, opened)]
        self._moves[plain].append((_UNQUOTED.__contains__, plain))
        self._moves[opened] += [(self._is_first_quoted, quoted), ("'".__eq__, closed)]
        self._moves[quoted] += [(self._is_quoted, quoted), ("'".__eq__, closed)]
        # A quote in a quoted word is written as `'\''`.
        self._moves[closed].append(("\\".__eq__, escaped))
        self._moves[escaped].append(("'".__eq__, again))
        self._moves[again].append(("'".__eq__, quoted))
        self._after[plain].add(end)
        self._after[closed].add(end)
        if self._comparing:
            self._moves[start].append((ANY_WORD.__eq__, end))

    def _is_one(self, sign: str) -> bool:
        return not self._comparing or sign == ANY_ONE or sign not in _VARYING

    def _is_quoted(self, sign: str) -> bool:
        # What varies may be a quote.
        return sign != "'" and not (self._comparing and sign in _VARYING)

    def _is_first_quoted(self, sign: str) -> bool:
        return sign != "-" and self._is_quoted(sign)


def _always(_sign: str) -> bool:
    return True
