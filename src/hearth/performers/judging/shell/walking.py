"""Goes through a line that was read, command by command, in the folder each is run in."""

import os
import re
from dataclasses import dataclass, field
from typing import Final, assert_never

from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.judging.paths import Place, resolved
from hearth.performers.judging.shell.findings import Findings
from hearth.performers.judging.shell.globs import Unlisted, listed
from hearth.performers.judging.shell.parts import Asked, Nested, check_assignment, judge, named
from hearth.performers.judging.shell.proving import Argument, moved
from hearth.performers.judging.shell.syntax import (
    AndOr,
    Command,
    Compound,
    Direction,
    Form,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
)
from hearth.performers.judging.shell.variables import is_harmless_name, is_of_locale
from hearth.performers.judging.shell.words import Meant, Word, as_it_is, meant

MOST_WORDS: Final = 1500
"""So many words of a command are looked at."""

_NETWORK: Final = re.compile(r"/dev/(?:tcp|udp)(?:/([^/]*)(?:/([^/]*))?)?\Z")
_READ_ANYWAY: Final = frozenset({"/dev/null", "/dev/stdin"})
_WRITTEN_ANYWAY: Final = frozenset({"/dev/stdout", "/dev/stderr"})
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./@%+:=,-]+\Z")


@dataclass(slots=True)
class Scope:
    """Where commands are run, and what is known there."""

    place: Place
    commands: int
    """How many there are in the line."""
    wrapped: int = 0
    loops: frozenset[str] = frozenset()
    """The variables that are set by one loop of the line and by nothing else."""
    known: dict[str, str] = field(default_factory=dict)
    """The variables whose value is sure."""
    is_fixed: bool = False
    """Whether what follows may run or not, so that `cd` cannot be followed."""

    def inside(self) -> "Scope":
        """One whose changes are not seen here."""
        return Scope(self.place, self.commands, self.wrapped, self.loops, dict(self.known))

    def go(self, place: Place) -> None:
        """From here on commands are run there."""
        self.place = place
        self._know("PWD", place.here)

    def know_folders(self) -> "Scope":
        """Know what is so in every line."""
        self._know("HOME", os.path.expanduser("~"))  # noqa: PTH111 - text, not a Path
        self._know("PWD", self.place.here)
        return self

    def _know(self, name: str, value: str) -> None:
        self.known.pop(name, None)
        if _PLAIN.match(value):
            self.known[name] = value


def walk(sequence: Sequence, scope: Scope, findings: Findings) -> list[Nested]:
    """Find out what all commands need; lines within them are returned."""
    return _Walk(findings).sequence(sequence, scope)


