"""The file of a conversation: what is read, what is left out, what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from hearth.log.conversation_format import BadConversation, is_conversation, read_conversation
from hearth.log.event_log import LogError

HEADER: dict[str, Any] = {
    "type": "session",
    "version": 1,
    "id": "20260301120000-a1b2c3",
    "timestamp": "2026-03-01T12:00:00Z",
    "cwd": "/home/ann",
}
HELLO: dict[str, Any] = {
    "type": "message",
    "id": "00000001",
    "parentId": None,
    "timestamp": "2026-03-01T12:00:01Z",
    "message": {"role": "user", "content": "hello"},
}


def file_with(folder: Path, *lines: object, end: str = "\n") -> Path:
    path = folder / "talk.jsonl"
    path.write_text(
        "\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines) + end
    )
    return path


def refused(path: Path) -> BadConversation:
    with pytest.raises(BadConversation) as raised:
        read_conversation(path)
    assert str(path) in str(raised.value)
    return raised.value


def test_a_file_is_its_header_and_its_entries(tmp_path: Path) -> None:
    second = {**HELLO, "id": "00000002", "parentId": "00000001"}
    read = read_conversation(file_with(tmp_path, HEADER, HELLO, "", second))
    assert (read.header.id, read.header.cwd) == (HEADER["id"], "/home/ann")
    assert [(one.id, one.parent, one.line) for one in read.entries] == [
        ("00000001", None, 2),
        ("00000002", "00000001", 4),
    ]
    assert read.notes == ()
    assert is_conversation(tmp_path / "talk.jsonl")


@pytest.mark.promise("DL-SESS-11")
def test_a_last_line_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    whole = json.dumps({**HELLO, "id": "00000002"})
    for cut in (1, 10, len(whole) - 1):
        read = read_conversation(file_with(tmp_path, HEADER, HELLO, whole[:cut], end=""))
        assert [one.id for one in read.entries] == ["00000001"]
        assert "cut off" in read.notes[0]
    complete = read_conversation(file_with(tmp_path, HEADER, HELLO, whole, end=""))
    assert len(complete.entries) == 2
    assert complete.notes == ()


@pytest.mark.promise("DL-SESS-10")
class TestRefusals:
    def test_a_newer_version_says_to_update(self, tmp_path: Path) -> None:
        bad = refused(file_with(tmp_path, {**HEADER, "version": 99}))
        assert "99" in str(bad)
        assert "update" in bad.hint

    def test_an_empty_file_is_said_to_be_empty(self, tmp_path: Path) -> None:
        for content in ("", "\n\n  \n"):
            (tmp_path / "talk.jsonl").write_text(content)
            assert "empty" in str(refused(tmp_path / "talk.jsonl"))

    @pytest.mark.parametrize("first", ["garbage", "[1]", HELLO, '{"format":"hearth-session"}', "{"])
    def test_another_first_line_is_no_header(self, tmp_path: Path, first: object) -> None:
        bad = refused(file_with(tmp_path, first, HELLO))
        assert "no conversation" in str(bad)
        assert "header" in bad.hint
        assert bad.line == 1

    def test_a_header_without_its_fields_says_which(self, tmp_path: Path) -> None:
        bad = refused(file_with(tmp_path, {**HEADER, "timestamp": "yesterday"}))
        assert "timestamp" in str(bad)

    @pytest.mark.parametrize(
        ("entry", "why"),
        [
            ("{", "no JSON object"),
            ("7", "no JSON object"),
            ({**HELLO, "id": ""}, "needs a `type` and an `id`"),
            ({**HELLO, "type": 3}, "needs a `type` and an `id`"),
            ({**HELLO, "parentId": 3}, "`parentId`"),
            ({**HELLO, "timestamp": "late"}, "`timestamp`"),
        ],
    )
    def test_a_bad_line_in_the_middle_is_named_by_its_number(
        self, tmp_path: Path, entry: object, why: str
    ) -> None:
        bad = refused(file_with(tmp_path, HEADER, entry, HELLO))
        assert (bad.line, why in str(bad)) == (2, True)

    def test_an_id_that_is_there_twice(self, tmp_path: Path) -> None:
        assert "twice" in str(refused(file_with(tmp_path, HEADER, HELLO, HELLO)))

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(LogError, match="cannot be read"):
            read_conversation(tmp_path / "nothing.jsonl")


def test_kinds_that_are_not_known_are_left_out_and_counted(tmp_path: Path) -> None:
    odd = {**HELLO, "type": "compaction", "id": "00000009"}
    read = read_conversation(file_with(tmp_path, HEADER, odd, HELLO))
    assert [one.type for one in read.entries] == ["message"]
    assert read.notes == ("1 entries of kinds that hearth does not know are left out",)


def test_what_begins_otherwise_is_no_conversation(tmp_path: Path) -> None:
    assert not is_conversation(file_with(tmp_path, '{"format":"hearth-session"}'))
    assert not is_conversation(file_with(tmp_path, "garbage"))
    assert not is_conversation(tmp_path / "nothing.jsonl")
