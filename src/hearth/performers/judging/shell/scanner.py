"""Takes a command line apart into words and signs, as bash does, or says that it cannot.

Only what is sure is read: everything else is `Unread`. Offsets are those of the line in UTF-8,
whose bytes are looked at as if each were a character: all that has a meaning is ASCII.
"""

import re
from collections.abc import Callable
from typing import Final

from hearth.performers.judging.shell.escapes import decoded
from hearth.performers.judging.shell.syntax import Broken, Sequence, Unread
from hearth.performers.judging.shell.words import Piece, PieceKind, Word

_SIGN: Final = re.compile(
    r"(?![<>]\()(?:&>>|<<<|<<-|;;&|&>|>>|>\||<>|<<|>&|<&|&&|\|\||\|&|;;|;&|[<>|&;()\n])"
)
"""What ends a word; the longest come first. A pipe to a command is a word."""

_ENDS: Final = frozenset(" \t\n|&;()<>")
_PLAIN: Final = re.compile(r"[^ \t\n|&;()<>'\"\\$`]+")
_WHOLE: Final = re.compile(r"[^ \t\n|&;()<>'\"\\$`]++(?=[ \t\n|&;()]|\Z)")
"""A word with nothing in it that is quoted or stands for something else."""
_NEXT: Final = re.compile(
    r"[ \t]*+([^ \t\n|&;()<>'\"\\$`#][^ \t\n|&;()<>'\"\\$`]*+)(?=[ \t\n|&;()]|\Z)"
)
"""One more of these behind blanks, and no comment."""
_IN_DOUBLE: Final = re.compile(r"[^\"\\$`]+")
_BLANK: Final = re.compile(r"(?:[ \t]|\\\n)+")
_BEFORE_WORDS: Final = frozenset(" \t\\#")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL_NAME: Final = frozenset("?$!#@*-0123456789")
_SURE_BRACED: Final = re.compile(
    r"\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*])"
    r"|#[A-Za-z_][A-Za-z0-9_]*"
    r"|[A-Za-z_][A-Za-z0-9_]*(?::-|-|:\+|\+|##?|%%?)[A-Za-z0-9_./*-]*)\}"
)
"""Forms that neither set a variable nor calculate nor run anything."""
_SURE_SUM: Final = re.compile(r"\(\([0-9 +*/%()-]*\)\)")


def text_of(raw: str) -> str:
    """What the bytes that were looked at mean as text."""
    return raw if raw.isascii() else raw.encode("latin-1").decode()


