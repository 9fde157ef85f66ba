"""`hearth mcp WORD`: the MCP servers of agents, and how clients are set up. Needs no daemon."""

from collections.abc import Callable, Mapping
from typing import Final

from hearth.offline.answering import Answer, answered
from hearth.offline.mcp_install import install
from hearth.offline.words import Action, Asked, help_text, parse

ACTIONS: Final[Mapping[str, Action]] = {
    "install": Action(
        "install [CLIENT] [--proj DIR]",
        "print how a client of MCP is told to use hearth; without one, which are known",
        perhaps=("CLIENT",),
        may=("--proj",),
    ),
}


def main(argv: list[str]) -> int:
    """Run `hearth mcp` with these words; the exit code: 0, 1 if it was not done, 2 misused."""
    return answered(argv, _work)


def _work(words: list[str]) -> Answer:
    if words[:1] == ["help"] or {"--help", "-h"} & set(words):
        text = help_text("mcp", ACTIONS)
        return Answer((text,), {"help": text})
    asked = parse("mcp", ACTIONS, words)
    return _DONE[asked.action](asked)


def _install(asked: Asked) -> Answer:
    return install(asked.given.get("CLIENT"), asked.given.get("--proj", ""))


_DONE: Final[Mapping[str, Callable[[Asked], Answer]]] = {"install": _install}
