"""The sidebar as a whole."""

import pytest
from tests.servers.dashboard.sidebar.showing import ANN, EVIL, line, looked

from hearth.servers.dashboard.sidebar.desks import MOST_EARLIER, Desk
from hearth.servers.dashboard.sidebar.lines import State
from hearth.servers.dashboard.sidebar.listing import sidebar


@pytest.mark.promise("DP-UI-15")
def test_it_offers_new_search_and_every_session() -> None:
    shown = sidebar(looked(line("a"), line("b", State.STOPPED)))
    assert shown.startswith('<nav id="sidebar"') or 'id="sidebar"' in shown[:200]
    for words in ("/dashboard/new", "/dashboard/search", "toggleSidebar", 'id="side-filter"'):
        assert words in shown
    assert shown.index('id="s-a"') < shown.index("Earlier") < shown.index('id="s-b"')
    assert 'data-preserve-attr="open"' in shown


def test_it_says_how_the_person_has_it() -> None:
    shown = sidebar(looked(line("a"), desk=Desk(theme="dark", collapsed=True, filter="loom")))
    for words in ('data-theme="dark"', 'data-collapsed="1"', 'data-filter="loom"'):
        assert words in shown
    assert shown.count('aria-pressed="true"') == 1
    assert 'value="loom"' not in shown, "it would overwrite what is being typed"


def test_equal_for_all_tabs_of_a_person() -> None:
    assert sidebar(looked(line("a"), line("b"))) == sidebar(looked(line("a"), line("b")))


@pytest.mark.promise("DP-BG-06")
def test_what_cannot_be_read_is_said_and_what_was_known_stays() -> None:
    shown = sidebar(looked(line("a", authors=(ANN,)), trouble=f"the disk is gone {EVIL}"))
    assert "This list may be old: the disk is gone" in shown
    assert 'id="s-a"' in shown
    assert "<img" not in shown
    assert "may be old" not in sidebar(looked(line("a")))


def test_without_sessions_it_says_so() -> None:
    assert "No sessions yet" in sidebar(looked())
    assert "No session is open" in sidebar(looked(line("a", State.STOPPED)))


def test_more_of_the_earlier_ones_can_be_wanted_up_to_a_bound() -> None:
    old = [line(f"e{number}", State.STOPPED) for number in range(MOST_EARLIER + 50)]
    few = sidebar(looked(*old))
    assert few.count('class="session session-over"') == 20
    assert "&quot;earlier&quot;:&quot;40&quot;" in few
    most = sidebar(looked(*old, desk=Desk(earlier=MOST_EARLIER)))
    assert most.count('class="session session-over"') == MOST_EARLIER
    assert "50 older ones are found by searching" in most
    assert "&quot;earlier&quot;" not in most
