"""What a cell shows: nothing twice, nothing missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.cli.cell_output import CellOutput

BLOBS = {"ab": "kept elsewhere\n"}
Said = pytest.CaptureFixture[str]


def output() -> CellOutput:
    return CellOutput(BLOBS.__getitem__)


def stream(text: Any, name: str = "stdout") -> dict[str, Any]:
    return {"type": "stream_text", "stream": name, "text": text}


def shown(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "rich_data", "bundle": {"text/plain": text}, **more}


def test_pieces_are_written_as_they_come(capsys: Said) -> None:
    made = output()
    made.chunk("stdout", "one\n")
    assert capsys.readouterr().out == "one\n"
    made.chunk("stderr", "careful\n")
    made.chunk("other", "unknown")
    assert capsys.readouterr() == ("", "careful\n")


def test_the_closing_event_repeats_nothing(capsys: Said) -> None:
    made = output()
    made.chunk("stdout", "one\n")
    made.chunk("stderr", "careful\n")
    made.display({"bundle": {"text/plain": "a table"}}, "")
    capsys.readouterr()
    outputs = [stream("one\n"), stream("careful\n", "stderr"), shown("a table")]
    made.close(outputs, 0)
    assert capsys.readouterr() == ("", "")


def test_the_closing_event_gives_what_was_left_out(capsys: Said) -> None:
    made = output()
    made.chunk("stdout", "one\n")
    made.dropped()
    made.chunk("stdout", "three\n")
    made.display({"bundle": {"text/plain": "a table"}}, "")
    assert capsys.readouterr().out == "one\n"
    made.close([stream("one\ntwo\nthree\n"), shown("a table"), stream("four\n")], 0)
    assert capsys.readouterr().out == "two\nthree\na table\nfour\n"


@given(
    st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.text("ab\n", min_size=1))),
    st.integers(0, 20),
)
def test_whatever_is_left_out_the_whole_is_written_once(
    pieces: list[tuple[str, str]], heard: int
) -> None:
    written: dict[str, str] = {"stdout": "", "stderr": ""}

    class Written(CellOutput):
        def _write(self, stream: str, text: str) -> None:
            written[stream] += text

    made = Written(BLOBS.__getitem__)
    for name, text in pieces[:heard]:
        made.chunk(name, text)
    if heard < len(pieces):
        made.dropped()
    made.close([stream(text, name) for name, text in pieces], 0)
    for name, text in written.items():
        assert text == "".join(piece for where, piece in pieces if where == name)


def test_what_was_taken_back_is_not_expected_again(capsys: Said) -> None:
    made = output()
    made.chunk("stdout", "10 %\n")
    made.cleared()
    made.chunk("stdout", "20 %\n")
    made.close([stream("20 %\n")], 0)
    assert capsys.readouterr().out == "10 %\n20 %\n"


def test_of_what_changes_the_last_is_shown(capsys: Said) -> None:
    made = output()
    made.display({"bundle": {"text/plain": "10 %"}}, "bar")
    made.display({"bundle": {"text/plain": "20 %"}}, "bar")
    made.chunk("stdout", "done\n")
    assert capsys.readouterr().out == ""
    made.close([shown("20 %"), stream("done\n")], 0)
    assert capsys.readouterr().out == "20 %\ndone\n"


def test_the_value_comes_last_and_on_a_line_of_its_own(capsys: Said) -> None:
    made = output()
    made.display({"bundle": {"text/plain": "42"}, "is_result": True}, "")
    made.chunk("stdout", "no end")
    made.close([stream("no end"), shown("42", is_result=True)], 0)
    made.value("42")
    assert capsys.readouterr().out == "no end\n42\n"


def test_what_is_no_text_is_named(capsys: Said) -> None:
    output().close([{"type": "rich_data", "bundle": {"image/png": "iVBO"}}], 0)
    assert capsys.readouterr().out == "[image/png: `hearth open` shows it]\n"


def test_texts_that_are_kept_elsewhere_are_fetched(capsys: Said) -> None:
    output().close([stream({"sha256": "ab", "size": 15, "head": "kept"})], 0)
    assert capsys.readouterr().out == "kept elsewhere\n"


def test_what_was_too_much_is_told_beside_it(capsys: Said) -> None:
    output().close([stream("x")], 2048)
    said = capsys.readouterr()
    assert said.out == "x\n"
    assert "2048 bytes" in said.err


def test_what_comes_late_is_written_too(capsys: Said) -> None:
    made = output()
    made.chunk("stdout", "first\n")
    made.close([stream("first\n")], 0)
    made.late([stream("late\n")])
    assert capsys.readouterr().out == "first\nlate\n"
