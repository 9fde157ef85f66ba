from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.proving import Argument, Call, Unproven, limited, moved, named


def test_a_call_has_texts_only_if_all_of_them_are_known() -> None:
    place = Place("/p", "/p")

    assert Call("x", (Argument("'a'", "a"),), place).texts() == ("a",)
    with pytest.raises(Unproven, match=r"\$x"):
        Call("x", (Argument("a", "a"), Argument("$x", None)), place).texts()


def test_a_place_that_was_moved_is_the_same_project_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    place = Place(str(tmp_path), str(tmp_path), ("/forbidden",))
    assert place.roots
    assert place.closed
    there = moved(place, str(tmp_path / "sub"))

    fresh = Place(str(tmp_path / "sub"), str(tmp_path), ("/forbidden",))
    assert there == fresh
    assert (there.here, there.roots, there.closed) == (fresh.here, fresh.roots, fresh.closed)


def test_all_paths_of_a_line_share_the_steps_they_may_take(tmp_path: Path) -> None:
    place = Place(str(tmp_path), str(tmp_path))
    line = limited(place)

    assert line == place
    assert place.steps is None
    assert line.steps is not None
    assert moved(line, str(tmp_path)).steps is line.steps


def test_what_is_read_anyway_is_no_file() -> None:
    assert named(("a", "-", "--", "b")) == ("a", "--", "b")
