"""The logs of all releases are read, and mean the same, in every later one."""

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from tests.contracts.words import members, tag_of
from tests.samples.golden import GOLDEN, lived, write

from hearth.core.rules.session import SessionState, evolve
from hearth.core.vocabulary.codec import decode_fact, encode
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import SessionId

RELEASES = sorted(GOLDEN.glob("*.jsonl"))
LIVED = {"0.1.0": (4, 7)}
"""Generations and cells of the lives that were shorter than the present one."""


def test_there_is_a_golden_log() -> None:
    assert "0.1.0" in {path.stem for path in RELEASES}


@pytest.mark.promise("SF-LOG-01", "SF-LOG-11")
@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_the_log_of_a_release_replays(path: Path) -> None:
    states: dict[str, SessionState] = {}
    for line in path.read_bytes().splitlines():
        place, fact = _row(line)
        before = states.get(place.session, SessionState(place.session))
        assert place.version == before.version + 1
        # IllegalEvent would mean: the rules of today call a log of then corrupt.
        states[place.session] = evolve(before, fact)
    assert len(states) == 2
    session = states["session-a1b2c3"]
    assert session.phase_name == "uninitialized"
    assert session.stopped
    assert (session.generation, session.cells) == LIVED.get(path.stem, (5, 8))
    assert session.config is not None
    assert session.config.name == "difference engine"
    assert session.queue == ()
    assert session.questions == ()
    assert states["daemon-sessions"].default_session == "session-a1b2c3"


@pytest.mark.promise("SF-LOG-11")
@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_the_log_of_a_release_has_no_gap_and_keeps_its_authors(path: Path) -> None:
    rows = [_row(line) for line in path.read_bytes().splitlines()]
    assert [place.seq for place, _ in rows] == list(range(1, len(rows) + 1))
    assert {fact.origin.name for _, fact in rows} == {"", "ada", "weaver"}
    assert len({fact.id for _, fact in rows}) == len(rows)


@pytest.mark.promise("SF-LOG-02", "SF-LOG-03", "SF-LOG-04", "SF-LOG-05")
def test_in_the_life_that_is_written_down_everything_happens() -> None:
    happened = {tag_of(type(_row(line)[1].event)) for line in lived()}
    assert happened == set(map(tag_of, members(Event)))


def test_the_log_of_a_release_is_written_once(tmp_path: Path) -> None:
    there = tmp_path / "0.1.0.jsonl"
    there.write_bytes(b"as it was")
    with pytest.raises(FileExistsError):
        write(there)
    assert there.read_bytes() == b"as it was"


class Place(NamedTuple):
    seq: int
    session: SessionId
    version: int


def _row(line: bytes) -> tuple[Place, Fact]:
    """The place of a line, and its fact read as a row of the log would be."""
    raw = msgspec.json.decode(line)
    place = Place(raw.pop("seq"), raw.pop("session"), raw.pop("version"))
    return place, decode_fact(encode(raw))
