"""What is drawn of an item."""

from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import Html


def test_an_item_is_its_frame_with_its_pieces_in_it() -> None:
    pieces = (Piece("i-a-0", Html("<p>1</p>")), Piece("i-a-1", Html("<p>2</p>")))
    made = Drawn("i-a", Html("<article>"), pieces, Html("</article>"))
    assert made.html == "<article><p>1</p><p>2</p></article>"
    assert isinstance(made.html, Html)


def test_an_id_can_be_sought_for() -> None:
    assert item_id("t1-0-1") == "i-t1-0-1"
    assert item_id("session-b.t1@2") == "i-session-b_t1_2"
