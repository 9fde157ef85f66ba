"""What takes long: a call whose answer is a task, to be looked after later.

The extension `io.modelcontextprotocol/tasks`. A tool says what is to be done and how long the
client waits for it:

    return await tasks.run(caller, work, after=5.0)                    # work: () -> CallToolResult

If the work is over within `after` seconds, its result is the answer, as if there were no tasks. If
not, and the client declared the extension, the answer is a task: it was kept before the client
hears of it. The work goes on; `caller.report` in it becomes the message of the task and
`caller.elicit` its input request (and makes a task of the call at once). A client without the
extension waits on, or, with `otherwise`, is given that answer and the work is cancelled with
`caller.ended == "waited"`: work that only waits for something else loses nothing by it.

The work is cancelled (CancelledError) when the client hangs up before there is a task, when it
cancels the task, and when the daemon closes; `caller.ended` says which. What is to survive that
must be shielded by the tool.

Tasks live in memory, so long and so many as the bounds below say, and are seen by the principal
that made them alone. A daemon that starts again knows none of the earlier ones.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Final, Literal

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, ErrorData
from mcp_types.methods import serialize_server_result
from mcp_types.version import LATEST_MODERN_VERSION

from hearth.servers.mcp.protocol.caller import TASKS, Caller
from hearth.servers.mcp.protocol.erring import invalid, lacks
from hearth.servers.mcp.protocol.task import LONGEST_MESSAGE, Task

MOST: Final = 1000
MOST_OF_ONE: Final = 200
"""Tasks of one principal."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of all results that are kept."""
KEPT: Final = 3600.0
"""Seconds for which a task can be looked at after its end."""
LONGEST: Final = 86400.0
"""Seconds after which a task that still works is ended."""

Work = Callable[[], Awaitable[CallToolResult]]

_said = logging.getLogger(__name__)


