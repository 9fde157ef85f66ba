"""What a line for the shell needs permission for, before anything of it is run.

It is read twice, by `reading` and by tree-sitter. Only if both find the same words, the same
commands and nothing that they do not know, and only if every command is known to only read with
just these options, nothing has to be asked for. An attacker may have written the line: what cannot
be proven is asked for, whatever the rules say.
"""

from dataclasses import dataclass
from typing import Final

from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell import characters
from hearth.performers.judging.shell.findings import Findings, shown
from hearth.performers.judging.shell.looping import set_once
from hearth.performers.judging.shell.parts import Nested
from hearth.performers.judging.shell.proving import limited
from hearth.performers.judging.shell.reading import Read, read
from hearth.performers.judging.shell.syntax import Broken, Unread
from hearth.performers.judging.shell.walking import Scope, walk
from hearth.performers.judging.shell.witness import Seen, witness
from hearth.performers.judging.shell.wrapping import DEEPEST

LONGEST: Final = 100_000
"""A longer line is not looked at."""

_MOST_LINES: Final = 50
"""So many lines within lines are read."""
_MOST_TOLD: Final = 3000
"""Of a line that cannot be read and is longer, not even the commands are told."""
_SHOWN: Final = 500


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a line."""

    needs: tuple[Need, ...]
    reads_only: bool
    """Proven: it only reads, wherever that is."""
    parts: tuple[str, ...]
    """The commands in it, as rules know them."""
    doubts: tuple[str, ...]
    broken: str = ""
    """Why the shell could not read it either; it would run what stands before that."""
    line: str = ""
    """What was looked at, with nothing hidden in it."""
    told: tuple[tuple[int, Need], ...] = ()
    """The needs in the order of the line, and how deep each is."""

    @property
    def shown(self) -> str:
        """For people: the commands, what each needs, and what is doubtful."""
        needs = (f"{'  ' * depth}{shown(need)}" for depth, need in self.told)
        return "\n".join([f"$ {self.line}", *needs, *(f"doubt: {one}" for one in self.doubts)])


def analyse(command: str, place: Place) -> Analysis:
    """Find out what a line for bash needs. Never raises, runs nothing; may look at the disk."""
    findings = Findings()
    broken = _line(command, limited(place), findings)
    if not findings.parts and not findings.doubts:
        findings.doubt("there is no command in it")
    if findings.reopens and findings.opens_files:
        # Linux opens anew what /dev/stdout stands for, which may be a file that was only read.
        findings.doubt("what it has open for reading may be written to by another name")
    line = characters.visible(command if len(command) <= _SHOWN else f"{command[:_SHOWN]}…")
    needs = findings.settled(line)
    doubts = tuple(findings.doubts)
    return Analysis(
        needs,
        findings.reads_only and not doubts and bool(findings.parts),
        tuple(findings.parts),
        doubts,
        broken,
        line,
        tuple(findings.told),
    )


def _line(command: str, place: Place, findings: Findings) -> str:
    """The line and those within it; returns why it is none."""
    waiting = [Nested(command, place, 0)]
    broken = ""
    count = 0
    while waiting:
        nested = waiting.pop(0)
        count += 1
        if count > _MOST_LINES or nested.wrapped > DEEPEST:
            findings.doubt("too many lines stand within one another")
            break
        try:
            waiting += _one(nested, findings)
        except Broken as why:
            findings.doubt(str(why))
            broken = broken or str(why)
        except Unread as why:
            findings.doubt(str(why))
    return broken


def _one(nested: Nested, findings: Findings) -> list[Nested]:
    line = nested.script
    if problem := _unreadable(line):
        findings.doubt(problem)
        return []
    if strange := characters.hidden(line):
        findings.doubt(f"it has {', '.join(strange)} in it, which nobody sees")
    try:
        found = read(line)
    except Unread:
        if len(line) <= _MOST_TOLD:
            _tell(witness(line), findings)
        raise
    seen = witness(line)
    if seen.doubt:
        findings.doubt(seen.doubt)
    if not _agree(found, seen):
        findings.doubt("it can be read in two ways")
    scope = _scope(nested, found)
    waiting = walk(found.sequence, scope, findings)
    for body in found.documented:
        if scope.place.directory != nested.place.directory:
            findings.doubt("commands in a here-document are run in another folder")
        waiting += walk(body, _scope(nested, found), findings)
    return waiting


def _scope(nested: Nested, found: Read) -> Scope:
    has_loops = "for" in nested.script  # it stands there as it is, or there is none
    loops = set_once((found.sequence, *found.documented)) if has_loops else frozenset()
    return Scope(nested.place, len(found.names), nested.wrapped, loops).know_folders()


def _unreadable(line: str) -> str:
    if len(line) > LONGEST:
        return f"it is longer than {LONGEST:,} characters"
    if not line.isascii():
        try:
            line.encode()
        except UnicodeEncodeError:
            return "it is not valid text"
    return "it has a NUL character in it" if "\0" in line else ""


def _agree(found: Read, seen: Seen) -> bool:
    words = {(word.start, word.end) for word in found.words}
    return words == seen.words and found.names == seen.names and found.documents == seen.documents


def _tell(seen: Seen, findings: Findings) -> None:
    """The commands of a line that could not be read, as they are written: rules see them."""
    for text in seen.commands:
        findings.execute((characters.visible(text),), Verdict.ASK, Verdict.ASK, "")
