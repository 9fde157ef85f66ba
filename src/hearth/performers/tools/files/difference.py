"""How two texts differ, in the unified form, in a time that is bounded for texts of any kind."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

AROUND: Final = 3
"""So many lines before and after a change are told."""
_MOST_COMPARED: Final = 160_000
"""So many pairs of lines are compared; beyond it a change is told as one piece."""
_LONGEST: Final = 2_000_000

_Block: TypeAlias = tuple[int, int, int, int]
"""From and to in the old lines, from and to in the new ones; from 0, the end exclusive."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed."""

    diff: str
    """Empty if nothing did, or if it is too long to be shown."""
    added: int
    removed: int
    regions: tuple[tuple[int, int], ...]
    """The changed lines as they are now: first and last, from 1; of a removal the line after it."""


def difference(before: str, after: str, name: str) -> Difference:
    """Compare what a file was with what it is. The texts have LF line ends."""
    old, new = _split(before), _split(after)
    blocks = _blocks(old, new)
    diff = "".join(_unified(old, new, blocks, name))
    return Difference(
        diff if len(diff) <= _LONGEST else "",
        sum(b2 - b1 for _, _, b1, b2 in blocks),
        sum(a2 - a1 for a1, a2, _, _ in blocks),
        tuple((b1 + 1, max(b1 + 1, b2)) for _, _, b1, b2 in blocks),
    )


def _split(text: str) -> list[str]:
    """Lines with their ends: of LF alone, as every other tool counts them."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _blocks(old: Sequence[str], new: Sequence[str]) -> list[_Block]:
    """Where the lines differ."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    olds, news = old[start : len(old) - end], new[start : len(new) - end]
    if not olds and not news:
        return []
    if len(olds) * len(news) > _MOST_COMPARED:
        return [(start, start + len(olds), start, start + len(news))]
    matcher = difflib.SequenceMatcher(None, olds, news, autojunk=False)
    return [
        (start + a1, start + a2, start + b1, start + b2)
        for kind, a1, a2, b1, b2 in matcher.get_opcodes()
        if kind != "equal"
    ]


def _unified(
    old: Sequence[str], new: Sequence[str], blocks: Sequence[_Block], name: str
) -> Iterator[str]:
    if not blocks:
        return
    yield f"--- {_name(name) if old else '/dev/null'}\n"
    yield f"+++ {_name(name) if new else '/dev/null'}\n"
    for group in _groups(blocks):
        a1, b1 = max(0, group[0][0] - AROUND), max(0, group[0][2] - AROUND)
        a2, b2 = min(len(old), group[-1][1] + AROUND), min(len(new), group[-1][3] + AROUND)
        yield f"@@ -{_range(a1, a2)} +{_range(b1, b2)} @@\n"
        at = a1
        for first, last, begin, end in group:
            yield from _marked(" ", old[at:first])
            yield from _marked("-", old[first:last])
            yield from _marked("+", new[begin:end])
            at = last
        yield from _marked(" ", old[at:a2])


def _groups(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Changes whose surroundings touch are told together."""
    group = [blocks[0]]
    for block in blocks[1:]:
        if block[0] - group[-1][1] > 2 * AROUND:
            yield group
            group = []
        group.append(block)
    yield group


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield (
            f"{mark}{line}"
            if line.endswith("\n")
            else f"{mark}{line}\n\\ No newline at end of file\n"
        )


def _range(start: int, end: int) -> str:
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _name(name: str) -> str:
    """A file's name on a line of its own, whatever it is made of."""
    return name.replace("\n", "\\n").replace("\r", "\\r")
