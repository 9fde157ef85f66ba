"""What one cell shows, gathered within bounds: order, limits, and what takes the place of what."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import DisplayShown, OutputChunk, OutputCleared
from hearth.performers.interpreter import collecting
from hearth.performers.interpreter.collecting import Collected, plain, result_text

CELL = CellId("c1")


def collected(text: int = 1000, displays: int = 1000) -> Collected:
    return Collected(CELL, text, displays)


def printed(text: str, name: str = "stdout") -> tuple[str, dict[str, Any]]:
    return "stream", {"name": name, "text": text}


def display(text: str, display_id: str = "", **more: Any) -> tuple[str, dict[str, Any]]:
    transient = {"display_id": display_id} if display_id else {}
    return "display_data", {"data": {"text/plain": text, **more}, "transient": transient}


def update(text: str, display_id: str) -> tuple[str, dict[str, Any]]:
    return "update_display_data", display(text, display_id)[1]


def texts(found: Collected) -> list[Any]:
    return [
        one.text if isinstance(one, StreamText) else one.bundle.get("text/plain")
        for one in found.outputs()
    ]


def test_pieces_of_one_stream_are_one_output_and_streams_keep_their_order() -> None:
    one = collected()
    for message in (printed("a"), printed("b"), printed("!", "stderr"), printed("c")):
        one.hear(*message)
    assert one.outputs() == (
        StreamText("stdout", "ab"),
        StreamText("stderr", "!"),
        StreamText("stdout", "c"),
    )
    assert one.dropped == 0


def test_something_displayed_stands_between_what_was_printed_before_and_after() -> None:
    one = collected()
    for message in (printed("a"), display("x"), printed("b")):
        one.hear(*message)
    assert texts(one) == ["a", "x", "b"]


def test_each_piece_is_shown_live_when_it_comes() -> None:
    one = collected()
    assert one.hear(*printed("a", "stderr")) == [OutputChunk(CELL, "stderr", "a")]
    shown = DisplayShown(CELL, RichData({"text/plain": "x"}), "d1")
    assert one.hear(*display("x", "d1")) == [shown]
    assert one.hear("comm_open", {"data": {}}) == []


def test_text_beyond_the_limit_is_counted_and_not_kept() -> None:
    one = collected(text=5)
    assert one.hear(*printed("abc")) == [OutputChunk(CELL, "stdout", "abc")]
    assert one.hear(*printed("defg")) == [OutputChunk(CELL, "stdout", "de")]
    assert one.hear(*printed("more")) == [], "nothing is shown that is not kept"
    assert texts(one) == ["abcde"]
    assert one.dropped == len("fg") + len("more")
    assert one.text_room == 0


def test_a_character_that_does_not_fit_whole_is_left_out_whole() -> None:
    one = collected(text=4)
    one.hear(*printed("aé€"))  # 1 + 2 + 3 bytes
    assert texts(one) == ["aé"]
    assert one.dropped == 3
    one.hear(*printed("b"))
    assert texts(one) == ["aé"], "after something was left out nothing more is kept"
    assert one.dropped == 4


@given(st.lists(st.text(), max_size=8), st.integers(0, 40))
def test_what_is_kept_and_what_is_counted_are_everything(pieces: list[str], limit: int) -> None:
    one = collected(text=limit)
    for piece in pieces:
        one.hear(*printed(piece))
    whole = "".join(pieces)
    kept = "".join(str(text) for text in texts(one))
    assert whole.startswith(kept)
    assert len(kept.encode()) <= limit
    assert len(kept.encode()) + one.dropped == len(whole.encode())


def test_more_pieces_than_anyone_can_look_at_are_counted() -> None:
    one = collected(text=1 << 20, displays=1 << 20)
    for number in range(collecting.MOST_OUTPUTS + 5):
        one.hear(*printed(str(number % 10), "stderr" if number % 2 else "stdout"))
        one.hear(*display("x"))
    assert len(one.outputs()) <= collecting.MOST_OUTPUTS + 1
    assert one.dropped > 0
    before = one.dropped
    assert one.hear(*display("another")) == []
    assert one.dropped == before + len("another")


def test_a_picture_that_is_too_large_is_kept_as_its_text() -> None:
    one = collected(displays=50)
    (shown,) = one.hear(*display("<Figure>", **{"image/png": "A" * 100}))
    assert isinstance(shown, DisplayShown)
    assert shown.data == RichData({"text/plain": "<Figure>"})
    assert one.outputs() == (shown.data,)
    assert one.dropped == 100, "the text was kept"


def test_a_picture_that_is_too_large_and_has_no_text_leaves_nothing() -> None:
    one = collected(displays=50)
    assert one.hear("display_data", {"data": {"image/png": "A" * 100}}) == []
    assert one.outputs() == ()
    assert one.dropped == 100


def test_sizes_are_counted_in_bytes() -> None:
    one = collected(displays=10)
    assert one.hear(*display("€€€€")) == []  # 12 bytes
    assert one.outputs() == ()
    assert one.dropped == 12


def test_an_update_takes_the_place_of_what_was_displayed() -> None:
    one = collected()
    one.hear(*display("1%", "bar"))
    one.hear(*printed("between"))
    assert one.hear(*update("2%", "bar")) == [
        DisplayShown(CELL, RichData({"text/plain": "2%"}), "bar")
    ]
    assert texts(one) == ["2%", "between"]


def test_an_update_of_a_result_is_still_the_result() -> None:
    one = collected()
    one.hear("execute_result", display("old", "value")[1])
    one.hear(*update("new", "value"))
    assert result_text(one.outputs()) == "new"


def test_an_update_of_something_from_an_earlier_cell_is_shown_here() -> None:
    one = collected()
    one.hear(*update("50%", "elsewhere"))
    assert texts(one) == ["50%"]


def test_updates_use_only_the_room_that_they_grow_by() -> None:
    one = collected(displays=10)
    one.hear(*display("12345", "bar"))
    for _ in range(100):
        one.hear(*update("abcde", "bar"))
    assert one.dropped == 0
    assert one.hear(*update("x" * 11, "bar")) == []
    assert texts(one) == ["abcde"], "one that does not fit leaves the earlier in its place"
    assert one.dropped == 11


def test_displays_without_a_name_are_never_each_others_update() -> None:
    one = collected()
    for text in ("a", "b"):
        content = {"data": {"text/plain": text}, "transient": {"display_id": None}}
        one.hear("display_data", content)
    one.hear(
        "update_display_data", {"data": {"text/plain": "c"}, "transient": {"display_id": None}}
    )
    one.hear("update_display_data", {"data": {"text/plain": "d"}, "transient": None})
    assert texts(one) == ["a", "b", "c", "d"]


def test_clearing_takes_back_everything_at_once() -> None:
    one = collected()
    one.hear(*printed("a"))
    one.hear(*display("x", "d"))
    assert one.hear("clear_output", {"wait": False}) == [OutputCleared(CELL)]
    assert one.outputs() == ()
    assert not one
    one.hear(*printed("b"))
    assert texts(one) == ["b"]


def test_clearing_that_waits_happens_together_with_the_next_output() -> None:
    one = collected()
    one.hear(*printed("old"))
    assert one.hear("clear_output", {"wait": True}) == []
    assert texts(one) == ["old"], "there is no moment without anything"
    assert one.hear(*printed("new")) == [OutputCleared(CELL), OutputChunk(CELL, "stdout", "new")]
    assert one.hear(*printed("er")) == [OutputChunk(CELL, "stdout", "er")], "it clears only once"
    assert texts(one) == ["newer"]


def test_clearing_that_waits_for_nothing_takes_nothing_back() -> None:
    one = collected()
    one.hear(*printed("last"))
    one.hear("clear_output", {"wait": True})
    assert texts(one) == ["last"]


def test_what_was_cleared_takes_no_room() -> None:
    one = collected(text=10, displays=10)
    for number in range(50):
        one.hear("clear_output", {"wait": True})
        one.hear(*printed(f"step {number:3}"))
        one.hear("clear_output", {"wait": True})
        one.hear(*display(f"frame {number:3}"))
    assert texts(one) == ["frame  49"]
    assert one.dropped == 0
    assert one.text_room == 10


def test_an_id_that_was_cleared_away_means_nothing_any_more() -> None:
    one = collected()
    one.hear(*display("first", "d"))
    one.hear("clear_output", {})
    one.hear(*printed("text"))
    one.hear(*update("again", "d"))
    assert texts(one) == ["text", "again"], "what was printed was not overwritten"


def test_bundles_of_any_shape_become_text() -> None:
    one = collected()
    data = {"text/plain": ["two ", "lines"], "application/json": {"a": [1, "é"]}}
    one.hear("display_data", {"data": data})
    one.hear("display_data", {"data": "no bundle"})
    one.hear("display_data", {})
    first, second, third = one.outputs()
    assert first == RichData({"text/plain": "two lines", "application/json": '{"a": [1, "é"]}'})
    assert second == third == RichData({})


def test_the_result_is_told_apart_from_what_was_displayed() -> None:
    one = collected()
    one.hear(*display("shown"))
    one.hear("execute_result", display("42")[1])
    one.hear(*display("shown later"))
    assert result_text(one.outputs()) == "42"
    assert result_text(()) == ""


def test_everything_that_is_kept_can_be_stored() -> None:
    one = collected(text=10_000)
    one.hear(*printed("\x00\x1b[31mred\x1b[0m\u2028\N{PILE OF POO}"))
    msgspec.json.encode(one.outputs())


def test_plain_text_has_no_escapes_and_all_its_letters() -> None:
    assert plain("\x1b[0;31mValueError\x1b[0m: [1m \x1b]8;;http://x\x07y\x1b]8;;\x1b\\") == (
        "ValueError: [1m y"
    )
    assert plain("nothing") == "nothing"
