"""One session of the sidebar."""

from tests.servers.dashboard.sidebar.showing import ANN, BOT, EVIL, line, looked

from hearth.servers.dashboard.sidebar.arrangement import arranged
from hearth.servers.dashboard.sidebar.desks import Desk
from hearth.servers.dashboard.sidebar.lines import Line, State
from hearth.servers.dashboard.sidebar.rows import badges, marks, menus, row


def drawn(one: Line, desk: Desk | None = None) -> str:
    seen = looked(one, desk=desk or Desk())
    return row(seen, arranged(seen.lines, seen.desk), one)


def test_a_row_says_all_there_is_in_words_and_shapes() -> None:
    shown = drawn(
        line(
            "a", State.NEEDS, name="loom", needs=2, directory="/p/q", model="quick", authors=(BOT,)
        )
    )
    for words in (
        *(
            "loom",
            "needs you",
            "dot-needs",
            "2 questions wait for you",
            "/p/q",
            "quick",
            "1 min ago",
        ),
        *('href="/dashboard/s/a"', 'id="s-a"', 'data-session="a"', 'draggable="true"'),
        'popovertarget="side-menu"',
    ):
        assert words in shown
    assert "something new" not in shown
    assert "aria-current" not in shown, "which one is the tab's own, the tab knows"


def test_news_are_marked_and_one_question_is_told_as_one() -> None:
    news = line("a", authors=(BOT,))
    assert "something new" in marks(looked(news), news)
    one = line("a", State.NEEDS, needs=1)
    assert "1 question waits for you" in marks(looked(one), one)
    assert marks(looked(line("b")), line("b")) == ""


def test_whoever_works_alone_needs_no_badge() -> None:
    alone, many = line("a", authors=(ANN,)), line("b", authors=(BOT, ANN, BOT, BOT))
    assert badges(looked(alone), alone) == ""
    assert "+2" in badges(looked(many), many)
    assert ">you<" in badges(looked(many), many)


def test_what_is_over_can_be_resumed_and_not_be_moved() -> None:
    shown = drawn(line("a", State.STOPPED), Desk(archived=("a",)))
    assert "archived" in shown
    assert 'popovertarget="side-menu-over"' in shown
    assert 'draggable="true"' not in shown
    offered = menus()
    assert offered.count('data-does="archive"') == 1
    assert offered.count('data-does="resume"') == 1


def test_nothing_that_somebody_wrote_is_markup() -> None:
    shown = drawn(line("a", name=EVIL, directory=f"/{EVIL}", model=EVIL, trouble=EVIL))
    assert "<img" not in shown
    assert "\u202e" not in shown
    assert "onerror=alert(1)&gt;" in shown
