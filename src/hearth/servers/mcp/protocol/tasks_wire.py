"""The methods of the Tasks extension: looking after a task, answering it, ending it.

They exist from 2026-07-28 on, for requests that declare the extension. The header `Mcp-Name` must
name the task, so that whoever stands in between can route by it.
"""

from collections.abc import Callable
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import METHOD_NOT_FOUND, RequestParams
from pydantic import Field

from hearth.servers.mcp.protocol.caller import TASKS, Caller
from hearth.servers.mcp.protocol.connections import Asked
from hearth.servers.mcp.protocol.erring import misnamed
from hearth.servers.mcp.protocol.task import Task
from hearth.servers.mcp.protocol.tasks import Tasks

LONGEST_ID = 200
MOST_ANSWERS = 100


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str = Field(alias="taskId", max_length=LONGEST_ID)


class UpdateParams(TaskParams):
    """What is answered to which of its questions."""

    input_responses: dict[str, Any] = Field(alias="inputResponses", max_length=MOST_ANSWERS)


class TaskMethods:
    """`tasks/get`, `tasks/update` and `tasks/cancel`, over the tasks of a server."""

    def __init__(self, tasks: Tasks, caller: Callable[[Asked], Caller]) -> None:
        self._tasks = tasks
        self._caller = caller

    def put_on(self, server: Server[Any]) -> None:
        """Serve them, and say so."""
        server.add_request_handler("tasks/get", TaskParams, self.get)
        server.add_request_handler("tasks/update", UpdateParams, self.update)
        server.add_request_handler("tasks/cancel", TaskParams, self.cancel)
        server.extensions[TASKS] = {}

    async def get(self, asked: Asked, params: TaskParams) -> dict[str, Any]:
        """The task as it is. MCPError."""
        return self._tasks.detailed(self._meant(asked, params))

    async def update(self, asked: Asked, params: UpdateParams) -> dict[str, Any]:
        """Take answers. MCPError."""
        self._meant(asked, params).answer(params.input_responses)
        return {}

    async def cancel(self, asked: Asked, params: TaskParams) -> dict[str, Any]:
        """End it. MCPError."""
        self._tasks.cancel(self._meant(asked, params))
        return {}

    def _meant(self, asked: Asked, params: TaskParams) -> Task:
        caller = self._caller(asked)
        if not caller.is_modern:
            raise MCPError(METHOD_NOT_FOUND, "Method not found", asked.method)
        self._tasks.check_declared(caller)
        if asked.request is not None:
            named = decode_header_value(asked.request.headers.get(MCP_NAME_HEADER))
            if named != params.task_id:
                raise misnamed("the header Mcp-Name does not name the task of the body")
        return self._tasks.find(caller.principal, params.task_id)
