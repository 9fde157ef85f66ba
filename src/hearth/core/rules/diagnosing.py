"""Under what name the diagnostics of some code are kept, and which of them a caller knows."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from hearth.core.rules.state import Known
from hearth.core.vocabulary.content import Blob, Diagnostic, Text
from hearth.core.vocabulary.origin import Origin

MOST_KNOWN = 32
"""So many pairs of caller and file are remembered; those asked about longest ago are dropped."""


def diagnostics_key(code: Text, file: str) -> str:
    """The file's path when it is known, otherwise a hash of the code."""
    if file:
        return file
    if isinstance(code, Blob):
        return f"code:{code.sha256[:16]}"
    # Half a surrogate pair is stored as a question mark, and must not stop a session.
    return f"code:{sha256(code.encode(errors='replace')).hexdigest()[:16]}"


def fresh_places(
    known: Sequence[Known], caller: Origin, file: str, found: Sequence[Diagnostic]
) -> tuple[int, ...]:
    """The places of the findings that this caller was not told when it last asked.

    A finding that only moved to another line is not new; a second one of the same words is.
    """
    before = Counter(_findings(known, caller, file))
    places = []
    for place, one in enumerate(found):
        finding = _finding(one)
        if before[finding] > 0:
            before[finding] -= 1
        else:
            places.append(place)
    return tuple(places)


def now_known(
    known: tuple[Known, ...], caller: Origin, file: str, found: Sequence[Diagnostic]
) -> tuple[Known, ...]:
    """What callers know after this one was told these findings."""
    others = [one for one in known if (one.caller, one.file) != (caller, file)]
    mine = Known(caller, file, tuple(_finding(one) for one in found))
    return (mine, *others[: MOST_KNOWN - 1])


def _findings(known: Sequence[Known], caller: Origin, file: str) -> tuple[str, ...]:
    matching = (one.findings for one in known if (one.caller, one.file) == (caller, file))
    return next(matching, ())


def _finding(one: Diagnostic) -> str:
    words = f"{one.severity}\0{one.rule}\0{one.message}"
    return sha256(words.encode(errors="replace")).hexdigest()[:12]
