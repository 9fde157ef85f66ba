"""Which of the files that a tool comes across may be shown without asking."""

import os
import stat

from hearth.core.rules.patterns import escape
from hearth.core.vocabulary.permitting import EXTERNAL, READ, Need, Verdict
from hearth.performers.judging.paths import MOST_IN_A_NAME, Place, path_needs
from hearth.performers.judging.sensitive import may_hold_secrets
from hearth.performers.tools.files.allowed import Judge, below
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.opening import NotOpened
from hearth.performers.tools.tool import Scene

_OF_THE_SYSTEM = ("/proc", "/dev", "/sys")


class Openly:
    """Asks the rules about one file after the other, during one call.

    Of plain files in a project, what reading them takes is known from the folder they are in, which
    was gone to through no link: it is looked at once. About all others `path_needs` is asked.
    """

    def __init__(self, scene: Scene, place: Place, judge: Judge, descent: Descent) -> None:
        self._scene = scene
        self._place = place
        self._judge = judge
        self._descent = descent
        self._folder: str | None = None
        self._target: str | None = None

    def may_show(self, path: str, *, will_open: bool = False) -> bool:
        """Whether a file with this canonical path may be read without asking.

        With `will_open` it is shown only if it can be opened from the same descent, which makes
        sure that it is a file and no link.
        """
        for need in self.needs(path, will_open=will_open):
            verdict = self._judge(self._scene, need)
            # The folder was allowed, so being outside with it is, unless a rule forbids just this.
            least = Verdict.DENY if need.permission == EXTERNAL else Verdict.ASK
            if verdict >= least:
                return False
        return True

    def needs(self, path: str, *, will_open: bool = False) -> tuple[Need, ...]:
        """The same as `path_needs` says."""
        folder, _, name = path.rpartition("/")
        if folder != self._folder:
            self._folder, self._target = folder, self._target_of(folder)
        if (
            self._target is not None
            and _is_plain(name)
            and len(path) <= MOST_IN_A_NAME
            and (will_open or self._is_file(folder, name))
        ):
            target = f"{self._target}{name}"
            return (Need(READ, target, path, Verdict.ALLOW, pattern=escape(target)),)
        return path_needs(path, READ, self._place)

    def _target_of(self, folder: str) -> str | None:
        """What the targets of the files in it begin with; None unless plain files need no more.

        They do not if it is in the project, and nothing that is forbidden or lent is near it.
        """
        place = self._place
        inside = place.relative(folder)
        if (
            inside is None
            or not folder.isascii()
            or folder.startswith(_OF_THE_SYSTEM)
            or may_hold_secrets(f"{folder}/plain")
            or any(below(folder, one) or below(one, folder) for one in (*place.closed, *place.lent))
        ):
            return None
        return "" if inside == "." else f"{inside}/"

    def _is_file(self, folder: str, name: str) -> bool:
        try:
            within = self._descent.folder(folder)
            about = os.stat(name, dir_fd=within, follow_symlinks=False)
        except (NotOpened, OSError, ValueError):
            return False
        return stat.S_ISREG(about.st_mode)


def _is_plain(name: str) -> bool:
    return name.isascii() and not may_hold_secrets(name)
