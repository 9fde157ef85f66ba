"""Reads a command line into commands, as bash would, or says that it cannot.

This is the first of two readings. The second is tree-sitter's, and they must agree: a form that
this one does not know is `Unread`, which asks; so it knows few, and those exactly.
"""

import re
from dataclasses import dataclass
from typing import Final

from hearth.performers.judging.shell.commands import Commands
from hearth.performers.judging.shell.syntax import (
    AndOr,
    Broken,
    Command,
    Compound,
    Form,
    Pipeline,
    Sequence,
    Simple,
    Unread,
)
from hearth.performers.judging.shell.words import Piece, PieceKind, Word

DEEPEST: Final = 16
"""So far may commands stand within commands."""
MOST_COMMANDS: Final = 400
MOST_IN_A_CONDITION: Final = 60
"""So many words: the second reading takes very long for more."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NOTHING_SPECIAL: Final = re.compile(r"[A-Za-z0-9_./=!@%+:,-]+\Z")
_SEPARATORS: Final = frozenset({";", "&", "\n"})
_OPENING: Final = frozenset(
    {"if", "while", "until", "for", "case", "select", "function", "coproc", "{", "!"}
)
_CLOSING: Final = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}", "in", "]]"})


def _is_as_it_is(piece: Piece) -> bool:
    """Whether a piece means the same wherever it stands: it is no pattern, and no folder."""
    if piece.kind is PieceKind.LITERAL:
        return _NOTHING_SPECIAL.match(piece.text) is not None
    return piece.kind in {PieceKind.QUOTED, PieceKind.VARIABLE}


@dataclass(slots=True)
class Read:
    """What a line was read to be."""

    sequence: Sequence
    words: tuple[Word, ...]
    names: frozenset[tuple[int, int]]
    """Where the names of commands stand."""
    documents: frozenset[int]
    """Where the lines stand that end here-documents."""
    documented: tuple[Sequence, ...]
    """The commands that are run to make the text of here-documents."""


def read(line: str) -> Read:
    """Read a line. Raises Unread for what is not sure, and Broken for what is no command line."""
    return _Reader(line).read()


class _Reader(Commands):
    def __init__(self, line: str) -> None:
        super().__init__(line)
        self._depth = 0
        self._commands = 0

    def read(self) -> Read:
        sequence = self._sequence("")
        if not self.scanner.is_at_end:
            raise Broken(f"{self.scanner.sign() or 'a word'!r} stands where nothing can")
        self.no_documents()
        return Read(
            sequence,
            tuple(self.scanner.words),
            frozenset(self.names),
            frozenset(self.ends),
            tuple(self.documented),
        )

    def inside(self, end: str) -> Sequence:
        """Commands within a word, up to and including the sign that ends them."""
        outer, self.pending = self.pending, []
        if outer:
            raise Unread("commands stand in a line that a here-document follows")
        sequence = self._sequence(end)
        if end and not self.scanner.take(end):
            raise Broken("a parenthesis is not closed")
        self.no_documents()
        self.pending = outer
        return sequence

    def _sequence(self, end: str, closing: frozenset[str] = frozenset()) -> Sequence:
        """Commands up to a sign, or to a word that closes; which is not taken."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unread(f"commands stand within commands more than {DEEPEST} deep")
        items: list[AndOr] = []
        while True:
            self.skip_lines()
            if self._stops(end, closing):
                break
            items.append(self._and_or())
        self._depth -= 1
        return Sequence(tuple(items))

    def _stops(self, end: str, closing: frozenset[str]) -> bool:
        scanner = self.scanner
        if scanner.is_at_end:
            return True
        sign = scanner.sign()
        if sign and sign == end:
            return True
        if ";;" in closing and sign in {";;", ";&", ";;&"}:
            return True
        return bool(closing) and self.peek() in closing

    def _and_or(self) -> AndOr:
        pipelines = [self._pipeline()]
        joints: list[str] = []
        while True:
            self.scanner.skip_blanks()
            sign = self.scanner.sign()
            if sign not in {"&&", "||"}:
                break
            self.scanner.take(sign)
            joints.append(sign)
            self.skip_lines()
            pipelines.append(self._pipeline())
        in_background = False
        if sign in _SEPARATORS:
            in_background = sign == "&"
            if sign != "\n":
                self.scanner.take(sign)
        elif not self.scanner.is_at_end and sign not in {";;", ";&", ";;&", ")"}:
            raise Unread("something stands behind a command that does not belong there")
        return AndOr(tuple(pipelines), tuple(joints), in_background)

    def _pipeline(self) -> Pipeline:
        if self.peek() == "!":
            self.keyword("!")
            self.scanner.skip_blanks()
        commands = [self._command()]
        while True:
            self.scanner.skip_blanks()
            sign = self.scanner.sign()
            if sign not in {"|", "|&"}:
                return Pipeline(tuple(commands))
            self.scanner.take(sign)
            self.skip_lines()
            commands.append(self._command())

    def _command(self) -> Command:
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            raise Unread(f"it is more than {MOST_COMMANDS} commands")
        scanner = self.scanner
        scanner.skip_blanks()
        if scanner.sign() == "(":
            if scanner.line.startswith("((", scanner.at):
                raise Unread("what ((…)) comes to cannot be told")
            scanner.take("(")
            body = self._sequence(")")
            if not scanner.take(")"):
                raise Broken("a parenthesis is not closed")
            return Compound(Form.SUBSHELL, (body,), self.redirections())
        keyword = self.peek()
        if keyword == "[[":
            return self._condition()
        if keyword in _CLOSING:
            raise Unread(f"{keyword!r} stands where a command begins")
        if keyword in _OPENING:
            return self._compound(keyword)
        return self.simple()

    def _condition(self) -> Simple:
        """`[[ … ]]`, as if it were a command with words that nothing is expanded to."""
        scanner = self.scanner
        words: list[Word] = []
        while not words or words[-1].raw != "]]":
            if len(words) > MOST_IN_A_CONDITION:
                raise Unread("more is asked between [[ and ]] than anybody would")
            scanner.skip_blanks()
            if words and (sign := scanner.sign()) in {"&&", "||"}:
                start = scanner.at
                scanner.take(sign)
                words.append(Word(start, scanner.at, sign, (Piece(PieceKind.LITERAL, sign),)))
                scanner.words.append(words[-1])
                continue
            word = self.needed_word()
            if words and word.raw != "]]" and not all(map(_is_as_it_is, word.pieces)):
                raise Unread("what stands between [[ and ]] is not plain")
            words.append(word)
        self.names.add((words[0].start, words[0].end))
        return Simple(tuple(words), (), self.redirections())

    def _compound(self, keyword: str) -> Compound:
        match keyword:
            case "{":
                self.keyword("{")
                body = self._sequence("", frozenset({"}"}))
                self.keyword("}")
                return Compound(Form.GROUP, (body,), self.redirections())
            case "if":
                return self._choice()
            case "while" | "until":
                self.keyword(keyword)
                condition = self._sequence("", frozenset({"do"}))
                return Compound(Form.BRANCH, (condition, self._done()), self.redirections())
            case "for":
                return self._each()
            case "case":
                return self._cases()
            case _:
                raise Unread(f"{keyword!r} is not known here")

    def _choice(self) -> Compound:
        parts: list[Sequence] = []
        keyword = "if"
        while keyword in {"if", "elif"}:
            self.keyword(keyword)
            parts.append(self._sequence("", frozenset({"then"})))
            self.keyword("then")
            parts.append(self._sequence("", frozenset({"elif", "else", "fi"})))
            keyword = self.peek()
        if keyword == "else":
            self.keyword("else")
            parts.append(self._sequence("", frozenset({"fi"})))
        self.keyword("fi")
        return Compound(Form.BRANCH, tuple(parts), self.redirections())

    def _done(self) -> Sequence:
        self.keyword("do")
        body = self._sequence("", frozenset({"done"}))
        self.keyword("done")
        return body

    def _each(self) -> Compound:
        self.keyword("for")
        self.scanner.skip_blanks()
        name = self.word()
        if name is None or not _NAME.match(name.raw):
            raise Unread("the variable of a loop is no plain name")
        self.scanner.skip_blanks()
        words: list[Word] = []
        if self.peek() != "in":
            raise Unread("a loop does not say over what it goes")
        self.keyword("in")
        while True:
            self.scanner.skip_blanks()
            word = self.word()
            if word is None:
                break
            words.append(word)
        if not self.scanner.take(";") and self.scanner.sign() != "\n":
            raise Unread("a loop is not written as usual")
        self.skip_lines()
        return Compound(Form.EACH, (self._done(),), self.redirections(), tuple(words), name.raw)

    def _cases(self) -> Compound:
        self.keyword("case")
        self.scanner.skip_blanks()
        words = [self.needed_word()]
        self.skip_lines()
        self.keyword("in")
        parts: list[Sequence] = []
        while True:
            self.skip_lines()
            if self.peek() == "esac":
                break
            self.scanner.take("(")
            while True:
                self.scanner.skip_blanks()
                words.append(self.needed_word())
                self.scanner.skip_blanks()
                if not self.scanner.take("|"):
                    break
            if not self.scanner.take(")"):
                raise Unread("a pattern of a case is not written as usual")
            parts.append(self._sequence("", frozenset({";;", "esac"})))
            if self.peek() != "esac" and not any(map(self.scanner.take, (";;", ";&", ";;&"))):
                raise Unread("a case is not written as usual")
        self.keyword("esac")
        return Compound(Form.BRANCH, tuple(parts), self.redirections(), tuple(words))
