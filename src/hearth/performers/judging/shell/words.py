"""The words of a command line, and what the shell is sure to make of them.

A word is what stands between blanks, with its quotes. What it becomes is known exactly, or known to
be some names of files, or not known at all; nothing in between.
"""

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from hearth.performers.judging.shell.syntax import Sequence

MOST_ALTERNATIVES: Final = 64
"""So many words may come of the braces of one word."""

PIPE: Final = "/dev/stdin"
"""Stands for the name of a pipe to commands that are looked at by themselves: `<(…)`."""

_AS_IT_IS: Final = re.compile(r"[^*?\[{}~]+\Z")
"""Nothing in it is expanded."""
_SURE_IN_BRACES: Final = re.compile(r"[\w./@%+:,{}*?=-]*\Z", re.ASCII)


class PieceKind(StrEnum):
    """What a piece of a word is."""

    LITERAL = "literal"
    QUOTED = "quoted"
    VARIABLE = "variable"
    OUTPUT = "output"
    """Of a command, or the name of a pipe to one."""
    UNKNOWN = "unknown"


class Piece(NamedTuple):
    """A part of a word that is quoted in one way."""

    kind: PieceKind
    text: str = ""
    """What it stands for; of a variable its name; of what is unknown nothing."""
    body: "Sequence | None" = None
    """The commands whose output it is."""


class Word(NamedTuple):
    """A word as it is written."""

    start: int
    end: int
    raw: str
    pieces: tuple[Piece, ...]

    @property
    def is_plain(self) -> bool:
        """Whether it is written without any quotes and expansions."""
        return len(self.pieces) == 1 and self.pieces[0].kind is PieceKind.LITERAL

    @property
    def is_pipe(self) -> bool:
        """Whether it is the name of a pipe to commands, and nothing else."""
        return len(self.pieces) == 1 and self.raw.startswith(("<(", ">("))

    def bodies(self) -> Iterator["Sequence"]:
        """The commands that are run to make this word."""
        return (piece.body for piece in self.pieces if piece.body is not None)


class Meant(NamedTuple):
    """One word as a program gets it."""

    raw: str
    text: str | None
    """None: nobody can say, and it may be any number of words, or none."""
    pieces: tuple[Piece, ...] = ()
    is_glob: bool = False
    """`pieces` are a pattern over names of files, and it becomes those that there are."""
    is_one: bool = False
    """Whatever it becomes, it is exactly one word."""


def as_it_is(word: Word) -> str | None:
    """What a word becomes in which nothing is expanded, as in most; None for all others."""
    if len(word.pieces) != 1:
        return None
    piece = word.pieces[0]
    is_sure = piece.kind is PieceKind.QUOTED or (
        piece.kind is PieceKind.LITERAL and _AS_IT_IS.match(piece.text)
    )
    return piece.text if is_sure else None


def meant(word: Word, known: dict[str, str]) -> tuple[Meant, ...]:
    """What a word becomes; `known` are the variables whose value is sure."""
    if (text := as_it_is(word)) is not None:
        return (Meant(word.raw, text, is_one=True),)
    if word.is_pipe:
        return (Meant(word.raw, PIPE, is_one=True),)
    pieces = _with_home(tuple(_known(piece, known) for piece in word.pieces))
    if any(piece.kind in _UNSURE for piece in pieces) or _tilde(pieces):
        return (Meant(word.raw, None, is_one=_is_one(word)),)
    alternatives = _braces(pieces)
    if alternatives is None:
        return (Meant(word.raw, None),)
    return tuple(_meant(word.raw, one) for one in alternatives)


_UNSURE: Final = frozenset({PieceKind.VARIABLE, PieceKind.OUTPUT, PieceKind.UNKNOWN})


def _known(piece: Piece, known: dict[str, str]) -> Piece:
    if piece.kind is PieceKind.VARIABLE and (value := known.get(piece.text)) is not None:
        return Piece(PieceKind.QUOTED, value)
    return piece


def _meant(raw: str, pieces: tuple[Piece, ...]) -> Meant:
    text = "".join(piece.text for piece in pieces)
    literal = "".join(piece.text for piece in pieces if piece.kind is PieceKind.LITERAL)
    is_glob = "*" in literal or "?" in literal or -1 < literal.find("[") < literal.rfind("]")
    return Meant(raw, text, pieces if is_glob else (), is_glob, is_one=not is_glob)


def _is_one(word: Word) -> bool:
    """Whether an unknown word is within double quotes from its first to its last character."""
    raw = word.raw
    return len(raw) > 2 and raw[0] == raw[-1] == '"' and raw.count('"') == 2 and "@" not in raw


def _with_home(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """`~` and `~/…` at the start are the home folder."""
    if not pieces or pieces[0].kind is not PieceKind.LITERAL:
        return pieces
    first = pieces[0].text
    if not first.startswith("~/") and not (first == "~" and len(pieces) == 1):
        return pieces
    home = Piece(PieceKind.QUOTED, os.path.expanduser("~"))  # noqa: PTH111 - text, not a Path
    return (home, Piece(PieceKind.LITERAL, first[1:]), *pieces[1:])


def _tilde(pieces: tuple[Piece, ...]) -> bool:
    """Whether a tilde is left that may stand for a folder: also in what looks like `a=~/b`."""
    first = pieces[0] if pieces else None
    if first is not None and first.kind is PieceKind.LITERAL and first.text.startswith("~"):
        return True
    literal = (piece.text for piece in pieces if piece.kind is PieceKind.LITERAL)
    return any("=~" in text or ":~" in text for text in literal)


def _braces(pieces: tuple[Piece, ...]) -> tuple[tuple[Piece, ...], ...] | None:
    """The words that `{a,b}` makes of one; None if that is not sure."""
    literal = [piece.text for piece in pieces if piece.kind is PieceKind.LITERAL]
    if not any("{" in text or "}" in text for text in literal):
        return (pieces,)
    if all("," not in text and ".." not in text for text in literal):
        # Without a comma braces stand for themselves: `{}` of find, `HEAD@{1}`.
        return (pieces,)
    if len(pieces) != 1 or not _SURE_IN_BRACES.match(literal[0]):
        return None
    texts = alternatives(literal[0])
    if texts is None:
        return None
    return tuple((Piece(PieceKind.LITERAL, text),) for text in texts)


def alternatives(text: str) -> tuple[str, ...] | None:
    """What a text with lists in braces, none in another, expands to; None if it is another form."""
    fixed: list[tuple[str, ...]] = []
    for at, part in enumerate(re.split(r"\{([^{}]*)\}", text)):
        if at % 2 == 0:
            if "{" in part or "}" in part:
                return None
            fixed.append((part,))
        elif "," in part:
            fixed.append(tuple(part.split(",")))
        else:
            return None
    count = 1
    for one in fixed:
        count *= len(one)
        if count > MOST_ALTERNATIVES:
            return None
    made = tuple("".join(one) for one in product(*fixed))
    # An empty word is dropped by the shell: then it is not sure how many there are.
    return made if all(made) else None