class Tasks:
    """All tasks of a server."""

    def __init__(
        self,
        changed: Callable[[str, str, dict[str, Any]], None] | None = None,
        *,
        kept: float = KEPT,
        most: int = MOST,
        most_of_one: int = MOST_OF_ONE,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`changed` hears of each change: the id, the principal, and the task as clients see it."""
        self._tell = changed
        self._kept = kept
        self._most = most
        self._most_of_one = most_of_one
        self._now = now
        self._tasks: dict[str, Task] = {}
        self._working: dict[str, tuple[asyncio.Task[CallToolResult], Caller]] = {}
        self._waited_for: set[asyncio.Task[CallToolResult]] = set()
        self._watching: set[asyncio.Task[None]] = set()

    # -- for tools ----------------------------------------------------------------------------

    async def run(
        self,
        caller: Caller,
        work: Work,
        *,
        after: float = 0.0,
        required: bool = False,
        otherwise: Callable[[], Awaitable[CallToolResult]] | None = None,
    ) -> CallToolResult | dict[str, Any]:
        """Do the work and answer with its result, or with a task once `after` seconds are over.

        `required`: what cannot be done but as a task; a client that did not declare the extension
        is refused, before anything is done. MCPError.
        """
        if required:
            self.check_declared(caller)
        may = caller.has_tasks and self._has_room(caller.principal)
        if required and not may:
            raise invalid("too many tasks are kept at the moment; let some of them end, and wait")
        wanted = caller.may_become_task() if may else None
        doing = asyncio.ensure_future(_done(work))
        self._waited_for.add(doing)
        doing.add_done_callback(self._over)
        try:
            if after > 0 or not may:
                patient = may or otherwise is not None
                await _first(doing, wanted, after if patient else None)
            if doing.done():
                return doing.result()
            if may:
                return self._made(caller, doing)
            if otherwise is None:
                return await doing
            _end(doing, caller, "waited")
            return await otherwise()
        except asyncio.CancelledError:
            _end(doing, caller, "gone")
            raise
        finally:
            caller.close()

    def check_declared(self, caller: Caller) -> None:
        """Whether this request may speak of tasks. MCPError."""
        if not caller.has_tasks:
            raise lacks({"extensions": {TASKS: {}}}, f"this needs the extension {TASKS}")

    # -- for clients --------------------------------------------------------------------------

    def find(self, principal: str, task_id: str) -> Task:
        """A task of this principal. MCPError."""
        self._let_go()
        task = self._tasks.get(task_id)
        # One of somebody else is not known either: that it is there is theirs to know.
        if task is None or task.principal != principal:
            raise invalid("this task is not known: it is over for long, or of another daemon")
        return task

    def detailed(self, task: Task) -> dict[str, Any]:
        """As a client sees it."""
        return task.detailed(self._kept, self._now())

    def cancel(self, task: Task) -> None:
        """Let the work end; one that is over stays as it is."""
        working = self._working.get(task.id)
        if working is not None:
            _end(*working, "cancelled")

    async def close(self) -> None:
        """End all work, and wait for it."""
        for doing, caller in tuple(self._working.values()):
            _end(doing, caller, "closing")
        for one in tuple(self._waited_for):
            one.cancel()
        await asyncio.gather(*self._watching, *self._waited_for, return_exceptions=True)

    # -- inside -------------------------------------------------------------------------------

    def _over(self, doing: asyncio.Task[CallToolResult]) -> None:
        self._waited_for.discard(doing)
        if not doing.cancelled():
            doing.exception()  # Whoever still waits hears of it; nobody need.

    def _has_room(self, principal: str) -> bool:
        self._let_go()
        tasks = self._tasks.values()
        if len(tasks) >= self._most or sum(one.size for one in tasks) >= MOST_BYTES:
            return False
        return sum(one.principal == principal for one in tasks) < self._most_of_one

    def _let_go(self) -> None:
        """Forget those whose time is over."""
        limit = self._now().timestamp() - self._kept
        for one in tuple(self._tasks.values()):
            if one.ended is not None and one.ended.timestamp() < limit:
                del self._tasks[one.id]

    def _made(self, caller: Caller, doing: asyncio.Task[CallToolResult]) -> dict[str, Any]:
        task = Task(caller.principal, self._now(), self._changed)
        self._tasks[task.id] = task
        self._working[task.id] = (doing, caller)
        watching = asyncio.ensure_future(self._watch(task, doing, caller))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)
        seed = {"resultType": "task", **task.seen(self._kept, self._now())}
        caller.become(task)
        return seed

    async def _watch(self, task: Task, doing: asyncio.Task[CallToolResult], caller: Caller) -> None:
        """Until the work is over, however it ends."""
        await asyncio.wait({doing}, timeout=LONGEST)
        if not doing.done():
            _end(doing, caller, "waited")
            await asyncio.wait({doing})
        task.message = ""
        if doing.cancelled():
            task.status = "cancelled"
        elif (error := doing.exception()) is not None:
            task.status = "failed"
            task.error = _error(error)
            task.message = task.error.message[:LONGEST_MESSAGE]
        else:
            self._keep(task, doing.result())
        task.ended = self._now()
        del self._working[task.id]
        self._changed(task)

    def _keep(self, task: Task, result: CallToolResult) -> None:
        try:
            dumped = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            task.result = serialize_server_result("tools/call", LATEST_MODERN_VERSION, dumped)
            task.size = len(result.model_dump_json())
            task.status = "completed"
        except ValueError as error:
            task.status, task.error = "failed", _error(error)

    def _changed(self, task: Task) -> None:
        task.updated = self._now()
        if self._tell is not None:
            self._tell(task.id, task.principal, self.detailed(task))


async def _done(work: Work) -> CallToolResult:
    return await work()


async def _first(
    doing: asyncio.Task[CallToolResult], wanted: asyncio.Event | None, within: float | None
) -> None:
    """Until the work is over, or wants to be a task, or the time is up."""
    if wanted is None:
        await asyncio.wait({doing}, timeout=within)
        return
    wanting = asyncio.ensure_future(wanted.wait())
    try:
        await asyncio.wait({doing, wanting}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        wanting.cancel()


def _end(
    doing: asyncio.Task[CallToolResult],
    caller: Caller,
    why: Literal["gone", "cancelled", "waited", "closing"],
) -> None:
    if not doing.done():
        caller.ended = caller.ended or why
        doing.cancel()


def _error(error: BaseException) -> ErrorData:
    if isinstance(error, MCPError):
        return error.error
    _said.error("the work of a task failed", exc_info=error)
    return ErrorData(code=INTERNAL_ERROR, message="the work failed inside hearth")
