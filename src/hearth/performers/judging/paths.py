"""What it takes to use a path: as somebody typed it, and as what it really is.

What is inside of a project is decided on canonical paths. Nothing is opened, so nothing here can
block on a pipe or change an access time. Between the judgement and the use a link can be put in
the way: whoever acts on a path acts on `Need.resolved`, and opens it without following links.
"""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hearth.core.rules.patterns import escape
from hearth.core.vocabulary.permitting import EXTERNAL, READ, Need, Verdict
from hearth.performers.judging.following import Followed, Steps, follow
from hearth.performers.judging.sensitive import guard_of, holds_guarded, may_hold_secrets

MOST_CHARACTERS: Final = 4096
MOST_IN_A_NAME: Final = 255

_SHOWN: Final = 200
_NULL_DEVICE: Final = os.makedev(1, 3)


@dataclass(frozen=True)
class Place:
    """Where something is to happen. Made for each judgement: what it leads to is looked up once."""

    directory: str
    """What relative paths begin at."""
    root: str
    """Of the project; "": there is none, so nothing is inside of it."""
    forbidden: tuple[str, ...] = ()
    """Absolute; nobody may read or write there, nor below."""
    auto_allow: tuple[str, ...] = ()
    """Absolute; like the project's root for what counts as outside."""
    readable: tuple[str, ...] = ()
    """Absolute; may be read although it is forbidden: what is kept there for whoever asks."""
    steps: Steps | None = field(default=None, compare=False, repr=False)
    """What all paths that are looked at from here may take together; None: each may by itself."""

    @cached_property
    def here(self) -> str:
        """The directory without links, which is what the system calls the working directory."""
        return follow(self.directory, self.steps).path or os.path.normpath(self.directory)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The project's root as it is and as it is written."""
        return tuple(dict.fromkeys(_both([self.root], self.steps))) if self.root else ()

    @cached_property
    def closed(self) -> tuple[str, ...]:
        """What is forbidden, as it is and as it is written."""
        return tuple(dict.fromkeys(_both(self.forbidden, self.steps)))

    @cached_property
    def open(self) -> tuple[str, ...]:
        """What needs no permission of its own for being outside. Canonical."""
        return tuple(one for path in self.auto_allow if (one := follow(path, self.steps).path))

    @cached_property
    def lent(self) -> tuple[str, ...]:
        """What may be read although it is forbidden, as it is and as it is written."""
        return tuple(dict.fromkeys(_both(self.readable, self.steps)))

    def relative(self, path: str) -> str | None:
        """The path from the root, `.` for the root itself; None for what is outside."""
        for root in self.roots:
            if path == root:
                return "."
            if path.startswith(top := root if root == "/" else f"{root}/"):
                return path[len(top) :]
        return None

    def target(self, path: str) -> str:
        """What patterns are compared with."""
        inside = self.relative(path)
        return path if inside is None else inside

    def is_outside(self, path: str) -> bool:
        """Whether being there needs permission by itself."""
        return self.relative(path) is None and not _is_in(path, self.open)


def path_needs(typed: str, permission: str, place: Place, why: str = "") -> tuple[Need, ...]:
    """Everything that using this path takes. It is taken as it is: `~` and `$` mean nothing here.

    `permission` is `read`, `write`, or `external_directory` if nothing is known but that a path is
    used. The first need is about the path as it was typed. If nobody can say what it leads to,
    `resolved` is empty.
    """
    if problem := _problem_of(typed):
        return (_refused(typed, permission, problem, why),)
    written = os.path.normpath(os.path.join(place.here, typed)).replace("//", "/", 1)  # noqa: PTH118 - text, not a Path
    found = follow(typed if typed.startswith("/") else f"{place.here}/{typed}", place.steps)
    if _is_null_device(found):
        return (Need(permission, "/dev/null", "/dev/null", Verdict.ALLOW, why=why),)
    paths = (written,) if found.path in {None, written} else (written, found.path or written)
    if permission == READ and _is_lent(paths, found, place):
        return (Need(READ, written, found.path or "", Verdict.ALLOW, why=why),)
    least, doubt = _floor(typed, paths, found, permission, place)
    why = f"{why}: {doubt}" if why and doubt else why or doubt
    needs: list[Need] = []
    if permission != EXTERNAL:
        usual = _usual(paths, permission)
        needs += [
            Need(permission, target, found.path or "", usual, least, why, _exactly(target, least))
            for target in dict.fromkeys(place.target(path) for path in paths)
        ]
    elif least is not Verdict.ALLOW and not any(map(place.is_outside, paths)):
        needs.append(Need(EXTERNAL, place.target(written), found.path or "", least, least, why))
    needs += [
        Need(EXTERNAL, path, path, Verdict.ASK, least, why, _folder(path, found, least))
        for path in paths
        if place.is_outside(path)
    ]
    return tuple(needs)


