from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.globs import Budget, Unlisted, listed
from hearth.performers.judging.shell.words import Piece, PieceKind


def _listed(pattern: str, root: Path, budget: Budget | None = None) -> list[str]:
    pieces = [Piece(PieceKind.LITERAL, pattern)]
    return list(listed(pieces, Place(str(root), str(root)), budget or Budget()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("a.py", "b.py", ".env", "sub/c.py", "sub/d.md"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (root / "out").symlink_to(tmp_path)
    return root


def test_a_pattern_becomes_the_names_that_there_are(root: Path) -> None:
    assert _listed("*.py", root) == ["a.py", "b.py"]
    assert _listed("sub/?.py", root) == ["sub/c.py"]
    assert _listed("./*/c.py", root) == ["./sub/c.py"]


def test_it_stays_what_it_is_if_there_are_none(root: Path) -> None:
    assert _listed("*.rs", root) == ["*.rs"]
    assert _listed("nothing/*", root) == ["nothing/*"]


def test_brackets_are_never_taken_for_less_than_they_are(root: Path) -> None:
    assert _listed("[!b].py", root) == ["a.py", "b.py"]
    for pattern in ("[[:alpha:]].py", "[a", "*["):
        with pytest.raises(Unlisted):
            _listed(f"{pattern}*" if "[" in pattern[-1] else pattern + "*", root)


def test_hidden_names_are_only_found_by_a_dot(root: Path) -> None:
    assert ".env" not in _listed("*", root)
    assert {".env", ".."} <= set(_listed(".*", root))


def test_quoted_signs_are_no_pattern(root: Path) -> None:
    pieces = [Piece(PieceKind.QUOTED, "*"), Piece(PieceKind.LITERAL, "*")]

    assert listed(pieces, Place(str(root), str(root)), Budget()) == ("**",)


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "out/*", "sub/../../*"])
def test_a_pattern_over_other_folders_is_not_listed(pattern: str, root: Path) -> None:
    with pytest.raises(Unlisted, match="outside"):
        _listed(pattern, root)


def test_a_name_that_looks_like_an_option_is_told(root: Path) -> None:
    (root / "sub" / "-rf").touch()
    assert "sub/-rf" in _listed("sub/*", root)
    (root / "-rf").touch()
    with pytest.raises(Unlisted, match="like an option"):
        _listed("*", root)


def test_only_so_many_names_are_looked_at(root: Path) -> None:
    with pytest.raises(Unlisted, match="names would have to be looked at"):
        _listed("*", root, Budget(2))


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("*a*a*a*b*", True),
        ("*ab*ba*", False),
        ("**a**", True),
        ("x*a*b", True),
        ("x*b*a", False),
        ("?a*?", True),
        ("*a*a*a*a*", False),
    ],
)
def test_stars_stand_for_anything_between_the_rest(
    pattern: str, *, matches: bool, tmp_path: Path
) -> None:
    (tmp_path / "xaaab").touch()

    assert (_listed(pattern, tmp_path) == ["xaaab"]) is matches


def test_long_names_and_patterns_cost_more_than_short_ones(tmp_path: Path) -> None:
    (tmp_path / ("a" * 255)).touch()
    budget = Budget()
    _listed("*" + "a" * 200 + "b", tmp_path, budget)

    assert budget.left < Budget().left - 20
    with pytest.raises(Unlisted, match="too long"):
        _listed("*" + "a" * 300, tmp_path)
