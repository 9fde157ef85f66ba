"""What the door is given."""

from datetime import UTC, datetime
from pathlib import Path

from tests.servers.http.serving import served

from hearth.core.vocabulary import codec
from hearth.servers.http.around import DaemonInfo


def test_the_daemon_is_told_in_the_words_of_its_file() -> None:
    info = DaemonInfo(
        pid=1,
        port=2,
        socket="/s",
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        version="0.1.0",
        home="/h",
    )
    assert b'"startedAt":"2026-01-01T00:00:00Z"' in codec.encode(info)


async def test_the_door_asks_only_those_it_is_given(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        shown = (await daemon.client.get("/config", params={"directory": "/x"})).json()
        assert shown["directory"] == "/x"
        assert shown["sources"] == {"interpreter.memory": "default"}
        trust = (await daemon.client.get("/trust", params={"directory": "/x"})).json()
        assert trust == {"root": "/x", "files": ["init.py"], "digest": "d1", "trusted": False}
