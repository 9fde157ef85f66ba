"""The HTTP door, from outside."""

from pathlib import Path

from tests.servers.http.serving import served


async def test_one_and_one_over_http(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        answer = await daemon.command({"type": "run_cell", "code": "1+1"})
        assert answer.status_code == 200
        assert answer.json()["envelopes"][-1]["event"]["value"] == "2"
