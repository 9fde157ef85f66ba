"""The verb `mcp` of the command line, whose words are many."""

from __future__ import annotations

from hearth.clients.cli.flags import JSON, NO_START, PROJ, SESSION
from hearth.clients.cli.verb import Flag, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

ACTIONS: Final = ("install",)

MCP_VERB: Final = Verb(
    "mcp",
    "serve MCP to an AI client over stdio",
    room="bridging",
    takes=(f"[{'|'.join(ACTIONS)}]", "[…]"),
    choices=ACTIONS,
    flags=(
        SESSION,
        PROJ,
        Flag("token-file", "speak as the agent whose token is in this file", takes="FILE"),
        NO_START,
        JSON,
    ),
    more=(
        "Alone it is a server of the Model Context Protocol on stdin and stdout: what an AI client"
        " starts to use your live sessions. It joins the daemon, or starts one. `install CLIENT`"
        " prints how a client is told so. The token of an agent may also be in HEARTH_TOKEN."
    ),
    examples=("hearth mcp install claude-code", "hearth mcp --proj ~/code/shop"),
)
