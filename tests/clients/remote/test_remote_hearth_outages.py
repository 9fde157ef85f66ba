"""What a client does while the daemon is away, and after it is back."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.hearth_api import PATIENCE, S, accepted, begin, ran, until
from tests.contracts.scenes import ANN
from tests.servers.http.streams.daemons import daemon

from hearth.api import Accepted, Following, Settled, Viewed, settle
from hearth.clients.remote.connection import Answer, Lost
from hearth.clients.remote.line import Line
from hearth.clients.remote.remote_hearth import RemoteHearth
from hearth.clients.remote.troubles import DaemonGone, Rejected, WrongVersion
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Door
from hearth.core.vocabulary.refusals import DuplicateCommand, UnknownSession


async def rows(following: Following, number: int) -> list[Stored]:
    """The next rows; a test must not need more than there are."""
    seen: list[Stored] = []
    async with asyncio.timeout(PATIENCE):
        while len(seen) < number:
            seen += [item for item in await following.batch() if isinstance(item, Stored)]
    return seen


async def test_a_stream_goes_on_without_a_gap_when_the_door_is_killed_and_back(
    tmp_path: Path,
) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(one.engine)
        following = hearth.follow(S, after=0)
        written = 0
        for _ in range(4):
            await ran(one.engine, c.RunCell("1+1"))
            await one.vanish()
            await ran(one.engine, c.RunCell("1+1"))
            await one.start(engine=False)
            await ran(one.engine, c.RunCell("1+1"))
            written += 12
        seen = await rows(following, 6 + written)
        assert seen == list(await one.log.read(session=S))
        following.close()


async def test_a_stream_from_now_that_saw_nothing_yet_misses_nothing(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(one.engine)
        following = hearth.follow(S)
        # The answer tells that the stream has begun: whoever asks sees what the asking leads to.
        await hearth.submit(S, c.RenameSession("first"), ANN)
        assert len(await rows(following, 1)) == 1
        silent = hearth.follow(S)
        await hearth._streams_begun()
        await one.vanish()
        await ran(one.engine, c.RenameSession("while it was away"))
        await one.start(engine=False)
        (row,) = await rows(silent, 1)
        assert b"while it was away" in row.data
        for each in (following, silent):
            each.close()


async def test_a_daemon_that_comes_back_elsewhere_is_found(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        following = hearth.follow(S, after=0)
        await until(following, e.SessionReady)
        await one.stop()
        await one.start("another.sock")
        done = await ran(hearth, c.RunCell("1+1"))
        assert isinstance(done.outcome.event, e.CellFinished)
        seen = await until(following, e.CellFinished)
        assert [item.seq for item in seen if isinstance(item, Stored)][-1] == done.outcome.seq
        following.close()


async def test_a_request_waits_for_a_daemon_that_is_away(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        await one.vanish()
        asking = asyncio.create_task(hearth.submit(S, c.RenameSession("patient"), ANN))
        looking = asyncio.create_task(hearth.view("status", S))
        await asyncio.sleep(0)
        await one.start(engine=False)
        async with asyncio.timeout(PATIENCE):
            assert isinstance(await asking, Accepted)
            assert isinstance(await looking, Viewed)


async def test_a_daemon_that_stays_away_is_told_in_a_sentence(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one:
        async with one.client(patience=0.2) as hearth:
            await begin(hearth)
            await one.vanish()
            with pytest.raises(DaemonGone) as gone:
                await hearth.submit(S, c.RenameSession("x"), ANN)
            assert "did not answer" in gone.value.sentence
            assert gone.value.hint
            with pytest.raises(DaemonGone):
                await hearth.view("status", S)
        await one.start(engine=False)


class Forgetful(Line):
    """Loses the first answers to whatever changes something, after it was done."""

    losing = 0

    async def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: float = 60.0,
    ) -> Answer:
        answer = await super().ask(method, path, headers=headers, content=content, within=within)
        if method == "POST" and self.losing:
            self.losing -= 1
            raise Lost("the answer got lost")
        return answer


def forgetful(hearth: RemoteHearth, losing: int) -> None:
    hearth._line.__class__ = Forgetful
    assert isinstance(hearth._line, Forgetful)
    hearth._line.losing = losing


async def test_a_command_whose_answer_was_lost_is_done_once_and_accepted(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        forgetful(hearth, losing=2)
        before = len(await one.log.read())
        answer = await accepted(hearth, c.RenameSession("once"))
        assert answer.seq == before + 1
        assert len(await one.log.read()) == before + 1
        mine = InputId("mine")
        forgetful(hearth, losing=1)
        done = await settle(hearth, S, c.RunCell("1+1"), ANN, input_id=mine)
        assert isinstance(done, Settled)
        assert done.accepted.id == mine
        again = await hearth.submit(S, c.RunCell("1+1"), ANN, input_id=mine)
        assert isinstance(again, DuplicateCommand), "the caller's own repetition is told as such"
        assert isinstance((await ran(one.engine, c.RunCell("1+1"))).outcome.event, e.CellFinished)
        forgetful(hearth, losing=1)
        made = await hearth.create("/home/ann/elsewhere", reuse=False)
        assert isinstance(made, str)
        sessions = (await hearth.info())["sessions"]
        assert sessions == 2


async def test_another_token_is_read_again_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        one.tokens.rotate()
        assert isinstance(await hearth.view("status", S), Viewed)
        async with RemoteHearth(str(one.path), "wrong", door=Door.CLI) as stranger:
            with pytest.raises(Rejected) as rejected:
                await stranger.view("sessions")
            assert (rejected.value.status, rejected.value.code) == (401, "bad_token")
            with pytest.raises(Rejected):
                await stranger.follow(S).batch()
            with pytest.raises(Rejected):
                await stranger.info()


async def test_a_daemon_of_another_language_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.clients.remote.line.VERSION", "99.0.0")
    async with daemon(tmp_path) as one, one.client() as hearth:
        with pytest.raises(WrongVersion) as wrong:
            await hearth.view("sessions")
        assert "99.0.0" in wrong.value.sentence
        assert wrong.value.hint
        with pytest.raises(WrongVersion):
            await hearth.follow().batch()


async def test_closing_ends_every_stream_also_while_the_daemon_is_away(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one:
        hearth = one.client()
        await begin(hearth)
        streams = [hearth.follow(S), hearth.follow()]
        await hearth._streams_begun()
        await one.vanish()
        waiting = [asyncio.create_task(_drained(each)) for each in streams]
        await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            await hearth.close()
            assert await asyncio.gather(*waiting) == [None, None]
        await one.start(engine=False)


async def _drained(following: Following) -> None:
    while await following.batch():
        pass


async def test_what_else_a_client_can_ask(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        made = await hearth.create("/home/ann/project")
        assert isinstance(made, str)
        assert await hearth.create("/home/ann/project") == made, "the live one of the directory"
        following, another = hearth.follow(made), hearth.follow(made)
        await hearth._streams_begun()
        who: list[dict[str, Any]] = await hearth.who(made)
        assert [(each["kind"], each["door"], each["name"]) for each in who] == [
            ("terminal", "repl", "ann")
        ], "with however many streams, it is one"
        following.close()
        another.close()
        await ran(hearth, c.RunCell("big"), made)
        viewed = await hearth.view("transcript", made)
        assert isinstance(viewed, Viewed)
        blob = viewed.value.entries[-1].value  # type: ignore[attr-defined] # of a transcript
        assert len(await hearth.fetch(blob.sha256)) == blob.size == 100_000
        with pytest.raises(KeyError):
            await hearth.fetch("0" * 64)
        info = await hearth.info()
        assert (info["sessions"], info["connections"]["browser"]) == (1, 0)
        trust = await hearth.trust("/home/ann/project")
        assert not trust["trusted"]
        assert (await hearth.grant(trust["root"], trust["digest"]))["trusted"]
        with pytest.raises(Rejected):
            await hearth.grant(trust["root"], "of other files")
        with pytest.raises(Rejected, match="nothing"):
            await hearth.who(SessionId("nothing"))


async def test_what_cannot_stand_in_a_path_is_no_session(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        for said in ("", ".", "..", "a/b", f"{S}/../{S}"):
            session = SessionId(said)
            for answer in (
                await hearth.submit(session, c.RunCell("1+1"), ANN),
                await hearth.view("status", session),
            ):
                assert isinstance(answer, UnknownSession)
                assert answer.session == said
        for said in ("?x", "#", "%2e%2e", "a b", "ü"):
            assert isinstance(await hearth.view("status", SessionId(said)), UnknownSession)
