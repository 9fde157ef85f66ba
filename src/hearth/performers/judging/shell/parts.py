"""What one command of a line needs."""

import re
from dataclasses import dataclass, replace
from typing import Final

from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell import characters, naming
from hearth.performers.judging.shell.finding import runs
from hearth.performers.judging.shell.findings import Findings
from hearth.performers.judging.shell.found_files import found_files
from hearth.performers.judging.shell.git_reading import git
from hearth.performers.judging.shell.lookup import is_of_project
from hearth.performers.judging.shell.operands import is_there, may_be_paths
from hearth.performers.judging.shell.protecting import forbidden
from hearth.performers.judging.shell.proving import Argument, Call, Prover, Reads, Unproven
from hearth.performers.judging.shell.readers import READERS
from hearth.performers.judging.shell.repository import trouble_with
from hearth.performers.judging.shell.searching import SEARCHERS
from hearth.performers.judging.shell.small_readers import SMALL_READERS
from hearth.performers.judging.shell.variables import is_harmless
from hearth.performers.judging.shell.wrapping import DEEPEST, Wrapped, unwrapped
from hearth.performers.judging.shell.writers import Does, done_by

_OF_SYSTEM: Final = re.compile(r"/+(?:usr/+)?(?:local/+)?s?bin/+([^/]+)\Z")
_PROGRAMMED: Final = frozenset({"sed", "awk", "gawk", "mawk", "grep", "rg", "perl", "jq", "tr"})
"""Their words are often programs and patterns, which look like paths."""

_PROVERS: Final[dict[str, Prover]] = {**READERS, **SMALL_READERS, **SEARCHERS, "git": git}


@dataclass(frozen=True, slots=True)
class Asked:
    """A command with its words, where it is run and how deep it is within others."""

    words: tuple[Argument, ...]
    place: Place
    wrapped: int = 0
    doubt: str = ""
    """Why it has to be asked for, whatever it is."""
    by_shell: bool = True
    """The shell itself runs it, not another program."""


@dataclass(frozen=True, slots=True)
class Nested:
    """A command line within a command, that is still to be read."""

    script: str
    place: Place
    wrapped: int


def judge(asked: Asked, findings: Findings) -> list[Nested]:
    """Find out what a command needs; what it runs by itself is returned, if it is a line."""
    if not asked.words:
        return []
    name = asked.words[0].text
    if name is None:
        _execute(asked, findings, doubt=f"nobody can say what {asked.words[0].raw} runs")
        return []
    if strange := characters.foreign(name):
        findings.doubt(f"the name of a command has {', '.join(strange)} in it")
    wrapped = unwrapped(name, asked.words[1:])
    if found := _OF_SYSTEM.match(name):
        # The same program by its path: what rules say about its name is to be heard too.
        plain = (Argument(found[1], found[1]), *asked.words[1:])
        wrapped = Wrapped((plain,))
    if wrapped is None:
        _plain(name, asked, findings)
        return []
    if name == "find" and _is_read_as_found(asked, findings):
        return []
    return _unwrap(name, wrapped, asked, findings)


def check_assignment(name: str, value: str | None, findings: Findings) -> None:
    """A variable is set, for a command or for all that follow."""
    if not is_harmless(name, value):
        findings.doubt(f"{name} is set, which may change what runs")


def _unwrap(name: str, wrapped: Wrapped, asked: Asked, findings: Findings) -> list[Nested]:
    for variable, value in wrapped.assignments:
        check_assignment(variable, value, findings)
    doubt = asked.doubt or wrapped.doubt
    if not wrapped.is_transparent:
        _execute(asked, findings, doubt=doubt)
        _use(done_by(name, asked.words[1:]), asked, findings)
    elif not wrapped.inner and wrapped.script is None:
        _execute(asked, findings, Verdict.ALLOW)
    depth = asked.wrapped + 1
    if depth > DEEPEST:
        findings.doubt(f"commands run one another more than {DEEPEST} deep")
        return []
    nested: list[Nested] = []
    for inner in wrapped.inner:
        nested += judge(Asked(inner, asked.place, depth, doubt, by_shell=False), findings)
    if wrapped.script is not None:
        nested.append(Nested(wrapped.script, asked.place, depth))
    return nested


def _plain(name: str, asked: Asked, findings: Findings) -> None:
    if why := forbidden(name, asked.words[1:]):
        findings.execute(named(asked.words), Verdict.DENY, Verdict.DENY, why)
        return
    try:
        reads = _proven(name, asked)
    except Unproven as unproven:
        why = str(unproven)
    else:
        _execute(asked, findings, Verdict.ALLOW)
        _read(reads, asked, findings)
        return
    unknown = next((one.raw for one in asked.words if one.text is None), None)
    doubt = f"nobody can say what {unknown} becomes" if unknown else ""
    if not doubt and name == "git":
        doubt = _git_doubt(asked)
    _execute(asked, findings, doubt=doubt, why=why)
    _use(done_by(name, asked.words[1:]), asked, findings)


