"""`hearth log export --format jsonl`, and such a file back in."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.contracts.playing_talks import Talk, call
from tests.offline.talked import keep
from tests.offline.test_log import Cli

from hearth.core.vocabulary.blocks import TextBlock
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.turns import BlockSealed
from hearth.log.event_log import Lease
from hearth.log.sqlite import SqliteLog
from hearth.offline.conversations import is_id

TALK = SessionId("session-cc33")


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    home = tmp_path / "home"
    monkeypatch.setenv("HEARTH_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    talk = (
        Talk(TALK).says("what is this?").answers(call("look", path="a.py")).returns("x" * 100_000)
    )
    keep(home, talk.answers("a loom"))
    return Cli(home, capsys)


def blocks(home: Path, session: str) -> list[BlockSealed]:
    async def read() -> list[BlockSealed]:
        log = SqliteLog(home / "data" / "hearth.db")
        await log.open()
        rows = await log.read_session(SessionId(session), 0, 1000)
        events = [envelope(row).event for row in rows]
        await log.close()
        return [one for one in events if isinstance(one, BlockSealed)]

    return asyncio.run(read())


def test_a_conversation_goes_out_and_comes_in_again(cli: Cli, tmp_path: Path) -> None:
    written = cli.json("export", "--format", "jsonl", "cc33", "-o", tmp_path / "talk.jsonl")
    assert (written["session"], written["entries"]) == (TALK, 4)
    brought = cli.json("import", tmp_path / "talk.jsonl")
    assert (brought["session"], brought["entries"], brought["notes"]) == (f"{TALK}-2", 4, [])
    old, new = blocks(cli.home, TALK), blocks(cli.home, f"{TALK}-2")
    assert [(one.role, one.turn, one.step) for one in new] == [
        (one.role, one.turn, one.step) for one in old
    ]
    assert new[-1].content == TextBlock("a loom")
    assert cli.json("check")["findings"] == []


def test_without_a_name_the_file_is_called_after_its_id(cli: Cli, tmp_path: Path) -> None:
    written = cli.json("export", TALK, "--format=jsonl")
    assert Path(written["file"]) == tmp_path / f"{written['id']}.jsonl"
    told = cli("export", TALK, "other.jsonl", "--format", "jsonl")
    assert "4 entries" in told
    assert (tmp_path / "other.jsonl").exists()


def test_what_was_imported_can_be_named_searched_and_exported_again(cli: Cli) -> None:
    cli("export", TALK, "one.jsonl", "--format", "jsonl")
    assert "`hearth ask -s mine` goes on" in cli("import", "one.jsonl", "--as", "mine")
    hits = cli.json("search", "loom", "--session", "mine")["hits"]
    assert [hit["session"] for hit in hits] == ["mine"]
    again = cli.json("export", "mine", "--format", "jsonl", "-o", "two.jsonl")
    assert again["entries"] == 4
    code, told = cli.refused("import", "one.jsonl", "--as", "mine")
    assert code == 1
    assert "exists already" in told


def test_an_import_that_was_cut_off_is_finished_by_the_same_file(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("export", TALK, "one.jsonl", "--format", "jsonl")
    append, times = SqliteLog.append, iter(range(2))

    async def fails(
        self: SqliteLog,
        session: SessionId,
        version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        if next(times, 1):
            raise OSError(28, "No space left on device")
        return await append(self, session, version, drafts, lease)

    monkeypatch.setattr("hearth.offline.conversations.AT_ONCE", 5)
    monkeypatch.setattr(SqliteLog, "append", fails)
    cli.refused("import", "one.jsonl", "--as", "mine")
    monkeypatch.setattr(SqliteLog, "append", append)
    cli("import", "one.jsonl", "--as", "mine")
    assert cli.code == 0
    assert len(blocks(cli.home, "mine")) == len(blocks(cli.home, TALK))


@pytest.mark.promise("DL-SESS-10", "DL-SESS-11")
def test_what_is_no_conversation_is_refused_with_what_would_help(cli: Cli, tmp_path: Path) -> None:
    cli("export", TALK, "one.jsonl", "--format", "jsonl")
    header, *entries = (tmp_path / "one.jsonl").read_text().splitlines()
    newer = {**json.loads(header), "version": 99}
    (tmp_path / "newer.jsonl").write_text("\n".join([json.dumps(newer), *entries]))
    code, told = cli.refused("import", "newer.jsonl")
    assert code == 1
    assert "99" in told
    assert "hint: update hearth" in told
    for name, content in (("empty.jsonl", ""), ("garbage.jsonl", "garbage\n")):
        (tmp_path / name).write_text(content)
        assert name in cli.refused("import", name)[1]
    (tmp_path / "broken.jsonl").write_text("\n".join([header, "{", *entries]))
    assert "line 2" in cli.refused("import", "broken.jsonl")[1]
    assert cli.json("check")["sessions"] == 1
    (tmp_path / "torn.jsonl").write_text("\n".join([header, *entries])[:-5])
    told = cli("import", "torn.jsonl")
    assert "note: the last line was cut off" in told
    assert "3 entries" in told


def test_how_it_is_asked_for_is_checked(cli: Cli) -> None:
    assert "--format cannot be 'xml'" in cli.refused("export", TALK, "--format", "xml")[1]
    assert "FILE is missing" in cli.refused("export", TALK)[1]
    assert "two files" in cli.refused("export", TALK, "a", "-o", "b")[1]


def test_ids_that_sessions_can_have() -> None:
    assert is_id("session-a1")
    assert not is_id(DAEMON_STREAM)
    assert not is_id("a/b")
    assert not is_id("")
