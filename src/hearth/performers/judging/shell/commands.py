"""Reads commands word by word, with their redirections and here-documents.

What stands within words, and around commands, is read by `reading`.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final

from hearth.performers.judging.shell.scanner import Scanner
from hearth.performers.judging.shell.syntax import (
    Assignment,
    Broken,
    Direction,
    Redirection,
    Sequence,
    Simple,
    Unread,
)
from hearth.performers.judging.shell.words import Piece, PieceKind, Word

_ASSIGNED: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_SUBSCRIPT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_DESCRIPTOR: Final = re.compile(r"[0-9]+\Z")
_NUMBERED: Final = re.compile(r"[0-9]++(?=[<>](?!\())")
_PLAIN_WORD: Final = re.compile(r"[^ \t\n|&;()<>'\"\\$`]++(?=[ \t\n|&;()<>`]|\Z)")
_JOINED: Final = re.compile(r"[0-9]*-?\Z")
_NAMED_DESCRIPTOR: Final = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}\Z")
_REDIRECTIONS: Final = {
    "<": Direction.READS,
    ">": Direction.WRITES,
    ">>": Direction.WRITES,
    ">|": Direction.WRITES,
    "&>": Direction.WRITES,
    "&>>": Direction.WRITES,
    "<>": Direction.BOTH,
    "<&": Direction.JOINS,
    ">&": Direction.JOINS,
    "<<": Direction.GIVES,
    "<<-": Direction.GIVES,
    "<<<": Direction.GIVES,
}


@dataclass(slots=True)
class _Document:
    end: str
    strips_tabs: bool
    is_quoted: bool


class Commands(ABC):
    """The simple commands of a line, from its start to its end."""

    def __init__(self, line: str) -> None:
        self.scanner = Scanner(line)
        self.names: set[tuple[int, int]] = set()
        """Where the names of commands stand."""
        self.ends: set[int] = set()
        """Where the lines stand that end here-documents."""
        self.documented: list[Sequence] = []
        """The commands that are run to make the text of here-documents."""
        self.pending: list[_Document] = []
        """The here-documents that begin with the next line."""

    @abstractmethod
    def inside(self, end: str) -> Sequence:
        """Commands within a word, up to and including the sign that ends them."""

    def skip_lines(self) -> None:
        """Go on to the next word or sign, over the ends of lines."""
        while True:
            self.scanner.skip_blanks()
            if self.scanner.sign() != "\n":
                return
            self._newline()

    def _newline(self) -> None:
        self.scanner.at += 1
        pending, self.pending = self.pending, []
        for document in pending:
            self._take_document(document)

    def _take_document(self, document: _Document) -> None:
        scanner, line = self.scanner, self.scanner.line
        start = at = scanner.at
        while True:
            if at >= len(line):
                raise Unread("a here-document does not end")
            stop = line.find("\n", at)
            stop = len(line) if stop < 0 else stop
            text = line[at:stop]
            if (text.lstrip("\t") if document.strips_tabs else text) == document.end:
                break
            at = stop + 1
        if not document.is_quoted:
            scanner.at = start
            pieces = scanner.document(at, self.inside)
            self.documented += (piece.body for piece in pieces if piece.body is not None)
        self.ends.add(at + len(text) - len(text.lstrip("\t")))
        scanner.at = min(stop + 1, len(line))

    def no_documents(self) -> None:
        """Nothing that was begun may be missing here."""
        if self.pending:
            raise Unread("a here-document does not end")

    def simple(self) -> Simple:
        """A command with its words."""
        words: list[Word] = []
        assignments: list[Assignment] = []
        redirections: list[Redirection] = []
        scanner = self.scanner
        while True:
            scanner.skip_blanks()
            if scanner.line[scanner.at : scanner.at + 1] in {"<", ">", "&"}:
                redirection = self._redirection()
                if redirection is not None:
                    redirections.append(redirection)
                    continue
            word = self.word()
            if word is None:
                break
            if _DESCRIPTOR.match(word.raw) and scanner.line[scanner.at : scanner.at + 1] in {
                "<",
                ">",
            }:
                scanner.words.pop()
                continue
            if not words and (assignment := self._assignment(word)) is not None:
                assignments.append(assignment)
                continue
            words.append(word)
            scanner.plain_words(words)
        if scanner.sign() == "(":
            return self._function(words)
        if words:
            self._name(words[0])
        elif not assignments and not redirections:
            raise Broken("a command is missing")
        return Simple(tuple(words), tuple(assignments), tuple(redirections))

    def _name(self, word: Word) -> None:
        if word.raw.startswith("[") and word.raw != "[":
            # No command is called so, and the second reading takes very long for such a line.
            raise Unread("the name of a command begins with a bracket")
        self.names.add((word.start, word.end))

    def _function(self, words: list[Word]) -> Simple:
        raise Unread(
            f"a function {words[0].raw!r} is defined"
            if len(words) == 1
            else "a parenthesis stands where none can"
        )

    def _assignment(self, word: Word) -> Assignment | None:
        first = word.pieces[0]
        if first.kind is not PieceKind.LITERAL:
            return None
        if _SUBSCRIPT.match(first.text):
            raise Unread("a word begins like an element of an array")
        found = _ASSIGNED.match(first.text)
        if found is None:
            return None
        if self.scanner.line.startswith("(", self.scanner.at):
            raise Unread("an array is set")
        rest = first.text[found.end() :]
        pieces = (Piece(PieceKind.LITERAL, rest), *word.pieces[1:]) if rest else word.pieces[1:]
        if found[2]:
            pieces = (Piece(PieceKind.UNKNOWN), *pieces)
        at = word.start + found.end()
        return Assignment(found[1], Word(at, word.end, word.raw[found.end() :], pieces))

    def redirections(self) -> tuple[Redirection, ...]:
        """Those behind a compound command."""
        found: list[Redirection] = []
        while True:
            self.scanner.skip_blanks()
            if numbered := _NUMBERED.match(self.scanner.line, self.scanner.at):
                self.scanner.at = numbered.end()
            redirection = self._redirection()
            if redirection is None:
                return tuple(found)
            found.append(redirection)

    def _redirection(self) -> Redirection | None:
        sign = self.scanner.sign()
        direction = _REDIRECTIONS.get(sign)
        if direction is None:
            return None
        self.scanner.take(sign)
        self.scanner.skip_blanks()
        word = self.needed_word()
        if sign in {"<<", "<<-"}:
            self.scanner.words.pop()
            self._begin(word, strips_tabs=sign == "<<-")
        if direction is Direction.JOINS and not (word.is_plain and _JOINED.match(word.raw)):
            if sign == "<&" or not word.is_plain:
                raise Unread("a descriptor is no number")
            direction = Direction.WRITES
        return Redirection(direction, word)

    def _begin(self, word: Word, *, strips_tabs: bool) -> None:
        """A here-document whose end is this word. What is in it comes with the next line."""
        if any(piece.kind not in {PieceKind.LITERAL, PieceKind.QUOTED} for piece in word.pieces):
            raise Unread("the end of a here-document is no plain word")
        if "\\" in word.raw or "\n" in word.raw:
            raise Unread("the end of a here-document is no plain word")
        text = "".join(piece.text for piece in word.pieces).encode().decode("latin-1")
        self.pending.append(_Document(text, strips_tabs, is_quoted=not word.is_plain))

    def keyword(self, keyword: str) -> None:
        """Go past this word, which must stand here."""
        self.scanner.skip_blanks()
        if self.peek() != keyword:
            raise Broken(f"{keyword!r} is missing")
        self.scanner.at += len(keyword)

    def peek(self) -> str:
        """The plain word that stands here; "" if there is none."""
        found = _PLAIN_WORD.match(self.scanner.line, self.scanner.at)
        return found[0] if found else ""

    def word(self) -> Word | None:
        """The word that stands here; None if there is none."""
        word = self.scanner.word(self.inside)
        at = self.scanner.at
        is_redirected = self.scanner.line[at : at + 1] in {"<", ">"}
        if word is not None and is_redirected and _NAMED_DESCRIPTOR.match(word.raw):
            raise Unread("a descriptor is kept in a variable")
        return word

    def needed_word(self) -> Word:
        """The word that must stand here."""
        word = self.word()
        if word is None:
            raise Broken("a word is missing")
        return word
