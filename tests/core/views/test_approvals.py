"""Shown together with what was decided: see test_decisions."""

from hearth.core.views.approvals import Approvals, approvals


def test_where_nothing_is_asked_there_is_nothing_to_show() -> None:
    assert approvals([]) == Approvals()
