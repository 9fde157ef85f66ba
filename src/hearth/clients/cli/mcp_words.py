"""The verb `mcp` of the command line, whose words are many."""

from __future__ import annotations

from hearth.clients.cli.flags import JSON, PROJ, SESSION
from hearth.clients.cli.verb import Flag, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

ACTIONS: Final = (
    "add",
    "list",
    "remove",
    "status",
    "approve",
    "login",
    "logout",
    "install",
    "import",
)

MCP_VERB: Final = Verb(
    "mcp",
    "serve MCP to an AI client over stdio, or manage the MCP servers of your agents",
    room="bridging",
    takes=(f"[{'|'.join(ACTIONS)}]", "[…]"),
    choices=ACTIONS,
    flags=(
        SESSION,
        PROJ,
        Flag("token-file", "speak as the agent whose token is in this file", takes="FILE"),
        Flag("no-start", "start no daemon if there is none: requests are answered with an error"),
        Flag("project", "with `add`, `remove`, `import`: in the project's file instead of yours"),
        Flag("env", "with `add`: a variable the server is given", takes="NAME=VALUE", many=True),
        Flag("cwd", "with `add`: the folder that the server is started in", takes="DIR"),
        Flag("url", "with `add`: a server that is reached over HTTP", takes="URL"),
        Flag("header", "with `add`: sent to that server", takes="HEADER", many=True),
        Flag("idle-timeout", "with `add`: seconds until it is ended unused", takes="SECONDS"),
        Flag("timeout", "with `add`: seconds for one call of a tool", takes="SECONDS"),
        Flag("from", "with `import`: claude, codex, cursor or vscode", takes="PROGRAM"),
        Flag("dry-run", "with `import`: show what would be added, and add nothing"),
        Flag("force", "with `add`, `import`: replace what has the same name"),
        Flag("no-browser", "with `login`: print the address and open nothing"),
        Flag("yes", "with `approve`: do not ask", short="y"),
        JSON,
    ),
    more=(
        "Alone it is a server of the Model Context Protocol on stdin and stdout: what an AI client"
        " starts to use your live sessions. It joins the daemon, or starts one. `install CLIENT`"
        " prints how a client is told so. With another word it is about servers of others, which"
        " your agents use: `add NAME -- COMMAND …` or `add NAME --url URL` configures one, `remove"
        " NAME` takes it away, `list` shows them, `status` how they are doing, `approve` lets a"
        " project's run once you have seen its command, `login` and `logout` are for servers"
        " that want to know you, `import` takes over what you configured elsewhere. The token of"
        " an agent may also be in HEARTH_TOKEN."
    ),
    examples=(
        "hearth mcp install claude-code",
        "hearth mcp add docs -- npx -y @acme/docs-server",
        "hearth mcp import --from claude --dry-run",
    ),
)