def _proven(name: str, asked: Asked) -> Reads:
    prover = _PROVERS.get(name)
    if prover is None:
        raise Unproven("")
    if is_of_project(name, asked.place, by_shell=asked.by_shell):
        raise Unproven(f"{name} may be a program of the project")
    return prover(Call(name, asked.words[1:], asked.place))


def _is_read_as_found(asked: Asked, findings: Findings) -> bool:
    """Whether `find` is known to have what it finds only read; then that is all that is needed."""
    found = runs(asked.words[1:])
    names = ["find", *(run.arguments[0].text or "" for run in found if run.arguments)]
    if any(is_of_project(name, asked.place, by_shell=False) for name in names):
        return False
    try:
        reads = found_files(Call("find", asked.words[1:], asked.place), found, _PROVERS)
    except Unproven:
        return False
    _execute(asked, findings, Verdict.ALLOW)
    for run in found:
        _execute(replace(asked, words=run.arguments), findings, Verdict.ALLOW)
    _read(reads, asked, findings)
    return True


def _git_doubt(asked: Asked) -> str:
    """What stands before the subcommand of git, or where it is run, can make it run anything."""
    if trouble := trouble_with(asked.place, within=True):
        return trouble
    for word in asked.words[1:]:
        text = word.text or ""
        if not text.startswith("-"):
            return ""
        if text not in {"--no-pager", "-P", "--no-optional-locks", "--version", "--help"}:
            return f"{text} may change what git runs"
    return ""


def _read(reads: Reads, asked: Asked, findings: Findings) -> None:
    why = f"read by {asked.words[0].raw}"
    for path in reads.paths:
        findings.read(_as_path(path), asked.place, why)
    for path in reads.trees:
        findings.read(_as_path(path), asked.place, why, below=True)
    for one in reads.searched:
        findings.search(_as_path(one.path), one.sieve, asked.place, why, follows=one.follows)
    for path in reads.perhaps:
        if is_there(path, asked.place):
            findings.read(path, asked.place, why)
        else:
            findings.touch(path, asked.place, why)


def _use(does: Does | None, asked: Asked, findings: Findings) -> None:
    """What a command does to paths and hosts, or may do, if nothing is known of it."""
    name = asked.words[0].raw
    if does is None:
        _touch(asked, findings, frozenset())
        return
    for path in does.reads:
        findings.read(_as_path(path), asked.place, f"read by {name}")
    for path in does.writes:
        findings.write(_as_path(path), asked.place, f"written by {name}")
    for path in does.trees:
        findings.write(_as_path(path), asked.place, f"changed by {name}", below=True)
    for host in does.hosts:
        findings.network(host, f"{name} talks to it")
    if does.is_networked and not does.hosts:
        findings.network("*", f"nobody can say what {name} talks to", least=Verdict.ASK)
    _touch(asked, findings, frozenset((*does.reads, *does.writes, *does.trees)))


def _touch(asked: Asked, findings: Findings, but: frozenset[str]) -> None:
    """Every word that may be a path, in a command of which nothing else is known."""
    name = asked.words[0].text or ""
    why = f"used by {asked.words[0].raw}"
    if "/" in name:
        findings.touch(_as_path(name), asked.place, "run")
    for word in asked.words[1:]:
        if word.text is None or word.text in but:
            continue
        for path in may_be_paths(word.text, asked.place, has_program=name in _PROGRAMMED):
            if path in but:
                continue
            if is_there(path, asked.place):
                findings.read(_as_path(path), asked.place, why)
            findings.touch(_as_path(path), asked.place, why)


def _execute(
    asked: Asked,
    findings: Findings,
    usual: Verdict = Verdict.ASK,
    *,
    doubt: str = "",
    why: str = "",
) -> None:
    doubt = asked.doubt or doubt
    least = Verdict.ASK if doubt else Verdict.ALLOW
    findings.execute(named(asked.words), usual, least, doubt or why)
    for word in asked.words[1:]:
        if word.text is None or word.text.isascii():
            continue
        if strange := characters.look_alikes(word.text):
            findings.doubt(f"{characters.visible(word.raw)} has {', '.join(strange)} in it")


def named(words: tuple[Argument, ...]) -> tuple[str, ...]:
    """The words of a command as rules know them."""
    return tuple([_named(word) for word in words])


def _named(word: Argument) -> str:
    if word.text is not None and naming.is_plain(word.text):
        return word.text
    return characters.visible(word.raw if word.text is None else naming.word(word.text))


def _as_path(path: str) -> str:
    """A `~` that is left is the name of a file."""
    return f"./{path}" if path.startswith("~") else path
