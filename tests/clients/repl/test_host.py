"""Ids are chosen before anything is sent."""

import re

from hearth.clients.repl.host import fresh_input_id


def test_ids_are_unique_and_fit_for_a_command() -> None:
    found = [fresh_input_id() for _ in range(1000)]
    assert len(set(found)) == 1000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one) for one in found)


def test_later_ids_sort_after_earlier_ones() -> None:
    assert fresh_input_id()[:12] <= fresh_input_id()[:12]
