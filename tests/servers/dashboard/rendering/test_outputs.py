from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import SESSION, SHA

from hearth.core.vocabulary.content import Blob, Outputs, RichData, StreamText
from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.rendering.outputs import (
    MOST_OUTPUTS,
    Showing,
    drawn_outputs,
    has_result,
)
from hearth.servers.dashboard.rendering.rich import Kept

SHOWING = Showing("i-x1", Kept(SESSION, "7/c3"), "int")
LIVE = Showing("i-x1", Kept(SESSION))


def _drawn(outputs: Outputs, showing: Showing = SHOWING) -> list[Piece]:
    made = drawn_outputs(outputs, showing)
    looked_at("".join(one.html for one in made))
    return made


def _out(text: str) -> StreamText:
    return StreamText("stdout", text)


def test_live_and_sealed_have_the_same_ids() -> None:
    live = (
        _out("a\n"),
        _out("b\n"),
        StreamText("stderr", "c\n"),
        RichData({"text/plain": "1"}, is_result=True),
    )
    sealed = (_out("a\nb\n"), *live[2:])
    assert [one.id for one in _drawn(live, LIVE)] == [one.id for one in _drawn(sealed)]
    assert _drawn(live)[:2] == _drawn(sealed)[:2]


def test_what_went_to_stderr_says_so_in_words() -> None:
    (piece,) = _drawn((StreamText("stderr", "x"),))
    assert ">stderr<" in piece.html
    assert "out-stderr" in piece.html
    assert "stderr" not in _drawn((_out("x"),))[0].html


def test_the_result_stands_at_its_place_with_its_type() -> None:
    (piece,) = _drawn((RichData({"text/plain": "42"}, is_result=True),))
    assert "42" in piece.html
    assert ">int<" in piece.html.replace('<span class="sr">type </span>', ">")
    assert has_result((RichData({"text/plain": "42"}, is_result=True),))
    assert not has_result((_out("x"), RichData({"text/plain": "42"})))


def test_a_growing_text_sends_only_its_last_parts() -> None:
    text = "".join(f"line {number}\n" for number in range(3000))
    before, after = _drawn((_out(text),)), _drawn((_out(text + "more\n"),))
    assert before[:-1] == after[: len(before) - 1]
    assert len(before) > 5


def test_of_a_very_long_text_the_ends_are_shown() -> None:
    text = "first\n" + "x" * 70 + "\n" + "middle line\n" * 100_000 + "last\n"
    html = "".join(one.html for one in _drawn((_out(text),)))
    assert "first" in html
    assert "last" in html
    assert "characters are left out here" in html
    assert len(html) < 100_000


def test_a_long_text_that_grows_keeps_its_parts_for_a_while() -> None:
    text = "".join(f"line {number}\n" for number in range(30_000))
    before, after = _drawn((_out(text),)), _drawn((_out(text + "x\n"),))
    same = [a == b for a, b in zip(before, after, strict=False)]
    assert same.count(False) <= 2


def test_what_is_kept_apart_has_a_link() -> None:
    made = _drawn((StreamText("stdout", Blob(SHA, 5_000_000, head="begin")), _out("end")))
    html = "".join(one.html for one in made)
    assert "begin" in html
    assert "whole (5.0 MB)" in html
    assert "end" in html
    assert "whole (1.0 kB)" in _drawn(Blob(SHA, 1000, "application/json"))[0].html


def test_what_is_not_known_any_more_is_said() -> None:
    made = _drawn((_out("later\n"),), LIVE._replace(start=100_000))
    assert "not known here" in made[0].html


def test_of_very_many_outputs_the_last_are_shown() -> None:
    many = tuple(RichData({"text/plain": f"n{number}"}) for number in range(1000))
    made = _drawn(many)
    assert len(made) == MOST_OUTPUTS + 1
    assert "800 outputs before" in made[0].html
    assert made[-1].id == "i-x1-o999"
