from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from tests.performers.tools.files.staging import SESSION

from hearth.performers.judging.paths import Place
from hearth.performers.tools.files.allowed import usual
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.openly import Openly
from hearth.performers.tools.files.quoting import Quote, Quoting
from hearth.performers.tools.files.searching import Found, Hit, Mode, Search
from hearth.performers.tools.files.showing import ROOM, Showing
from hearth.performers.tools.tool import Outcome, Scene


def told(
    root: Path, files: dict[str, list[Hit]], ahead: dict[str, list[Hit]], limit: int, mode: str
) -> Outcome:
    place = Place(str(root), str(root))
    search = Search("x", str(root), str(root), mode=cast("Mode", mode))
    with closing(Descent()) as descent:
        openly = Openly(Scene(SESSION, str(root), str(root)), place, usual, descent)
        showing = Showing(search, openly, Quoting(Quote(), descent), limit, ".")
        for name, hits in ahead.items():
            showing.ahead(name, hits)
        return showing.outcome(Found(files), lambda: False)


@pytest.mark.parametrize("mode", ["lines", "count", "files"])
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 100])
def test_what_was_made_ready_is_told_as_if_it_had_not_been(
    tmp_path: Path, mode: str, limit: int
) -> None:
    for name in ("a", "b", "c", ".env", "d"):
        (tmp_path / name).write_text(f"{name} 1\n{name} 2\n{name} 3\n")
    every = [Hit(1, 1, 3), Hit(2, 1), Hit(3, 1)]
    files = {name: every[:many] for name, many in ((".env", 1), ("a", 2), ("b", 3), ("d", 1))}
    files["gone"] = every
    # In another order, with files that had more to come, and with some that were not told of.
    before = {"d": every[:1], "b": every[:2], ".env": every[:1], "gone": every}
    plain = told(tmp_path, files, {}, limit, mode)
    assert told(tmp_path, files, before, limit, mode) == plain
    assert told(tmp_path, files, files, limit, mode) == plain
    assert "env 1" not in plain.text


def test_no_more_is_made_ready_than_there_is_room_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"{'x' * 290}\n" * 500)
    place = Place(str(tmp_path), str(tmp_path))
    with closing(Descent()) as descent:
        openly = Openly(Scene(SESSION, str(tmp_path), str(tmp_path)), place, usual, descent)
        showing = Showing(Search("x", str(tmp_path)), openly, Quoting(Quote(), descent), 1000, ".")
        assert showing.ahead("a", [Hit(number, 1) for number in range(1, 500)])
        assert not showing.ahead("a", [Hit(1, 1)])
        few = Showing(Search("x", str(tmp_path)), openly, Quoting(Quote(), descent), 1, ".")
        assert few.ahead("a", [Hit(1, 1)])
        assert not few.ahead("b", [Hit(1, 1)])
        hits = [Hit(number, 1) for number in range(1, 500)]
        assert len(showing.outcome(Found({"a": hits}), lambda: False).text) < ROOM + 500


def test_nothing_is_read_for_somebody_who_left(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    place = Place(str(tmp_path), str(tmp_path))
    with closing(Descent()) as descent:
        openly = Openly(Scene(SESSION, str(tmp_path), str(tmp_path)), place, usual, descent)
        showing = Showing(Search("x", str(tmp_path)), openly, Quoting(Quote(), descent), 9, ".")
        assert showing.outcome(Found({"a": [Hit(1, 1)]}), lambda: True).files == ()
