"""`hearth mcp WORD`: the MCP servers of agents, and how clients are set up. Most need no daemon."""

from collections.abc import Callable, Mapping
from typing import Final

from hearth.offline.answering import Answer, answered
from hearth.offline.words import Action, Asked, parse

PROJ: Final = "--proj"
PROJECT: Final = "--project"

ACTIONS: Final[Mapping[str, Action]] = {
    "add": Action(
        "add NAME [--project] [--env NAME=VALUE]… [--cwd DIR] -- COMMAND ARG…",
        "have a server started for your agents, or the project's; with --url URL"
        " [--header 'NAME: VALUE']… one that is reached",
        takes=("NAME",),
        rest="COMMAND",
        may=("--url", "--cwd", "--idle-timeout", "--timeout", PROJ),
        many=("--env", "--header"),
        flags=(PROJECT, "--force"),
    ),
    "list": Action("list", "the servers that are configured here, and where", may=(PROJ,)),
    "remove": Action(
        "remove NAME [--project]",
        "take a server out of your file, or the project's",
        takes=("NAME",),
        may=(PROJ,),
        flags=(PROJECT,),
    ),
    "status": Action("status", "how the servers of this place are doing now", may=(PROJ,)),
    "approve": Action(
        "approve [NAME] [--yes]",
        "look at what a project's servers would run, and let them",
        perhaps=("NAME",),
        may=(PROJ,),
        flags=("--yes",),
    ),
    "login": Action(
        "login NAME [--no-browser]",
        "log in at a server that wants to know you, in a browser",
        takes=("NAME",),
        may=(PROJ,),
        flags=("--no-browser",),
    ),
    "logout": Action("logout NAME", "forget that login", takes=("NAME",), may=(PROJ,)),
    "install": Action(
        "install [CLIENT] [--proj DIR]",
        "print how a client of MCP is told to use hearth; without one, which are known",
        perhaps=("CLIENT",),
        may=(PROJ,),
    ),
    "import": Action(
        "import [FILE…] [--from claude|codex|cursor|vscode] [--project] [--dry-run] [--force]",
        "take over the servers that you have configured elsewhere",
        rest="FILE",
        may=("--from", PROJ),
        flags=(PROJECT, "--dry-run", "--force"),
    ),
}


def main(argv: list[str]) -> int:
    """Run `hearth mcp` with these words; the exit code: 0, 1 if it was not done, 2 misused."""
    # What stands behind `--` is somebody else's command line, --json and --help included.
    end = argv.index("--") if "--" in argv else len(argv)
    command = argv[end + 1 :] if end < len(argv) else None
    return answered(argv[:end], lambda words: _work(words, command))


def _work(words: list[str], command: list[str] | None) -> Answer:
    if words[:1] == ["help"] or {"--help", "-h"} & set(words):
        text = _help(words[0])
        return Answer((text,), {"help": text})
    is_added = words[:1] == ["add"]
    asked = parse("mcp", ACTIONS, words if is_added else [*words, *(command or ())])
    if is_added:
        # Each is imported when it is asked for: together they take longer than to do any of it.
        from hearth.offline.mcp_changing import add  # noqa: PLC0415 - as the comment says

        return add(asked, command)
    return _DONE[asked.action](asked)


def _help(word: str) -> str:
    """How one word is written, or all of them."""
    meant = {word: ACTIONS[word]} if word in ACTIONS else ACTIONS
    lines = [f"hearth mcp {one.usage}\n    {one.tells}" for one in meant.values()]
    return "\n".join([*lines, "`hearth help mcp` tells more, and all flags"])


def _list(asked: Asked) -> Answer:
    from hearth.offline.mcp_listing import list_servers  # noqa: PLC0415 - as above

    return list_servers(asked)


def _remove(asked: Asked) -> Answer:
    from hearth.offline.mcp_changing import remove_server  # noqa: PLC0415 - as above

    return remove_server(asked)


def _status(asked: Asked) -> Answer:
    from hearth.offline.mcp_listing import status  # noqa: PLC0415 - as above

    return status(asked)


def _approve(asked: Asked) -> Answer:
    from hearth.offline.mcp_approving import approve  # noqa: PLC0415 - as above

    return approve(asked)


def _login(asked: Asked) -> Answer:
    from hearth.offline.mcp_login import login  # noqa: PLC0415 - as above

    return login(asked)


def _logout(asked: Asked) -> Answer:
    from hearth.offline.mcp_login import logout  # noqa: PLC0415 - as above

    return logout(asked)


def _install(asked: Asked) -> Answer:
    from hearth.offline.mcp_install import install  # noqa: PLC0415 - as above

    return install(asked.given.get("CLIENT"), asked.given.get(PROJ, ""))


def _import(asked: Asked) -> Answer:
    from hearth.offline.mcp_import import import_servers  # noqa: PLC0415 - as above

    return import_servers(asked)


_DONE: Final[Mapping[str, Callable[[Asked], Answer]]] = {
    "list": _list,
    "remove": _remove,
    "status": _status,
    "approve": _approve,
    "login": _login,
    "logout": _logout,
    "install": _install,
    "import": _import,
}
