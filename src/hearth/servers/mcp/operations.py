"""The routes of the Model Context Protocol, for the table of routes."""

from typing import Any, Final

from hearth.credentials.standing import Act
from hearth.servers.http.routes import STREAM, Operation

PATH: Final = "/mcp"
DIRECTORY: Final = "Hearth-Directory"
CONNECTION: Final = "Mcp-Session-Id"
VERSION: Final = "MCP-Protocol-Version"

_HEADERS: Final = (CONNECTION, VERSION, DIRECTORY)
_SAID: Final[dict[int, Any]] = {400: dict, 404: dict, 405: dict, 406: dict}
"""What is wrong with a message is told as the protocol wants it, not in the shape of this door."""

OPERATIONS: Final[tuple[Operation, ...]] = (
    # For all who may look: what a tool takes is looked at when it is called.
    Operation(
        "POST",
        PATH,
        Act.LOOK,
        "A message of the Model Context Protocol",
        takes=dict,
        answers={200: dict, 202: None, **_SAID},
        headers=_HEADERS,
    ),
    Operation(
        "GET",
        PATH,
        Act.LOOK,
        "What a connection of the Model Context Protocol is told by itself",
        answers={200: STREAM, **_SAID},
        headers=_HEADERS,
    ),
    Operation(
        "DELETE",
        PATH,
        Act.LOOK,
        "End a connection of the Model Context Protocol",
        answers={200: None, **_SAID},
        headers=_HEADERS,
    ),
)