class _Walk:
    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._nested: list[Nested] = []

    def sequence(self, sequence: Sequence, scope: Scope) -> list[Nested]:
        for item in sequence.items:
            self._and_or(item, scope.inside() if item.in_background else scope)
        return self._nested

    def _and_or(self, item: AndOr, scope: Scope) -> None:
        was_fixed = scope.is_fixed
        for at, pipeline in enumerate(item.pipelines):
            self._pipeline(pipeline, scope)
            is_sure = _changes_folder(pipeline) and item.joints[at : at + 1] != ("||",)
            scope.is_fixed = scope.is_fixed or not is_sure
        scope.is_fixed = was_fixed

    def _pipeline(self, pipeline: Pipeline, scope: Scope) -> None:
        is_alone = len(pipeline.commands) == 1
        for command in pipeline.commands:
            self._command(command, scope if is_alone else scope.inside())

    def _command(self, command: Command, scope: Scope) -> None:
        match command:
            case Simple():
                self._simple(command, scope)
            case Compound():
                self._compound(command, scope)
            case _ as never:
                assert_never(never)

    def _compound(self, command: Compound, scope: Scope) -> None:
        for redirection in command.redirections:
            self._redirection(redirection, scope)
        for word in command.words:
            self._within(word, scope)
        match command.form:
            case Form.SUBSHELL:
                for part in command.parts:
                    self.sequence(part, scope.inside())
            case Form.GROUP:
                for part in command.parts:
                    self.sequence(part, scope)
            case Form.EACH:
                self._each(command, scope)
            case Form.BRANCH:
                was_fixed, scope.is_fixed = scope.is_fixed, True
                for part in command.parts:
                    self.sequence(part, scope)
                scope.is_fixed = was_fixed
            case _ as never:
                assert_never(never)

    def _each(self, command: Compound, scope: Scope) -> None:
        name = command.name
        if not is_harmless_name(name):
            self._findings.doubt(f"{name} is set, which may change what runs")
        was_fixed, scope.is_fixed = scope.is_fixed, True
        scope.known.pop(name, None)
        for value in self._values(command, scope):
            if value is not None:
                scope.known[name] = value
            for part in command.parts:
                self.sequence(part, scope)
        scope.known.pop(name, None)
        scope.is_fixed = was_fixed

    def _values(self, command: Compound, scope: Scope) -> list[str | None]:
        """What the variable of a loop is, one after the other; None: nobody knows."""
        if command.name not in scope.loops:
            return [None]
        values = [one.text for word in command.words for one in self._arguments(word, scope)]
        if not values or not all(value and _PLAIN.match(value) for value in values):
            return [None]
        return list(values) if self._findings.may_repeat(len(values) * scope.commands) else [None]

    def _simple(self, command: Simple, scope: Scope) -> None:
        findings = self._findings
        for word in command.words:
            self._within(word, scope)
        for assignment in command.assignments:
            self._within(assignment.value, scope)
            values = meant(assignment.value, scope.known)
            value = values[0].text if len(values) == 1 and not values[0].is_glob else None
            check_assignment(assignment.name, value if assignment.value.raw else "", findings)
            if not command.words and is_of_locale(assignment.name):
                findings.doubt("the rest of the line may be read in another encoding")
            scope.known.pop(assignment.name, None)
        for redirection in command.redirections:
            self._redirection(redirection, scope)
        if not command.words:
            return
        if len(command.words) > MOST_WORDS:
            findings.doubt(f"a command has more than {MOST_WORDS} words")
        looked_at = command.words[:MOST_WORDS]
        words = tuple(one for word in looked_at for one in self._arguments(word, scope))
        if words and words[0].text == "cd":
            self._change_folder(words, scope)
            return
        self._nested += judge(Asked(words, scope.place, scope.wrapped), findings)

    def _within(self, word: Word, scope: Scope) -> None:
        """The commands that are run to make a word."""
        for piece in word.pieces:
            if piece.body is not None:
                self.sequence(piece.body, scope.inside())

    def _arguments(self, word: Word, scope: Scope) -> list[Argument]:
        if (text := as_it_is(word)) is not None:
            return [Argument(word.raw, text, is_one=True)]
        found: list[Argument] = []
        for one in meant(word, scope.known):
            found += self._listed(one, scope)
        return found

    def _listed(self, one: Meant, scope: Scope) -> list[Argument]:
        if not one.is_glob:
            return [Argument(one.raw, one.text, one.is_one)]
        if self._findings.budget.left <= 0 and self._findings.doubts:
            return [Argument(one.raw, None, is_one=False)]
        try:
            paths = listed(one.pieces, scope.place, self._findings.budget)
        except Unlisted as why:
            self._findings.doubt(f"{one.raw}: {why}")
            return [Argument(one.raw, None, is_one=False)]
        return [Argument(one.raw, path) for path in paths]

    def _redirection(self, redirection: Redirection, scope: Scope) -> None:
        self._within(redirection.word, scope)
        findings = self._findings
        direction = redirection.direction
        if direction in {Direction.JOINS, Direction.GIVES}:
            return
        if redirection.word.is_pipe:
            return  # to commands that are looked at by themselves
        found = meant(redirection.word, scope.known)
        path = found[0].text if len(found) == 1 and not found[0].is_glob else None
        if path is None:
            findings.doubt(f"nobody can say what {redirection.word.raw} is")
            return
        if address := _NETWORK.match(path):
            host = ":".join(one for one in address.groups() if one)
            findings.network(host or "*", "the shell itself connects", least=Verdict.ASK)
            return
        if path.startswith("~"):
            path = f"./{path}"
        if direction is not Direction.WRITES:
            findings.opens_files = findings.opens_files or path not in _READ_ANYWAY
            findings.read(path, scope.place, "read by a redirection")
        if direction is not Direction.READS:
            if path in _WRITTEN_ANYWAY:
                findings.reopens = True
            else:
                findings.write(path, scope.place, "written by a redirection")

    def _change_folder(self, words: tuple[Argument, ...], scope: Scope) -> None:
        findings = self._findings
        texts = [word.text for word in words[1:] if word.text != "--"]
        folder = (texts or [os.path.expanduser("~")])[0]  # noqa: PTH111 - text, not a Path
        findings.execute(named(words), Verdict.ALLOW, Verdict.ALLOW, "")
        if len(texts) > 1 or folder is None or folder.startswith("-") or not folder:
            findings.doubt("nobody can say where cd leads")
            return
        if scope.is_fixed:
            findings.doubt("cd may be run or not, so nobody can say where the rest is run")
        if "CDPATH" in os.environ and not folder.startswith(("/", "./", "../")):
            findings.doubt("cd may lead to a folder of CDPATH")
        path = folder if not folder.startswith("~") else f"./{folder}"
        findings.read(path, scope.place, "gone to by cd")
        target = resolved(path, scope.place)
        plain = os.path.normpath(os.path.join(scope.place.here, path))  # noqa: PTH118 - text
        if target is None or target != plain or not _can_go(target):
            findings.doubt(f"it cannot be proven that cd leads to {folder}")
            return
        if scope.place.here != scope.place.directory and ".." in path.split("/"):
            findings.doubt("cd .. leads elsewhere where the folder was reached by a link")
        scope.go(moved(scope.place, target))


def _can_go(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)  # noqa: PTH112 - text, not a Path


def _changes_folder(pipeline: Pipeline) -> bool:
    """Whether it is nothing but a `cd`, which is known to work."""
    command = pipeline.commands[0]
    return (
        len(pipeline.commands) == 1
        and isinstance(command, Simple)
        and bool(command.words)
        and command.words[0].raw == "cd"
    )
