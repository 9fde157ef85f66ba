"""What was accepted lately is known, within bounds."""

from hearth.core.vocabulary.ids import InputId
from hearth.engine.recent_ids import MOST, MOST_AT_REST, RecentIds


def filled(number: int, *, keep_all: bool = False) -> RecentIds:
    recent = RecentIds()
    for place in range(number):
        recent.add(InputId(f"i{place}"), place + 1, keep_all=keep_all)
    return recent


def test_the_newest_are_known_and_the_oldest_go() -> None:
    recent = filled(MOST + 2)
    assert len(recent) == MOST
    assert recent.seq(InputId("i1")) is None
    assert recent.seq(InputId(f"i{MOST + 1}")) == MOST + 2


def test_while_facts_wait_on_disk_none_is_forgotten() -> None:
    assert filled(MOST + 2, keep_all=True).seq(InputId("i0")) == 1


def test_at_rest_few_are_kept() -> None:
    recent = filled(MOST_AT_REST)
    recent.rest()
    assert len(recent) == MOST_AT_REST
    recent = filled(MOST_AT_REST + 1)
    recent.rest()
    assert len(recent) == MOST_AT_REST // 2
    assert recent.seq(InputId(f"i{MOST_AT_REST}")) == MOST_AT_REST + 1
