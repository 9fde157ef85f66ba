"""`find` that has what it finds read by another command: `find src -name '*.py' -exec wc -l {} +`.

What it finds lies below where it begins, and is called by a path that begins so too: none of it can
be taken for an option. If the command reads whatever it is given in that place, it reads no more
than what lies there.
"""

from collections.abc import Mapping
from typing import Final

from hearth.performers.judging.shell.finding import Run, find, told
from hearth.performers.judging.shell.proving import (
    Argument,
    Call,
    Prover,
    Reads,
    Searched,
    Unproven,
)
from hearth.performers.judging.shell.sieves import Sieve

_READ: Final = frozenset(
    {
        "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "ls", "stat", "file", "md5sum",
        "sha1sum", "sha256sum", "sha512sum", "cksum", "nl", "cut", "sed", "readlink", "realpath",
    }
)  # fmt: skip
"""They take a word that is a path for nothing else, however many there are."""
_SAY: Final = frozenset({"echo", "basename", "dirname"})
"""They do not look at what they are given."""
_PLACE: Final = "{}"
_OTHERWISE: Final = frozenset({"-o", "-or", ",", "!", "-not", "(", ")"})


def found_files(call: Call, runs: tuple[Run, ...], provers: Mapping[str, Prover]) -> Reads:
    """What is read by `find` and by what it runs. Raises Unproven if more may be done."""
    reads = find(_without_runs(call))
    paths = [*reads.paths]
    for run in runs:
        paths += _read_by(run, reads.trees, call, provers)
    if all(run.arguments[0].text in _SAY for run in runs):
        return Reads(tuple(paths), reads.trees)
    sieve, is_file = _chosen(call)
    searched = tuple(Searched(start, sieve, follows=not is_file) for start in reads.trees)
    return Reads(tuple(paths), reads.trees, searched=searched)


def _chosen(call: Call) -> tuple[Sieve, bool]:
    """Which of the files it finds it can have read, and whether none of them is a link."""
    texts = call.texts()
    # What stands behind the command is asked when that has been run.
    tests = told(texts[: texts.index("-exec")]).tests
    if not _OTHERWISE.isdisjoint(name for name, _ in tests):
        return Sieve(), False
    names = [value for name, value in tests if name in {"-name", "-iname"}]
    sieve = Sieve(only=(names[0],), begins_closed=True) if names else Sieve()
    return sieve, ("-type", "f") in tests


def _without_runs(call: Call) -> Call:
    left = list(reversed(call.arguments))
    kept: list[Argument] = []
    while left:
        argument = left.pop()
        if argument.text != "-exec":
            kept.append(argument)
            continue
        before = ""
        while left:
            text = left.pop().text
            if text == ";" or (text == "+" and before == _PLACE):
                break
            before = text or ""
        else:
            raise Unproven("what find runs does not end")
    return Call(call.name, tuple(kept), call.place)


def _read_by(
    run: Run, starts: tuple[str, ...], call: Call, provers: Mapping[str, Prover]
) -> list[str]:
    name = run.arguments[0].text if run.arguments else None
    words = run.arguments[1:]
    places = sum(word.text == _PLACE for word in words)
    if name is None or places != 1 or sum(_PLACE in (word.text or "") for word in words) != 1:
        raise Unproven("what find gives to it cannot be told")
    if name in _SAY:
        return []
    prover = provers.get(name) if name in _READ else None
    if prover is None:
        raise Unproven("what find gives to it cannot be told")
    others: list[str] = []
    for start in starts:
        # Twice, because it may be given any number of them.
        given = tuple(
            one
            for word in words
            for one in ([Argument(start, start)] * 2 if word.text == _PLACE else [word])
        )
        reads = prover(Call(name, given, call.place))
        if reads.paths.count(start) != 2 or reads != Reads(reads.paths):
            raise Unproven("what find gives to it cannot be told")
        others += (path for path in reads.paths if path != start)
    return others
