"""The line finds the daemon, tells when it is lost, and keeps its token to itself."""

import asyncio
from itertools import islice
from pathlib import Path

import pytest
from tests.servers.http.streams.daemons import daemon

from hearth.clients.remote.connection import Lost
from hearth.clients.remote.line import LONGEST_PAUSE, Line, Where, pauses
from hearth.clients.remote.troubles import DaemonGone
from hearth.daemon.discovery import Found

ASKS = {"Hearth-Origin": '{"actor":"person","name":"ann","door":"cli"}'}


async def test_it_speaks_over_the_socket_and_over_the_port(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one:
        socket, port = str(one.path), one.bound.port
        for where in (Where(socket, 0, one.tokens.person), Where("", port, one.tokens.person)):
            line = Line(where, ASKS)
            answer = await line.ask("GET", "/health")
            assert answer.json()["status"] == "ok"
            await line.close()


async def test_a_daemon_that_is_not_there_is_lost_and_told_in_a_sentence(tmp_path: Path) -> None:
    line = Line(Where(str(tmp_path / "nothing.sock"), 0, "t"), ASKS)
    with pytest.raises(Lost) as lost:
        await line.ask("GET", "/health")
    gone = line.gone(lost.value, 5.0)
    assert isinstance(gone, DaemonGone)
    assert "did not answer for 5 seconds" in gone.sentence
    assert "hearth status" in gone.hint
    with pytest.raises(Lost):
        async with line.stream("/events"):
            pass
    assert not await line.find_again()
    await line.close()


async def test_it_is_found_again_elsewhere(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one:
        found: list[Found | None] = [None]
        line = Line(Where(str(tmp_path / "old.sock"), 0, "old"), ASKS, lambda: found[0])
        assert not await line.find_again(), "nobody has announced himself yet"
        found[0] = one.found
        assert await line.find_again()
        assert not await line.find_again(), "it is where it was"
        assert (await line.ask("GET", "/health")).status == 200
        await line.close()


async def test_no_proxy_of_the_environment_sees_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with daemon(tmp_path) as one:
        line = Line(Where("", one.bound.port, one.tokens.person), ASKS)
        async with asyncio.timeout(20):
            assert (await line.ask("GET", "/health")).status == 200
        await line.close()


def test_pauses_grow_to_a_bound() -> None:
    taken = list(islice(pauses(), 8))
    assert taken[0] == 0.1
    assert taken == sorted(taken)
    assert taken[-1] == LONGEST_PAUSE
