from tests.servers.dashboard.rendering.samples import SESSION, SHA

from hearth.core.vocabulary.content import Blob
from hearth.servers.dashboard.rendering.bounding import MOST, bounded, is_whole, text_of, whole


def test_what_is_short_is_shown_as_it_is() -> None:
    assert bounded("x" * MOST, SESSION) == ("x" * MOST, "")


def test_of_what_is_long_the_beginning_and_the_end_are_shown() -> None:
    shown, note = bounded(f"first{'x' * 1_000_000}last", SESSION)
    assert shown.startswith("first")
    assert shown.endswith("last")
    assert len(shown) <= MOST
    assert "characters are left out here" in shown
    assert "not shown" in note


def test_of_what_is_kept_apart_there_is_a_link_to_the_whole() -> None:
    shown, note = bounded(Blob(SHA, 1_234_567, head="head"), SESSION)
    assert shown == "head"
    assert f'href="/dashboard/s/{SESSION}/blob/{SHA}?type=text"' in note
    assert "whole (1.2 MB)" in note


def test_what_is_no_hash_gets_no_link() -> None:
    assert whole(Blob('"><script>', 1), SESSION) == ""


def test_a_text_says_whether_it_is_all_here() -> None:
    blob = Blob(SHA, 1, head="h")
    assert (text_of(blob), is_whole(blob)) == ("h", False)
    assert (text_of("t"), is_whole("t")) == ("t", True)
