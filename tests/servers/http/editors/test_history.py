"""The log as signals: the newest of the past, then event by event, in step with the log."""

from pathlib import Path

import pytest
from tests.contracts.hearth_api import S, T, begin, ran
from tests.servers.http.editors.watched import Watched, http, watched
from tests.servers.http.streams.daemons import daemon

from hearth.core.vocabulary import commands as c

SIGNALS = {"Datastar-Request": "true"}


def seqs(stream: Watched) -> list[int]:
    """The events that a stream told of, in order."""
    first, *others = [patch["events"] for patch in stream.patches]
    past = first.get("history", []) + first["new"]
    return [each["seq"] for each in past] + [each["new"][0]["seq"] for each in others]


@pytest.mark.promise("SF-HTTP-05")
async def test_the_past_comes_first_and_then_one_patch_for_each_event(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        for path in ("/events", f"/sessions/{S}/events", "/events?session=aaaaaa"):
            head = len(await one.log.read())
            async with watched(client, path, **SIGNALS) as stream:
                assert len(stream.patches) == 1
                assert seqs(stream) == list(range(1, head + 1))
                assert stream.ids == [str(head)]
                await ran(one.engine, c.RunCell("1+1"))
                rows = len(await one.log.read())
                await stream.until(lambda now, rows=rows: seqs(now)[-1] == rows)  # type: ignore[misc] # mypy sees no default in a lambda
                assert seqs(stream) == list(range(1, rows + 1))
                assert len(stream.patches) == 1 + rows - head
                assert all(len(patch["events"]["new"]) == 1 for patch in stream.patches[1:])


async def test_the_past_is_bounded_by_a_limit(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        await begin(one.engine, T)
        for _ in range(3):
            await ran(one.engine, c.RunCell("1+1"))
        head = len(await one.log.read())
        async with watched(client, "/events?limit=5", **SIGNALS) as stream:
            assert seqs(stream) == list(range(head - 4, head + 1))
        async with watched(client, f"/events?limit=2&session={T}", **SIGNALS) as stream:
            past = stream.signals["events"]["history"]
            assert [each["session"] for each in past] == [T, T]
            assert past[-1]["event"]["type"] == "state_transitioned"
        for path in ("/events?limit=0", f"/sessions/{T}/events?limit=0"):
            async with watched(client, path, **SIGNALS) as stream:
                assert stream.signals["events"]["history"] == []
                await ran(one.engine, c.RunCell("1+1"), T)
                await stream.patched(2)
                assert stream.patches[1]["events"]["seq"] > head
        for bad in ("-1", "x", "1001"):
            refused = await client.get(f"/events?limit={bad}", headers=SIGNALS)
            assert refused.status_code == 400
            assert refused.json()["error"]["path"] == "query.limit"


async def test_one_that_comes_back_goes_on_where_it_was(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        await begin(one.engine)
        head = len(await one.log.read())
        again = {**SIGNALS, "Last-Event-ID": str(head - 2)}
        async with watched(client, "/events", **again) as stream:
            await stream.until(lambda now: len(now.patches) == 2)
            assert seqs(stream) == [head - 1, head]
            assert all("history" not in patch["events"] for patch in stream.patches)
            assert stream.ids == [str(head - 1), str(head)]


async def test_an_empty_log_has_an_empty_past(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, http(one) as client:
        async with watched(client, "/events", **SIGNALS) as stream:
            assert stream.signals["events"]["history"] == []
            await begin(one.engine)
            await stream.until(lambda now: len(now.patches) > 1)
            assert seqs(stream)[0] == 1
            await one.door.close()
            await stream.end()
        assert not any(one.attendance.counts().values())
