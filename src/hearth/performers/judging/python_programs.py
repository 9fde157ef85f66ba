"""Which programs Python code starts, and with what."""

import ast
import shlex

from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL
from hearth.performers.judging.python_arguments import Given
from hearth.performers.judging.python_commands import Shell
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_values import (
    ANYTHING,
    Known,
    Origin,
    PathAt,
    Several,
    Value,
    Values,
    texts,
)


class Programs:
    """Looks at calls that start others."""

    def __init__(self, needs: Needs, folding: Folding) -> None:
        self._needs = needs
        self._folding = folding

    def shell(self, values: Values | None, call: ast.Call, why: str) -> None:
        """A shell is given a text."""
        commands = texts(values) if values is not None else None
        for command in commands or ():
            self._needs.command(command, why, shell=Shell.SH)
        self._surroundings(call, why)
        if commands is None:
            self._needs.doubt(call, f"{why}: which command cannot be seen from here", EXECUTE)

    def program(self, values: Values | None, call: ast.Call, why: str) -> None:
        """A program is started, or a shell if the call says so."""
        if len(call.args) > 1:
            self._needs.doubt(call, f"{why}: what is given by place changes what runs", EXECUTE)
        shell = Given(call, self._folding).keyword("shell") or (Known(value=False),)
        if any(not isinstance(one, Known) for one in shell):
            self._needs.doubt(call, f"{why}: whether a shell runs it cannot be seen", EXECUTE)
        if any(isinstance(one, Known) and one.value for one in shell):
            self.shell(values, call, why)
            return
        for value in values or ANYTHING:
            self.start(value, call, why)

    def start(self, value: Value, call: ast.Call, why: str) -> None:
        """A program is started with these words."""
        words = _words_of(value)
        if words is None:
            self._needs.doubt(call, f"{why}: which command cannot be seen from here", EXECUTE)
            return
        folder = self._surroundings(call, why)
        self._needs.command(shlex.join(words), why, folder)

    def _surroundings(self, call: ast.Call, why: str) -> str:
        """Where a program is started; whatever else changes what it does is doubted."""
        for name in ("env", "executable", "preexec_fn", "pass_fds", "startupinfo"):
            given = Given(call, self._folding).keyword(name)
            if given not in {None, (Known(None),)}:
                self._needs.doubt(call, f"{why}: {name} changes what runs", EXECUTE)
        given = Given(call, self._folding).keyword("cwd")
        if given in {None, (Known(None),)}:
            return ""
        folders = texts(given or ())
        if folders is None or len(folders) != 1:
            self._needs.doubt(call, f"{why}: where it runs cannot be seen", EXECUTE)
            return ""
        self._needs.path(given or (), EXTERNAL, call, why)
        place = self._needs.place
        return folders[0] if folders[0].startswith("/") else f"{place.here}/{folders[0]}"


def _words_of(value: Value) -> list[str] | None:
    match value:
        case Known(value=str(text)):
            return [text]
        case Several(items=items, is_loose=False) if items:
            words = [_word_of(item) for item in items]
            return [one for one in words if one is not None] if None not in words else None
        case _:
            return None


def _word_of(values: Values) -> str | None:
    match values:
        case (Known(value=str(text)),) | (PathAt(path=str(text), is_below=False),):
            return text
        case (Origin(name="sys.executable"),):
            return "python"
        case _:
            return None
