"""Ids that nobody chose are unique, ordered in time and fit where they are used."""

import re

import pytest

from hearth.engine.fresh_ids import fresh_input_id, fresh_session_id


def test_no_input_id_comes_twice() -> None:
    assert len({fresh_input_id() for _ in range(10_000)}) == 10_000
    assert re.fullmatch(r"[0-9a-z]{26}", fresh_input_id())


def test_later_input_ids_sort_after_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([1_000_000_000, 1_002_000_000, 2**60])
    monkeypatch.setattr("hearth.engine.fresh_ids.time.time_ns", lambda: next(times))
    ids = [fresh_input_id() for _ in range(3)]
    assert ids == sorted(ids)


@pytest.mark.promise("SF-SES-06")
def test_a_session_id_can_be_read_out() -> None:
    assert re.fullmatch(r"session-[0-9a-f]{6}", fresh_session_id())
