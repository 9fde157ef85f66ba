"""What a server found, file by file: within bounds, and compared with what was known before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hearth.performers.language_server.findings import Finding, new_ones

MOST_KNOWN: Final = 10_000
"""Of so many files it is remembered what was found."""
MOST_FINDINGS: Final = 100_000
"""Of all files together so much is remembered; from then on of each file only the first few."""
FEW: Final = 10


class Known(dict[str, tuple[Finding, ...]]):
    """What was found last, by file. A file that was looked at and is clean is there, too.

    Changed by `keep` and `forget` alone, which count.
    """

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def keep(self, path: str, found: tuple[Finding, ...]) -> None:
        """Remember what was found in a file now."""
        if path not in self and len(self) >= MOST_KNOWN:
            return
        others = self._count - len(self.get(path, ()))
        if others + len(found) > MOST_FINDINGS:
            found = found[:FEW]  # not none: the file must not look clean
        self[path] = found
        self._count = others + len(found)

    def forget(self, path: str) -> None:
        """Of this file nothing is known any more."""
        self._count -= len(self.pop(path, ()))


@dataclass(frozen=True, slots=True)
class Before:
    """What was known at a moment."""

    files: Mapping[str, tuple[Finding, ...]]
    is_whole: bool
    """Whether a file of which nothing is known had nothing to be found in it."""

    def of(self, path: str) -> tuple[Finding, ...] | None:
        """The findings in a file; None: that is not known."""
        return self.files.get(path, () if self.is_whole else None)

    def new_in(
        self, known: Mapping[str, tuple[Finding, ...]], written: Sequence[str]
    ) -> list[Finding]:
        """What is known now and was not then; `written` are the files that were changed since."""
        new: list[Finding] = []
        for path, after in known.items():
            before = self.of(path)
            if before is None and path in written:
                before = ()
            # Of a file that nobody wrote and nobody knew, nothing can be called new.
            if after and before is not None and before is not after:
                new += new_ones(before, after)
        return new