def tree_needs(typed: str, permission: str, place: Place, why: str = "") -> tuple[Need, ...]:
    """The same for a folder with everything below it, which may be what nobody may touch."""
    needs = path_needs(typed, permission, place, why)
    tops = {need.resolved for need in needs if need.resolved}
    if any(_is_in(path, tops) for path in place.closed):
        doubt = "what nobody may touch lies below it"
        why = f"{why}: {doubt}" if why else doubt
        return tuple(_raised(need, Verdict.ASK, why) for need in needs)
    return needs


def resolved(typed: str, place: Place) -> str | None:
    """What a path really is, absolute and without links; None if nobody can say."""
    if _problem_of(typed):
        return None
    return follow(typed if typed.startswith("/") else f"{place.here}/{typed}", place.steps).path


def at_home(typed: str) -> str:
    """A path with `~` or `~/` at its start taken for the home folder, as people mean it."""
    if typed == "~" or typed.startswith("~/"):
        return os.path.expanduser(typed)  # noqa: PTH111 - text, not a Path
    return typed


def _problem_of(typed: str) -> str:
    """Why nothing can be at such a path, whoever allows it."""
    if "\0" in typed:
        return "a path cannot contain a NUL character"
    try:
        length = len(typed.encode())
    except UnicodeEncodeError:
        return "the path is not valid text"
    if length > MOST_CHARACTERS:
        return f"the path is longer than {MOST_CHARACTERS} characters"
    if length > MOST_IN_A_NAME and any(
        len(part.encode()) > MOST_IN_A_NAME for part in typed.split("/")
    ):
        return f"a name in the path is longer than {MOST_IN_A_NAME} characters"
    return ""


def _refused(typed: str, permission: str, problem: str, why: str) -> Need:
    shown = typed.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    if len(shown) > _SHOWN:
        shown = f"{shown[:_SHOWN]}…"
    why = f"{why}: {problem}" if why else problem
    return Need(permission, shown, "", Verdict.DENY, Verdict.DENY, why)


def _floor(
    typed: str, paths: tuple[str, ...], found: Followed, permission: str, place: Place
) -> tuple[Verdict, str]:
    if any(_is_in(path, place.closed) for path in paths):
        return Verdict.DENY, "it is hearth's own, and nobody's business here"
    if permission not in {READ, EXTERNAL}:
        guards = (guard_of(path, is_directory=found.is_directory) for path in paths)
        if guard := next(filter(None, guards), ""):
            return Verdict.DENY, guard
        if doubt := _doubt_of_writing(paths, found, place):
            return Verdict.ASK, doubt
    doubt = found.doubt
    if not doubt and found.special:
        doubt = f"it is {found.special}, not a file"
    if not doubt and typed.startswith("~"):
        doubt = "some programs take ~ at the start for a home folder"
    return (Verdict.ASK if doubt else Verdict.ALLOW), doubt


def _doubt_of_writing(paths: tuple[str, ...], found: Followed, place: Place) -> str:
    if found.is_shared:
        return "the file has other names elsewhere (hard links), which change with it"
    if found.is_directory and any(holds_guarded(path) for path in paths):
        return "it holds what decides what git runs"
    outside = [path for path in paths if place.relative(path) is None]
    if any(_is_in(closed, outside) for closed in place.closed):
        return "what is hearth's own lies below it"
    return ""


def _is_lent(paths: tuple[str, ...], found: Followed, place: Place) -> bool:
    is_plain = found.path is not None and not found.doubt and not found.special
    return is_plain and all(_is_in(path, place.lent) for path in paths)


def _usual(paths: tuple[str, ...], permission: str) -> Verdict:
    if permission != READ or any(may_hold_secrets(path) for path in paths):
        return Verdict.ASK
    return Verdict.ALLOW


def _exactly(target: str, least: Verdict) -> str:
    return escape(target) if least is Verdict.ALLOW else ""


def _folder(path: str, found: Followed, least: Verdict) -> str:
    """The narrowest folder that a grant can be for; the path alone where that is very wide."""
    if least is not Verdict.ALLOW:
        return ""
    folder = path if path == found.path and found.is_directory else os.path.dirname(path)  # noqa: PTH120 - text, not a Path
    home = os.path.expanduser("~")  # noqa: PTH111 - text, not a Path
    if folder == "/" or _is_in(home, (folder,)):
        return escape(path)
    return f"{escape(folder)}/*"


def _raised(need: Need, least: Verdict, why: str) -> Need:
    if need.least is not Verdict.ALLOW:
        return need
    usual = need.usual if need.usual is Verdict.DENY else Verdict.ASK
    return Need(need.permission, need.target, need.resolved, usual, least, why)


def _is_in(path: str, tops: Iterable[str]) -> bool:
    return any(path == top or path.startswith(top if top == "/" else f"{top}/") for top in tops)


def _is_null_device(found: Followed) -> bool:
    about = found.about
    return (
        found.path == "/dev/null"
        and about is not None
        and stat.S_ISCHR(about.st_mode)
        and about.st_rdev == _NULL_DEVICE
    )


def _both(paths: Iterable[str], steps: Steps | None) -> Iterable[str]:
    for path in paths:
        written = os.path.normpath(path)
        yield follow(written, steps).path or written
        yield written
