"""Frames that Datastar applies."""

from hypothesis import given
from hypothesis import strategies as st
from tests.servers.dashboard.model_page import frames_in

from hearth.servers.dashboard.html import Html, p
from hearth.servers.dashboard.patches import BEAT, addressed, patch, remove, told

MARKUP = st.text(st.characters(exclude_categories=["Cs"]))


def test_markup_goes_by_its_ids_or_to_where_it_is_put() -> None:
    assert patch(p("x", id_="a")) == (
        b'event: datastar-patch-elements\ndata: elements <p id="a">x</p>\n\n'
    )
    assert patch(p("x"), to="a", mode="before") == (
        b"event: datastar-patch-elements\ndata: selector #a\ndata: mode before\n"
        b"data: elements <p>x</p>\n\n"
    )
    assert remove("a") == (
        b"event: datastar-patch-elements\ndata: selector #a\ndata: mode remove\n\n"
    )


@given(MARKUP, MARKUP)
def test_whatever_is_sent_is_one_frame_for_one_tab(one: str, other: str) -> None:
    frames = patch(Html(one)) + told("hearth-trouble", words=other) + patch(Html(other))
    found = frames_in(addressed(frames, "tab-1", 7))
    assert [frame.event for frame in found] == [
        "datastar-patch-elements",
        "hearth-trouble",
        "datastar-patch-elements",
    ]
    assert {(frame.tab, frame.cursor) for frame in found} == {("tab-1", "7")}
    for frame, markup in ((found[0], one), (found[2], other)):
        sent = frame.said.get("elements", "")
        assert sent == markup.replace("\r\n", "\n").replace("\r", "\n")


def test_an_empty_line_in_markup_ends_no_frame() -> None:
    frames = addressed(patch(Html("<pre>\n\n\n</pre>")), "t", 1)
    assert frames.count(b"\n\n") == 1
    assert frames.endswith(b"\n\n")


def test_half_a_character_ends_no_stream() -> None:
    assert patch(Html("\ud800")).endswith(b"data: elements ?\n\n")


def test_a_sign_of_life_is_a_frame_of_its_own() -> None:
    assert [frame.event for frame in frames_in(BEAT)] == ["hearth-beat"]
    assert addressed(b"", "t", 1) == b""
