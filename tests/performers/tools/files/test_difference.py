import difflib
import time

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.files.difference import difference

TEXTS = st.text(st.sampled_from("ab\n"), max_size=40)


def test_a_change_is_told_as_people_know_it() -> None:
    before = "".join(f"{number}\n" for number in range(1, 21))
    found = difference(before, before.replace("10\n", "ten\nmore\n"), "/p/f")
    assert found.diff == (
        "--- /p/f\n+++ /p/f\n@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+more\n 11\n 12\n 13\n"
    )
    assert (found.added, found.removed, found.regions) == (2, 1, ((10, 11),))


def test_a_new_file_and_one_without_a_last_newline_are_told_so() -> None:
    assert difference("", "a", "/f").diff == (
        "--- /dev/null\n+++ /f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
    )
    assert difference("a\n", "a", "/f").diff.endswith("-a\n+a\n\\ No newline at end of file\n")
    assert difference("same", "same", "/f").diff == ""


@given(TEXTS, TEXTS)
def test_it_says_what_the_standard_library_says(before: str, after: str) -> None:
    found = difference(before, after, "f")
    old, new = _lines(before), _lines(after)
    plain = found.diff.replace("\n\\ No newline at end of file\n", "\n")
    assert _applied(old, plain) == [line.rstrip("\n") for line in new]
    counted = [line for line in plain.split("\n")[2:] if line[:1] in {"+", "-"}]
    assert len(counted) == found.added + found.removed
    assert found.removed - found.added == len(old) - len(new)
    matching = difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()
    assert (matching == 1) == (not found.diff)


def test_texts_of_any_kind_take_no_longer_than_a_moment() -> None:
    ugly = [
        ("x\n" * 500, "y\n" + "x\n" * 499 + "z\n"),
        ("a\nb\n" * 250, "b\na\na\n" * 160),
        ("".join(f"{n}\n" for n in range(60_000)), "".join(f"{-n}\n" for n in range(60_000))),
        ("x\n" * 100_000, "x\n" * 90_000),
    ]
    for before, after in ugly:
        begun = time.perf_counter()
        found = difference(before, after, "f")
        assert time.perf_counter() - begun < 10
        assert found.added or found.removed


def test_a_diff_that_nobody_can_read_is_left_out_and_counted() -> None:
    found = difference("", "x" * 3_000_000, "f")
    assert (found.diff, found.added) == ("", 1)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _applied(old: list[str], diff: str) -> list[str]:
    """What a program that patches makes of it; line ends at the end of a file are not looked at."""
    made: list[str] = []
    at = 0
    for line in diff.split("\n")[2:-1]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            made += (line.rstrip("\n") for line in old[at:first])
            at = first
        elif line[0] == "+":
            made.append(line[1:])
        elif line[0] == " ":
            made.append(line[1:])
            at += 1
        else:
            assert old[at].rstrip("\n") == line[1:]
            at += 1
    made += (line.rstrip("\n") for line in old[at:])
    return made
