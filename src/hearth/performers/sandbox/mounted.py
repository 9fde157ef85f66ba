"""Whether what was mounted is what was planned.

A sandbox is planned from what is there, and made a moment later, by paths. Whoever runs in another
one meanwhile can put a link in the place of a folder of the project, and have something else shown,
or something shown elsewhere. What was mounted stays to be seen: the first thing that runs inside
compares it with the plan, and runs nothing else if it differs.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple, assert_never

from hearth.performers.sandbox.mounts import EMPTY, TEMPORARY, Kind, Mount

LONGEST: Final = 120_000
"""Linux takes a little more than that as one argument."""
REFUSED: Final = (
    "hearth: folders were moved while the sandbox was made. Nothing was run: try again."
)
SHOWN: Final = 'while read -r line; do printf "%s\\n" "$line"; done < /proc/self/mountinfo'
CHECKED: Final = f"""
planned=$1; usual=$2; shift 2
end='
'
while read -r _ _ _ root point _ rest; do
  kind=${{rest#*- }}
  one=$end"$root $point ${{kind%% *}}"$end
  case $planned in
    *"$one"*) planned=${{planned%%"$one"*}}$end${{planned#*"$one"}}; continue;;
  esac
  case $usual in *"$one"*) continue;; esac
  case $kind in cgroup*) continue;; esac
  planned=other; break
done < /proc/self/mountinfo
[ "$planned" = "$end" ] || {{ echo '{REFUSED}' >&2; exit 126; }}
"""
"""For a shell: `$1` must be there, each once, `$2` may be, and nothing else."""
_TABLE: Final = Path("/proc/self/mountinfo")
_SPECIAL: Final = str.maketrans({" ": r"\040", "\t": r"\011", "\n": r"\012", "\\": r"\134"})
_FEWEST: Final = 9


class Line(NamedTuple):
    """One mount, as the system writes it: with some characters as numbers."""

    root: str
    """What of its file system is shown."""
    point: str
    kind: str


def lines(table: str) -> list[Line]:
    """What a table of mounts says."""
    found = []
    for one in table.split("\n"):
        words = one.split(" ")
        if len(words) >= _FEWEST and "-" in words[6:]:
            found.append(Line(words[3], words[4], words[words.index("-", 6) + 1]))
    return found


def here() -> list[Line]:
    """The mounts that this process sees."""
    try:
        return lines(_TABLE.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:  # no Linux
        return []


def planned(mounts: Iterable[Mount], temporary: str, machine: list[Line]) -> str:
    """What must be there for a plan, each line once."""
    found = [_bound(temporary, TEMPORARY, machine)] if temporary else []
    for path, kind in mounts:
        match kind:
            case Kind.WRITABLE | Kind.READ_ONLY:
                found.append(_bound(path, path, machine))
            case Kind.COPIED:
                found.append(Line("/", path.translate(_SPECIAL), "overlay"))
            case Kind.HIDDEN if not os.path.isdir(path):  # noqa: PTH112 - a text stays a text
                found.append(_bound(EMPTY, path, machine))
            case Kind.HIDDEN | Kind.EMPTIED:
                found.append(Line("/", path.translate(_SPECIAL), "tmpfs"))
            case _:
                assert_never(kind)
    return written(found)


def written(found: Iterable[Line]) -> str:
    """Lines in the form that a shell compares."""
    return "".join(
        ("\n", *(f"{one.root} {one.point} {one.kind}\n" for one in dict.fromkeys(found)))
    )


def _bound(source: str, path: str, machine: list[Line]) -> Line:
    """What a folder or file of this machine is, once it is mounted somewhere."""
    source = os.path.realpath(source).translate(_SPECIAL)
    around = Line("/", "/", "")
    for one in machine:  # of two at the same place, the later one hides the other
        is_in = source == one.point or source.startswith(f"{one.point.rstrip('/')}/")
        if is_in and len(one.point) >= len(around.point):
            around = one
    inside = source[len(around.point.rstrip("/")) :]
    root = f"{around.root.rstrip('/')}{inside}" or "/"
    return Line(root, path.translate(_SPECIAL), around.kind)