class Scanner:
    """Reads one line, from its start to its end, without going back."""

    def __init__(self, line: str) -> None:
        self.line = line.encode().decode("latin-1")
        self.at = 0
        self.limit = -1
        """Where the backquotes end within which it is; negative: within none."""
        self.words: list[Word] = []
        """All that were read, also those within others."""

    def skip_blanks(self) -> None:
        """Go on to the next word or sign of this line; a comment is none."""
        if self.line[self.at : self.at + 1] not in _BEFORE_WORDS:
            return
        if found := _BLANK.match(self.line, self.at):
            self.at = found.end()
        if self.line.startswith("#", self.at):
            end = self.line.find("\n", self.at)
            self.at = len(self.line) if end < 0 else end

    def sign(self) -> str:
        """The sign that stands here; "" if none does. A pipe to a command is a word."""
        found = _SIGN.match(self.line, self.at)
        return found[0] if found else ""

    def take(self, sign: str) -> bool:
        """Go past this sign, if it stands here."""
        if self.sign() != sign:
            return False
        self.at += len(sign)
        return True

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left, of the line or within these backquotes."""
        return self.at >= len(self.line) or self.at == self.limit

    def word(self, inside: Callable[[str], Sequence]) -> Word | None:
        """The word that stands here. `inside` reads commands up to a sign that ends them."""
        start, line = self.at, self.line
        pieces: list[Piece] = []
        if (found := _WHOLE.match(line, start)) and (self.limit < 0 or found.end() <= self.limit):
            self.at = found.end()
            text = text_of(found[0])
            word = Word(start, self.at, text, (Piece(PieceKind.LITERAL, text),))
            self.words.append(word)
            return word
        while not self.is_at_end:
            one = line[self.at]
            if one in _ENDS:
                if not line.startswith(("<(", ">("), self.at):
                    break
                self.at += 2
                pieces.append(Piece(PieceKind.OUTPUT, "", inside(")")))
            else:
                pieces += self._piece(one, inside)
        if self.at == start:
            return None
        joined = tuple(pieces) if len(pieces) == 1 else _joined(pieces)
        word = Word(start, self.at, text_of(line[start : self.at]), joined)
        self.words.append(word)
        return word

    def plain_words(self, words: list[Word]) -> None:
        """Take all words that stand here one after the other, up to the first that is not plain."""
        if self.limit >= 0:
            return
        line, at = self.line, self.at
        while found := _NEXT.match(line, at):
            start, at = found.span(1)
            text = text_of(found[1])
            word = Word(start, at, text, (Piece(PieceKind.LITERAL, text),))
            words.append(word)
            self.words.append(word)
        self.at = at

    def document(self, end: int, inside: Callable[[str], Sequence]) -> list[Piece]:
        """What is within a here-document that ends there and whose end is not quoted."""
        pieces: list[Piece] = []
        while self.at < end:
            one = self.line[self.at]
            if one == "\\":
                if self.line.startswith("\\\n", self.at):
                    raise Unread("a here-document goes on behind a backslash")
                self.at += 2
            elif one == "$":
                pieces += self._dollar(inside, quoted=True)
            elif one == "`":
                pieces.append(self._backquoted(inside, quoted=False))
            else:
                self.at += 1
        if self.at != end:
            raise Unread("something in a here-document goes beyond its end")
        return pieces

    def _piece(self, one: str, inside: Callable[[str], Sequence]) -> list[Piece]:
        line = self.line
        if found := _PLAIN.match(line, self.at):
            self.at = found.end()
            return [Piece(PieceKind.LITERAL, text_of(found[0]))]
        if one == "'":
            end = self._find("'", self.at + 1, "a quote")
            text = line[self.at + 1 : end]
            self.at = end + 1
            return [Piece(PieceKind.QUOTED, text_of(text))]
        if one == '"':
            return self._doubly_quoted(inside)
        if one == "\\":
            return [self._escaped()]
        if one == "`":
            return [self._backquoted(inside, quoted=False)]
        return self._dollar(inside, quoted=False)

    def _escaped(self) -> Piece:
        end = self.at + 2
        if end > len(self.line):
            raise Broken("a backslash stands at the end")
        text = self.line[self.at + 1 : end]
        if text == "\n":
            raise Unread("a word goes on in the next line")
        if not text.isascii():
            raise Unread("a backslash stands before a character that is not ASCII")
        self.at = end
        return Piece(PieceKind.QUOTED, text)

    def _doubly_quoted(self, inside: Callable[[str], Sequence]) -> list[Piece]:
        line = self.line
        self.at += 1
        pieces: list[Piece] = [Piece(PieceKind.QUOTED)]
        while True:
            if self.at >= len(line):
                raise Broken("a double quote is not closed")
            one = line[self.at]
            if found := _IN_DOUBLE.match(line, self.at):
                self.at = found.end()
                pieces.append(Piece(PieceKind.QUOTED, text_of(found[0])))
            elif one == '"':
                self.at += 1
                return pieces
            elif one == "\\":
                pieces.append(self._escaped_in_double())
            elif one == "`":
                pieces.append(self._backquoted(inside, quoted=True))
            else:
                pieces += self._dollar(inside, quoted=True)

    def _escaped_in_double(self) -> Piece:
        following = self.line[self.at + 1 : self.at + 2]
        if following == "\n":
            raise Unread("a word goes on in the next line")
        if following and following in '$`"\\':
            self.at += 2
            return Piece(PieceKind.QUOTED, following)
        self.at += 1
        return Piece(PieceKind.QUOTED, "\\")

    def _dollar(self, inside: Callable[[str], Sequence], *, quoted: bool) -> list[Piece]:
        line, at = self.line, self.at
        if found := _NAME.match(line, at + 1):
            self.at = found.end()
            if line.startswith("[", self.at) and not quoted:
                # `$x[1]` is `$x` and a pattern, but it is read as something else by too many.
                raise Unread("a bracket stands behind a variable")
            return [Piece(PieceKind.VARIABLE, found[0])]
        match line[at + 1 : at + 2]:
            case "{":
                return [self._braced()]
            case "(":
                return [self._output(inside)]
            case "[":
                raise Unread("what $[…] stands for cannot be told")
            case "'" if not quoted:
                return [self._written_in_c()]
            case '"' if not quoted:
                raise Unread('$"…" is translated to nobody knows what')
            case following if following and following in _SPECIAL_NAME:
                self.at = at + 2
                return [Piece(PieceKind.UNKNOWN)]
            case _:
                self.at = at + 1
                return [Piece(PieceKind.QUOTED, "$")]

    def _braced(self) -> Piece:
        found = _SURE_BRACED.match(self.line, self.at + 1)
        if found is None:
            raise Unread("what ${…} stands for cannot be told")
        self.at = found.end()
        name = found["name"] or ""
        if _NAME.fullmatch(name):
            return Piece(PieceKind.VARIABLE, name)
        return Piece(PieceKind.UNKNOWN)

    def _output(self, inside: Callable[[str], Sequence]) -> Piece:
        if self.line.startswith("((", self.at + 1):
            found = _SURE_SUM.match(self.line, self.at + 1)
            if found is None:
                raise Unread("what $((…)) comes to cannot be told")
            self.at = found.end()
            return Piece(PieceKind.UNKNOWN)
        self.at += 2
        return Piece(PieceKind.OUTPUT, "", inside(")"))

    def _backquoted(self, inside: Callable[[str], Sequence], *, quoted: bool) -> Piece:
        if self.limit >= 0:
            raise Unread("backquotes stand within backquotes")
        end = self._find("`", self.at + 1, "a backquote")
        within = self.line[self.at + 1 : end]
        if "\\" in within or (quoted and '"' in within) or "#" in within or "<<" in within:
            raise Unread("what stands in backquotes is not plain")
        self.at += 1
        self.limit = end
        body = inside("")
        if self.at != end:
            raise Unread("backquotes end within something else")
        self.limit = -1
        self.at = end + 1
        return Piece(PieceKind.OUTPUT, "", body)

    def _written_in_c(self) -> Piece:
        start = self.at + 2
        at = start
        while True:
            at = self._find("'", at, "a quote")
            if (at - len(self.line[start:at].rstrip("\\")) - start) % 2 == 0:
                break
            at += 1
        self.at = at + 1
        text = decoded(self.line[start:at])
        if text is None:
            raise Unread("what $'…' stands for cannot be told")
        return Piece(PieceKind.QUOTED, text)

    def _find(self, end: str, start: int, what: str) -> int:
        found = self.line.find(end, start)
        if found < 0:
            raise Broken(f"{what} is not closed")
        return found


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one kind as one."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and last.kind is piece.kind and piece.kind in _TEXTS:
            joined[-1] = Piece(piece.kind, last.text + piece.text)
        else:
            joined.append(piece)
    return tuple(joined)


_TEXTS: Final = frozenset({PieceKind.LITERAL, PieceKind.QUOTED})
