"""Texts of events, here or elsewhere."""

from hearth.clients.cli.kept_texts import beginning_of, size_of, whole

KEPT = {"sha256": "ab", "size": 70000, "head": "begin"}


def nothing(_: str) -> str:
    raise AssertionError("nothing is kept elsewhere")


def test_a_text_kept_elsewhere_is_shown_by_its_beginning() -> None:
    assert beginning_of(KEPT) == "begin"
    assert beginning_of("all") == "all"
    assert beginning_of(None) == ""


def test_only_what_is_kept_elsewhere_is_fetched() -> None:
    assert whole(KEPT, {"ab": "begins and goes on"}.__getitem__) == "begins and goes on"
    assert whole("all", nothing) == "all"
    assert whole(None, nothing) == ""


def test_its_size_is_that_of_all_of_it_in_bytes() -> None:
    assert size_of(KEPT) == 70000
    assert size_of("é") == 2
    assert size_of(None) == 0
