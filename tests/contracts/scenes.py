"""The script that engine tests, contracts and journeys play from."""

from collections.abc import Mapping
from typing import Final

from hearth.core.vocabulary.content import Completion, CompletionKind, Diagnostic, Severity
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.performers.interpreter.scene import Scene

ANN: Final = Origin(Actor.PERSON, "ann", Door.CLI)
BOT: Final = Origin(Actor.AGENT, "bot", Door.MCP)

SCENES: Final[Mapping[str, Scene]] = {
    "1+1": Scene(value="2", value_type="int"),
    "x = 1": Scene(names=("x",)),
    "print": Scene(prints=("one\n", "two\n"), errors=("oops\n",)),
    "1/0": Scene(raises=CodeRaised("ZeroDivisionError", "division by zero")),
    "hang": Scene(prints=("begun\n",), ends="when interrupted"),
    "die": Scene(ends="with the worker"),
    "big": Scene(prints=("x" * 300_000,), value="y" * 100_000, value_type="str"),
    "odd": Scene(value="half a pair: \ud800", value_type="str"),
    "script.py": Scene(statements=3),
    "undefined": Scene(
        diagnostics=(Diagnostic("undefined name", Severity.ERROR, 1, 0, 1, 9),),
    ),
    "xs.ap": Scene(completions=(Completion("append", CompletionKind.METHOD),)),
}
