"""The routes about agents, for the table of routes."""

from typing import Final

from hearth.api import Accepted, Settled
from hearth.credentials.standing import Act
from hearth.servers.http.agents.oversight import (
    Explained,
    FoundInProject,
    GrantsListed,
    McpServersListed,
    ServersListed,
    ToExplain,
)
from hearth.servers.http.agents.shapes import Answer, ApprovalsSeen, Rewind, Rewound
from hearth.servers.http.routes import Operation, delete, get, post

_LIMIT: Final = {"limit": "how many, 100 if it is left out and 1000 at most"}
_COMMANDING: Final = ("Idempotency-Key", "Prefer")

OPERATIONS: Final[tuple[Operation, ...]] = (
    get(
        "/approvals",
        "What agents wait for a person to allow, the oldest first",
        query=_LIMIT,
        answers={200: ApprovalsSeen},
    ),
    get(
        "/sessions/{id}/approvals",
        "What waits for a person in one session",
        query=_LIMIT,
        answers={200: ApprovalsSeen},
    ),
    post(
        "/sessions/{id}/approvals/{approval}",
        "Let an agent do what it asks for, or not",
        Act.GOVERN,
        takes=Answer,
        answers={200: Settled, 202: Accepted},
        headers=_COMMANDING,
    ),
    post(
        "/sessions/{id}/rewind",
        "Have the files of the project as they were, or know what that would change",
        Act.GOVERN,
        takes=Rewind,
        answers={200: Rewound, 202: Accepted},
        headers=_COMMANDING,
    ),
    Operation(
        "GET", "/grants", Act.GOVERN, "What was allowed for always", answers={200: GrantsListed}
    ),
    delete("/grants/{grant}", "Take a grant back", Act.GOVERN, answers={204: None}),
    post(
        "/permissions/explain",
        "What would be said to a command, and why; nothing is run",
        Act.LOOK,
        takes=ToExplain,
        answers={200: Explained},
    ),
    get(
        "/language-servers",
        "The language servers that were needed, as they are now",
        answers={200: ServersListed},
    ),
    get(
        "/language-servers/diagnostics",
        "What language servers found in a project, and which agents were told",
        query={"directory": "an absolute path"},
        required=True,
        answers={200: FoundInProject},
    ),
    get(
        "/mcp-servers",
        "The MCP servers of others whose tools agents may have, as they are now",
        query={"directory": "an absolute path"},
        required=True,
        answers={200: McpServersListed},
    ),
)
