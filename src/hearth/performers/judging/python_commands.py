"""Commands that Python code gives to shells: judged as if a shell had been asked to run them.

They are judged as bash reads them. What other shells read differently is doubted: `os.system` and
`subprocess` use `/bin/sh`, which often is dash, and IPython uses whatever shell people like best.
"""

import re
from enum import Enum, auto
from typing import Final

import msgspec

from hearth.core.vocabulary.permitting import EXECUTE, Need, Verdict
from hearth.performers.judging.paths import Place


class Shell(Enum):
    """Who reads a command."""

    BASH = auto()
    """Also programs that are started with their words: written so that bash reads the same."""
    SH = auto()
    ANY = auto()


_COMMON: Final = (
    r"[\w\s./,:=@%^#*-]|\+(?!=)|\?(?!\()"
    r"|!(?=\s)|~(?=[/\s]|\Z)"
    r"|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\?)"
    r'|"(?:[^"$`\\!]|\$[A-Za-z_]\w*)*"'
    r"|\|\|?(?!&)|&&(?!>)|;(?![;&])"
    r"|>{1,2}(?![>&(|])|>&\d|<(?![<>&(])"
)
_SH: Final = re.compile(rf"(?:{_COMMON}|'[^']*')*", re.ASCII)
_ANY: Final = re.compile(rf"(?:{_COMMON}|'[^'\\]*')*", re.ASCII)
"""In some shells a backslash between quotes can end in a quote."""
_SHOWN: Final = 200


def command_needs(
    command: str, place: Place, why: str = "", shell: Shell = Shell.BASH
) -> tuple[Need, ...]:
    """What running this in a shell takes."""
    # The parser of shells is large, and most code has nothing for it.
    from hearth.performers.judging.shell.analysis import analyse  # noqa: PLC0415 - as above

    needs = tuple(_within(need, why) for need in analyse(command, place).needs)
    if reads_alike(command, shell):
        return needs
    doubt = "not every shell reads this as bash does"
    shown = " ".join(command.split())[:_SHOWN]
    return (*needs, _within(Need(EXECUTE, shown, "", Verdict.ASK, Verdict.ASK, doubt), why))


def reads_alike(command: str, shell: Shell) -> bool:
    """Whether a shell surely takes this for the same as bash does."""
    if shell is Shell.BASH:
        return True
    plain = _SH if shell is Shell.SH else _ANY
    return plain.fullmatch(command) is not None


def _within(need: Need, why: str) -> Need:
    if not why:
        return need
    return msgspec.structs.replace(need, why=f"{why}: {need.why}" if need.why else why)
