import time

import pytest

from hearth.performers.tools.files.editing import Edit, NotApplied, edited


def test_edits_are_applied_one_after_the_other() -> None:
    made = edited("one two\n", [Edit("one", "1"), Edit("1 two", "3")])
    assert (made.text, made.places) == ("3\n", 2)


def test_what_is_there_more_than_once_is_not_guessed() -> None:
    text = "x = 1\ny = 2\nx = 1\n"
    with pytest.raises(NotApplied, match=r"is in the file 2 times, at lines 1, 3\. Add lines"):
        edited(text, [Edit("x = 1", "x = 2")])
    assert edited(text, [Edit("x = 1", "x = 2", everywhere=True)]).text == "x = 2\ny = 2\nx = 2\n"
    with pytest.raises(NotApplied, match=r"12 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"):
        edited("x\n" * 12, [Edit("x", "y")])


def test_what_is_not_there_comes_with_the_closest_place() -> None:
    with pytest.raises(NotApplied, match="Closest: line 1, which differ in indentation") as told:
        edited("    x = 1\n", [Edit("\tx = 1", "y")])
    assert str(told.value).startswith("The edit: `old` is not in the file.")
    with pytest.raises(NotApplied, match=r"edits\[1\]: `old` is not in the file after the edits"):
        edited("a b\n", [Edit("a", "c"), Edit("a b", "d")])


def test_edits_that_do_nothing_are_refused() -> None:
    with pytest.raises(NotApplied, match="are the same"):
        edited("a", [Edit("a", "a")])
    with pytest.raises(NotApplied, match="use write_file"):
        edited("a", [Edit("", "b")])


def test_lines_are_found_where_only_some_end_in_crlf() -> None:
    text = "a\r\nb\nc\r\nd\n"
    assert edited(text, [Edit("a\nb", "1\n2")]).text == "1\r\n2\nc\r\nd\n"
    assert edited(text, [Edit("b\nc", "2\n3")]).text == "a\r\n2\n3\r\nd\n"
    with pytest.raises(NotApplied):
        edited(text, [Edit("a\nc", "1")])


def test_lines_that_nearly_match_everywhere_are_soon_found_not_to_be_there() -> None:
    text = ("a\n" * 50 + "a\r\n") * 1_000
    before = time.process_time()
    with pytest.raises(NotApplied, match="`old` is not in the file"):
        edited(text, [Edit("a\n" * 4_000 + "b\n", "x")])
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    ("text", "old", "after"),
    [
        ("x\r\na\r\nb\nc\r\n", "a\nb\n", "x\r\nNEW\r\nc\r\n"),
        ("x\r\na\nb\r\nc", "a\nb", "x\r\nNEW\n\r\nc"),
    ],
)
def test_lines_with_mixed_ends_are_found_and_the_others_keep_theirs(
    text: str, old: str, after: str
) -> None:
    assert edited(text, [Edit(old, "NEW\n")]).text == after
