"""What editors expect is guarded, and ends with the daemon."""

from pathlib import Path

from tests.contracts.hearth_api import S, begin
from tests.servers.http.editors.watched import http, watched
from tests.servers.http.streams.daemons import daemon

from hearth.core.vocabulary.ids import SessionId
from hearth.credentials.standing import Standing


async def test_a_reader_may_watch_and_not_ask(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one:
        await begin(one.engine)
        token = one.tokens.add("eyes", Standing.READER)
        async with http(one, token) as client:
            assert (await client.post("/exec", json={"code": "1+1"})).status_code == 403
            async with watched(client, "/status") as stream:
                assert stream.signals["status"]["session"] == S


async def test_the_end_of_the_daemon_ends_every_stream_of_signals(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        async with watched(client, "/eval") as first, watched(client, "/status") as second:
            await one.door.close()
            await first.end()
            await second.end()
        assert one.attendance.counts(SessionId(S)) == dict.fromkeys(
            ("terminal", "browser", "program", "mcp"), 0
        )
