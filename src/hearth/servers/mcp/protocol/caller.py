"""Whom a request is answered: what they can, how far it is, and what they are asked.

One is made for each request with `Wire.caller(asked)`. It stays valid when the call becomes a task:
reports then become the message of the task, and questions its input requests.

    caller.principal            who it is, as the door knows them
    caller.client               what the client calls itself, with its version
    caller.is_modern            whether the request stands for itself (2026-07-28)
    caller.has_tasks            whether an answer may be a task
    caller.cannot_elicit        why a person cannot be asked; None if one can
    await caller.report(...)    how far it is (`progressing`)
    await caller.elicit(...)    ask a person (`eliciting`)
    caller.notes                what must be known again when it calls again after a question
    caller.ended                why the work is cancelled: "gone" (the client hung up or cancelled
                                the request), "cancelled" (tasks/cancel), "waited" (long enough),
                                "closing" (the daemon); "" as long as it is not
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Literal, Protocol, cast

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageResult,
    ElicitResult,
    InputRequest,
    ListRootsRequest,
    ListRootsResult,
    Result,
)

from hearth.servers.mcp.protocol.connections import Asked, is_modern
from hearth.servers.mcp.protocol.eliciting import Answer, CannotAsk, Question, Rounds, cannot, read
from hearth.servers.mcp.protocol.progressing import Progress

TASKS: Final = "io.modelcontextprotocol/tasks"
WITHIN: Final = 600.0
"""Seconds for which a person may think."""
TRIES: Final = 3
"""Times that a client may answer with what does not fit the question."""

Ended = Literal["", "gone", "cancelled", "waited", "closing"]


class Asks(Protocol):
    """What a call hands its reports and questions to once it is a task."""

    def tell(self, message: str) -> None:
        """So far it is."""

    async def ask(self, requests: Mapping[str, InputRequest]) -> Mapping[str, Any]:
        """The raw responses, once all have come."""


class Caller:
    """The client behind one request."""

    def __init__(self, asked: Asked, principal: str) -> None:
        self.asked = asked
        self.principal = principal
        self.is_modern = is_modern(asked)
        self.ended: Ended = ""
        params = asked.params or {}
        modern = self.is_modern
        self._rounds = Rounds(
            params.get("requestState") if modern else None,
            params.get("inputResponses") if modern else None,
        )
        self._progress = Progress(asked.session.report_progress)
        self._task: Asks | None = None
        self._becoming: asyncio.Event | None = None
        self._became: asyncio.Event | None = None

    # -- what they are and can ----------------------------------------------------------------

    @property
    def client(self) -> tuple[str, str]:
        """The name and version the client gave itself; empty when it gave none."""
        said = self.asked.session.client_params
        return (said.client_info.name, said.client_info.version) if said is not None else ("", "")

    @property
    def has_tasks(self) -> bool:
        """Whether this request declared the extension: else no answer may be a task."""
        can = self.asked.session.client_capabilities
        return self.is_modern and can is not None and TASKS in (can.extensions or {})

    @property
    def cannot_elicit(self) -> str | None:
        """Why a person cannot be asked with a form; None if one can."""
        return self.cannot(Question("").as_request())

    def cannot(self, request: InputRequest) -> str | None:
        """Why the client cannot be asked this; None if it can."""
        return cannot(request, self.asked.session.client_capabilities)

    @property
    def notes(self) -> dict[str, str]:
        """What stands in it when a question ends this call is there again in the next."""
        return self._rounds.notes

    # -- telling and asking -------------------------------------------------------------------

    async def report(
        self, done: float | None = None, total: float | None = None, message: str | None = None
    ) -> None:
        """So far it is now; see `Progress.report`."""
        if self._task is not None:
            if message is not None:
                self._task.tell(message)
            return
        await self._progress.report(done, total, message)

    async def elicit(self, key: str, question: Question, *, within: float = WITHIN) -> Answer:
        """Ask a person. CannotAsk, AskedBack.

        `key` names the question among those of this call.
        """
        request = question.as_request()
        said = await self.ask({key: request}, within=within, foreseeable=question.foreseeable)
        result = cast("ElicitResult", said[key])
        return Answer(result.action, result.content or {})

    async def ask(
        self,
        requests: Mapping[str, InputRequest],
        *,
        within: float = WITHIN,
        foreseeable: bool = False,
    ) -> dict[str, Result]:
        """Ask the client several things at once. CannotAsk, AskedBack."""
        for request in requests.values():
            if (why := self.cannot(request)) is not None:
                raise CannotAsk(why)
        if self._becoming is not None and self._became is not None:
            # Rather than run again from the start, the work goes on in a task.
            self._becoming.set()
            await self._became.wait()
        if self._task is not None:
            return await self._ask_in_task(self._task, requests, within)
        if self.is_modern:
            return self._rounds.answered(requests, foreseeable=foreseeable)
        answers = [self._ask_now(request, within) for request in requests.values()]
        return dict(zip(requests, await asyncio.gather(*answers), strict=True))

    async def _ask_now(self, request: InputRequest, within: float) -> Result:
        """On the stream of the request, as the earlier era does."""
        kind: type[Result] = ElicitResult
        if isinstance(request, CreateMessageRequest):
            kind = CreateMessageResult
        elif isinstance(request, ListRootsRequest):
            kind = ListRootsResult
        session = self.asked.session
        about = ServerMessageMetadata(related_request_id=self.asked.request_id)
        for _ in range(TRIES):
            try:
                said = await session.send_request(request, kind, within, about)
                return read(request, said.model_dump(mode="json", by_alias=True, exclude_none=True))
            except MCPError as error:
                raise CannotAsk(f"the client did not ask: {error.message[:200]}") from error
            except ValueError:
                continue
        raise CannotAsk("what the client answered does not fit the question")

    async def _ask_in_task(
        self, task: Asks, requests: Mapping[str, InputRequest], within: float
    ) -> dict[str, Result]:
        results: dict[str, Result] = {}
        for _ in range(TRIES):
            open_ones = {key: one for key, one in requests.items() if key not in results}
            try:
                async with asyncio.timeout(within):
                    raw = await task.ask(open_ones)
            except TimeoutError as error:
                raise CannotAsk(f"nobody answered within {within:g} seconds") from error
            for key, request in open_ones.items():
                try:
                    results[key] = read(request, raw[key])
                except ValueError:
                    continue
            if len(results) == len(requests):
                return results
        raise CannotAsk("what the client answered does not fit the question")

    # -- becoming a task (for `tasks`) ---------------------------------------------------------

    def may_become_task(self) -> asyncio.Event:
        """Questions of this call make it a task from here on; the event says that one wants to."""
        self._becoming = asyncio.Event()
        self._became = asyncio.Event()
        return self._becoming

    def become(self, task: Asks | None) -> None:
        """Reports and questions go to the task now; without one, to the request as before."""
        self._task = task
        became, self._becoming, self._became = self._became, None, None
        if task is not None:
            self._progress.close()
        if became is not None:
            became.set()

    def close(self) -> None:
        """The request is answered."""
        self._progress.close()
