"""Speaks MCP with a server, in whichever of its eras, by the protocol's own library.

Importing this takes a second: it is done in a thread, when the first server is needed. Each
connection is opened and closed in one task of its own, as the library must be; whoever calls does
so from where they are.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any, Final

from mcp import Client
from mcp_types import Implementation, PaginatedRequestParams, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hearth.daemon.versions import VERSION
from hearth.performers.mcp_client.connecting import STARTING, Call, NeedsLogin, Unavailable, either
from hearth.performers.mcp_client.definitions import MOST_TOOLS, Listed
from hearth.performers.mcp_client.erring import LONGEST_REASON, is_closed, reason, what_went_wrong
from hearth.performers.mcp_client.frames import LineReader, LineWriter
from hearth.performers.mcp_client.messages import Incoming, Outgoing
from hearth.performers.mcp_client.processes import CouldNotStart, Launch, ServerProcess
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.mcp_client.results import outcome_of
from hearth.performers.tools.tool import Outcome

ANSWERING: Final = 10.0
"""Seconds that a server has to list its tools."""
CLOSING: Final = 20.0
"""Seconds after which nobody waits for the end of a connection any more."""
ENDING: Final = 4.0
"""Seconds that a call waits to learn how the server ended."""
MOST_PAGES: Final = 50
_ME: Final = Implementation(name="hearth", version=VERSION)
# What it complains about is told in our words, where a person sees it; and it may quote secrets.
for _name in ("mcp.client", "httpx2"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class Speaking:
    """A connection to one server. Use `begin`."""

    def __init__(self, transport: Any, process: ServerProcess | None = None) -> None:
        self.ended = asyncio.Event()
        self.changed = asyncio.Event()
        self._process = process
        self._recorded: Recorded | None = None
        self._transport = transport
        self._incoming: Incoming | None = None
        self._client: Client | None = None
        self._begun = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._why = ""
        self._living: asyncio.Task[None] | None = None

    @classmethod
    async def started(
        cls, launch: Launch, name: str, recorded: Recorded, patience: float = STARTING
    ) -> "Speaking":
        """A server that is started here, and written down while it runs. Unavailable."""
        try:
            process = await ServerProcess.begin(launch)
        except CouldNotStart as error:
            raise Unavailable(str(error)) from None
        made = cls(None, process)
        made._transport = made._pipes(process)
        made._recorded = recorded
        await made._opened(patience)
        try:
            await asyncio.to_thread(recorded.note, name, process.guardian, process.pid)
        except asyncio.CancelledError:
            await asyncio.shield(made.close())
            raise
        return made

    @classmethod
    async def reached(cls, transport: Any, patience: float = STARTING) -> "Speaking":
        """A server that is reached by a transport of the library. Unavailable."""
        made = cls(transport)
        return await made._opened(patience)

    @property
    def pid(self) -> int:
        """Its process; 0 for one that is reached over the network."""
        return self._process.pid if self._process is not None else 0

    @property
    def noise(self) -> int:
        """How many lines it wrote that are no messages."""
        return self._incoming.noise if self._incoming is not None else 0

    @property
    def protocol(self) -> str:
        """The version of the protocol that is spoken."""
        return self._client.protocol_version if self._client is not None else ""

    async def tools(self) -> tuple[Listed, ...]:
        """What it offers now. Unavailable."""
        self.changed.clear()
        found: list[Listed] = []
        try:
            async with asyncio.timeout(ANSWERING):
                cursor: str | None = None
                for _ in range(MOST_PAGES):
                    params = PaginatedRequestParams(cursor=cursor) if cursor else None
                    page = await self._speaking.session.list_tools(params=params)
                    found += map(_listed, page.tools)
                    cursor = page.next_cursor
                    if not cursor or len(found) > MOST_TOOLS:
                        break
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in library or server
            why = what_went_wrong(error, ANSWERING, self._why)
            raise Unavailable(f"its tools cannot be listed: {why}") from None
        return tuple(found)

    async def call(self, call: Call) -> Outcome:
        """Have it do something. Never raises, but when it is cancelled: it is told so then."""

        async def progressing(progress: float, total: float | None, message: str | None) -> None:
            share = f"{progress:g} of {total:g}" if total else f"{progress:g}"
            call.show(f"{message or share}"[:LONGEST_REASON] + "\n")

        try:
            async with asyncio.timeout(call.timeout):
                result = await self._speaking.call_tool(
                    call.tool, dict(call.arguments), progress_callback=progressing
                )
            return await outcome_of(result, call.keep)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the outcome
            if is_closed(error) and self._living is not None:
                # How it ended is known in a moment, and is what helps.
                await asyncio.wait({self._living}, timeout=ENDING)
            return Outcome(
                self._login or what_went_wrong(error, call.timeout, self._why), is_error=True
            )

    async def close(self) -> None:
        """End it, however it resists."""
        self._stop.set()
        if self._living is not None:
            await asyncio.wait({self._living}, timeout=CLOSING)
            if not self._living.done():
                self._living.cancel()
                await asyncio.wait({self._living}, timeout=1.0)

    @property
    def _speaking(self) -> Client:
        if self._client is None or self.ended.is_set():
            raise Unavailable(f"the server has ended: {self._why or 'without a word'}")
        return self._client

    async def _opened(self, patience: float) -> "Speaking":
        self._living = asyncio.create_task(self._live())
        try:
            async with asyncio.timeout(patience):
                await asyncio.shield(self._begun)
        except TimeoutError:
            await self.close()
            words = f" ({self._why})" if self._why else ""
            raise Unavailable(f"it did not begin within {patience:g} seconds{words}") from None
        except Unavailable:
            await self.close()
            raise
        except asyncio.CancelledError:
            await asyncio.shield(self.close())
            raise
        return self

    async def _live(self) -> None:
        """From its first word to its end, all in this task."""
        listening: asyncio.Task[None] | None = None
        is_wanted = False
        try:
            connected = Client(
                self._transport, client_info=_ME, message_handler=self._hear, cache=None
            )
            async with _until(connected, self._stop) as client:
                self._client = client
                if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                    listening = asyncio.create_task(self._listen(client))
                if not self._begun.done():
                    self._begun.set_result(None)
                await either(self._stop, self.ended)
                is_wanted = self._stop.is_set()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - told to whoever waits
            # Of a process that ended its own last words are told, below.
            is_told_below = self._process is not None and is_closed(error)
            self._why = self._login or ("" if is_told_below else reason(error))
        finally:
            self.ended.set()
            if listening is not None:
                listening.cancel()
            if self._process is not None:
                await asyncio.shield(self._process.close())
                if self._recorded is not None:
                    await asyncio.to_thread(self._recorded.forget, self._process.guardian)
                if not is_wanted:
                    self._why = self._why or self._process.last_words()
            if not self._begun.done():
                why = self._why or "it ended while it began"
                failed = NeedsLogin(why) if self._login else Unavailable(why)
                self._begun.set_exception(failed)
                self._begun.exception()  # perhaps nobody waits any more

    @property
    def _login(self) -> str:
        """What a person has to do first; only who is reached over the network wants that."""
        return str(getattr(self._transport, "login", ""))

    async def _listen(self, client: Client) -> None:
        """In the newer era, what changes is told to those who asked for it."""
        with contextlib.suppress(Exception):  # a server that cannot is asked when it is needed
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.changed.set()

    async def _hear(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.changed.set()

    @contextlib.asynccontextmanager
    async def _pipes(self, process: ServerProcess) -> AsyncIterator[tuple[Incoming, Outgoing]]:
        reader, writer = LineReader(process.reads_from), LineWriter(process.writes_to)
        self._incoming = Incoming(reader, self.ended)
        try:
            yield self._incoming, Outgoing(writer)
        finally:
            reader.close()
            writer.close()


@contextlib.asynccontextmanager
async def _until(client: Client, stop: asyncio.Event) -> AsyncIterator[Client]:
    """The client, opened; given up if somebody wants it to stop before it is open."""
    me = asyncio.current_task()
    is_open = False

    async def give_up() -> None:
        await stop.wait()
        if not is_open and me is not None:
            me.cancel()

    giving_up = asyncio.create_task(give_up())
    try:
        async with client as opened:
            is_open = True
            yield opened
    finally:
        giving_up.cancel()


def _listed(tool: Any) -> Listed:
    annotations = tool.annotations
    return Listed(
        name=tool.name,
        description=tool.description or tool.title or "",
        input_schema=dict(tool.input_schema),
        annotations=annotations.model_dump(by_alias=True, exclude_none=True) if annotations else {},
    )
