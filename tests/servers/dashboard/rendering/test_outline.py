from tests.servers.dashboard.rendering.samples import cell, placed

from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.html import Html, div, p
from hearth.servers.dashboard.rendering.outline import outlined


def test_the_pieces_stand_where_the_frame_leaves_room_for_them() -> None:
    piece = Piece("i-a_1-x", div("x", id_="i-a_1-x"))
    made = outlined(
        placed(cell(), "a.1"), "cell", [piece], lambda inside: (p("above"), inside, p("below"))
    )
    assert made.id == "i-a_1"
    assert made.before.startswith('<article id="i-a_1" class="item item-cell"')
    assert 'data-key="a.1" data-order="1.2.3"' in made.before
    assert made.before.endswith('<p>above</p><div id="i-a_1-in" class="item-in">')
    assert made.after == "</div><p>below</p></article>"
    assert made.html == made.before + piece.html + made.after


def test_no_text_can_take_the_place_of_the_pieces() -> None:
    made = outlined(placed(cell(), "a"), "cell", [], lambda inside: (p("\x00"), inside))
    assert "\x00" not in made.html
    assert isinstance(made.html, Html)
