"""Answers as markup."""

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import div
from hearth.servers.dashboard.sidebar.answering import go_to, leave, markup


def test_elements_are_answered_one_behind_the_other() -> None:
    answer = markup(div(id_="a"), div(id_="b"))
    assert answer.body == b'<div id="a"></div><div id="b"></div>'
    assert answer.media_type == "text/html"


def test_a_tab_is_told_where_to_go_and_what_to_leave() -> None:
    assert 'data-to="/dashboard/s/a%20b"' in go_to(SessionId("a b"))
    assert 'data-left="a"' in leave(SessionId("a"))
    assert "hidden" in leave(SessionId("a"))
