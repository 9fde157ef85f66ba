"""What a file must be to count as an archive, and what is said of one that is not."""

import json
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.facts import NOON, new_session
from tests.log.sessions import Life

from hearth.core.vocabulary.envelope import Stored
from hearth.log.archive_format import (
    Archive,
    BadArchive,
    Content,
    Exported,
    blob_line,
    event_line,
    header_line,
)
from hearth.log.event_log import LogError


def lines_of(life: Life) -> list[bytes]:
    session = life.state.session
    rows = [
        Stored(7 + version, session, version, draft.data)
        for version, draft in enumerate(life.drafts, start=1)
    ]
    return [header_line(session, NOON, len(rows)), *map(event_line, rows)]


@pytest.fixture
def lines() -> list[bytes]:
    life = Life(new_session())
    life.run("1+1")
    return lines_of(life)


def said_of(path: Path, lines: list[bytes]) -> BadArchive:
    """What is wrong with a file of these lines."""
    path.write_bytes(b"".join(lines))
    with pytest.raises(BadArchive) as caught:
        list(Archive(path))
    assert str(caught.value).startswith(f"{path}, line {caught.value.line}: ")
    return caught.value


def changed(line: bytes, **fields: Any) -> bytes:
    return json.dumps({**json.loads(line), **fields}).encode() + b"\n"


def test_a_whole_file_gives_its_events_and_blobs(tmp_path: Path, lines: list[bytes]) -> None:
    digest = sha256(b"hello").hexdigest()
    path = tmp_path / "one.jsonl"
    everything = [lines[0], blob_line(digest, b"hello"), *lines[1:], blob_line("0" * 64, None)]
    path.write_bytes(b"".join(everything))
    archive = Archive(path)
    assert archive.header().events == len(lines) - 1
    first, *entries, last = list(archive)
    assert first == Content(digest, b"hello")
    assert last == Content("0" * 64, None)
    assert [one.version for one in entries if isinstance(one, Exported)] == [
        *range(1, len(lines)),
    ]
    assert archive.digest == sha256(b"".join(everything)).hexdigest()
    assert list(archive) == [first, *entries, last]


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (b"", "empty"),
        (b"\n", "no export of a session"),
        (b"[1]\n", "no export of a session"),
        (b"\xff\xfe\n", "no export of a session"),
        (b'{"format":"tape","version":1}\n', "no export of a session"),
        (b'{"format":"hearth-session","version":2}\n', r"newer hearth \(format 2\)"),
        (b'{"format":"hearth-session","version":1}\n', "the header does not parse"),
        (b'{"format":"hearth-session"', "ends in the middle"),
    ],
)
def test_a_wrong_header_is_named(tmp_path: Path, first: bytes, why: str) -> None:
    bad = said_of(tmp_path / "one.jsonl", [first])
    assert bad.line == 1
    with pytest.raises(BadArchive, match=why):
        Archive(bad.path).header()


def test_the_daemons_own_stream_is_no_session(tmp_path: Path, lines: list[bytes]) -> None:
    bad = said_of(tmp_path / "one.jsonl", [changed(lines[0], session="daemon-sessions")])
    assert "no session" in bad.why


def test_a_line_that_is_wrong_is_named(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "one.jsonl"
    event = json.loads(lines[3])["event"]
    wrong: list[tuple[bytes, str]] = [
        (lines[3][:-20], "ends in the middle"),
        (b"{]\n", "does not parse"),
        (b"\x80\n", "does not parse"),
        (b"{}\n", "is not version 3"),
        (lines[4], "is not version 3"),
        (changed(lines[3], session="another"), "is not version 3"),
        (changed(lines[3], at="yesterday"), "no event that can have happened"),
        (changed(lines[3], event={**event, "type": "sneezed"}), "no event that can have happened"),
        (changed(lines[3], more=1), "no event that can have happened"),
        (changed(lines[1], version=3), "no event that can have happened"),
        (b'{"blob":"00","base64":"?"}\n', "the blob does not parse"),
        (b'{"blob":1}\n', "the blob does not parse"),
        (blob_line("0" * 64, b"hello"), "does not fit its hash"),
        (event_line(Stored(9, json.loads(lines[0])["session"], 3, b"\x00")), "was damaged"),
    ]
    for line, why in wrong:
        rest = [] if not line.endswith(b"\n") else lines[4:]
        bad = said_of(path, [*lines[:3], line, *rest])
        assert (bad.line, why in bad.why) == (4, True), bad


def test_a_blob_is_given_before_it_is_named(tmp_path: Path) -> None:
    life = Life(new_session())
    life.run("1+1")
    lines = lines_of(life)
    digest = sha256(b"code").hexdigest()
    place = next(n for n, line in enumerate(lines) if b'"cell_started"' in line)
    event = {**json.loads(lines[place])["event"], "code": {"sha256": digest, "size": 4}}
    lines[place] = changed(lines[place], event=event)
    path = tmp_path / "one.jsonl"
    bad = said_of(path, lines)
    assert (bad.line, bad.why) == (place + 1, f"the blob {digest} is named before it is given")
    lines.insert(place, blob_line(digest, b"code"))
    path.write_bytes(b"".join(lines))
    assert Content(digest, b"code") in list(Archive(path))
    assert b64encode(b"code") in path.read_bytes()


def test_too_few_and_too_many_events_are_named(tmp_path: Path, lines: list[bytes]) -> None:
    path = tmp_path / "one.jsonl"
    events = len(lines) - 1
    few = said_of(path, lines[:-1])
    assert (few.line, few.why) == (
        len(lines),
        f"the file ends too early: only {events - 1} of {events} events are there",
    )
    many = said_of(path, [*lines, lines[-1]])
    assert many.line == len(lines) + 1
    assert f"more than the {events} events" in many.why
    assert said_of(path, [*lines, b"\n"]).line == len(lines) + 1


def test_a_file_that_is_not_there_is_no_riddle(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"nowhere\.jsonl cannot be read: No such file"):
        list(Archive(tmp_path / "nowhere.jsonl"))
