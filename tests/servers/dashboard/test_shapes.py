"""What tabs send about themselves."""

import msgspec
import pytest

from hearth.servers.dashboard.shapes import PanelWanted, Revoked, TabJoined, TabMeant


def test_a_tab_says_what_it_needs_and_may_say_more() -> None:
    meant = msgspec.json.decode(b'{"tab": "t", "session": "s", "more": 1}', type=TabMeant)
    assert meant.tab == "t"
    joined = msgspec.json.decode(b'{"tab": "t", "line": "l"}', type=TabJoined)
    assert (joined.tab, joined.line, joined.session) == ("t", "l", "")
    assert msgspec.json.decode(b'{"grant": "g1"}', type=Revoked).grant == "g1"


@pytest.mark.parametrize("name", ["", "a b", "a\n", "\n", "a.b", "é", "x" * 65])
def test_names_stand_in_lines_and_selectors(name: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({"tab": name}), type=TabMeant)


def test_what_is_wanted_of_a_panel_is_bounded() -> None:
    wanted = msgspec.json.decode(b'{"tab": "t", "row": "x"}', type=PanelWanted)
    assert wanted == {"tab": "t", "row": "x"}
    for bad in ({"row": "x" * 501}, {"a b": "x"}, {f"k{n}": "" for n in range(21)}, {"row": 1}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode(bad), type=PanelWanted)
