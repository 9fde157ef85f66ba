from pathlib import Path

import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven
from hearth.performers.judging.shell.searching import SEARCHERS
from hearth.performers.judging.shell.sieves import Sieve


def _reads(line: str, root: str = "/p") -> Reads:
    name, *words = line.split()
    arguments = tuple(Argument(word, word) for word in words)
    return SEARCHERS[name](Call(name, arguments, Place(root, root)))


@pytest.mark.parametrize(
    ("line", "paths", "searched"),
    [
        ("grep x a b", ("a", "b"), ()),
        ("grep x -", (), ()),
        ("grep -e x a", ("a",), ()),
        ("grep -f list a", ("list", "a"), ()),
        ("grep -r x", (), (".",)),
        ("grep -r x src", (), ("src",)),
        ("rg x", (), (".",)),
        ("rg -e x src tests", (), ("src", "tests")),
    ],
)
def test_what_is_searched_is_known(
    line: str, paths: tuple[str, ...], searched: tuple[str, ...]
) -> None:
    found = _reads(line)

    assert found.paths == paths
    assert tuple(one.path for one in found.searched) == searched
    assert not any(one.follows for one in found.searched)


def test_names_alone_are_no_search() -> None:
    assert _reads("rg --files src") == Reads((), ("src",))


def test_what_grep_leaves_out_is_known() -> None:
    assert _sieve("grep -r x --include=*.py --exclude-dir=.git .") == Sieve(
        only=("*.py",), begins_closed=True, folders=(".git",)
    )
    assert _sieve("grep -r x --exclude=a --include=b .") == Sieve(only=("b",), but=("a",))
    assert not _sieve("grep -r x --exclude-from=a --include=b .").begins_closed


def test_what_ripgrep_leaves_out_is_known() -> None:
    assert _sieve("rg x") == Sieve(skips_hidden=True)
    assert _sieve("rg x -u") == Sieve(skips_hidden=True)
    assert _sieve("rg x -uu") == Sieve()
    assert _sieve("rg x --hidden") == Sieve()
    assert _sieve("rg x -t py").endings == (".py", ".pyi")
    assert _sieve("rg x -t config") == Sieve()
    assert _sieve("rg x -t py --type-add py:.env") == Sieve()
    assert _sieve("rg x -g *.py -g !b") == Sieve(
        ("*.py",), ("b",), begins_closed=True, folders=("b",), skips_hidden=True
    )


def _sieve(line: str) -> Sieve:
    return _reads(line).searched[0].sieve


def test_links_are_followed_only_where_that_is_said() -> None:
    assert _reads("grep -R x src").searched[0].follows
    with pytest.raises(Unproven):
        _reads("rg -L x")


def test_folders_are_compared_with_what_their_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    root = str(tmp_path)

    assert _reads("diff a - b", root) == Reads(("a", "b"))
    found = _reads("diff -r d b", root)
    assert found.paths == ("b",)
    assert [(one.path, one.follows) for one in found.searched] == [("d", True)]
    kept = _reads("diff --no-dereference -x y d d", root).searched[0]
    assert not kept.follows
    assert kept.sieve == Sieve(but=("y",), folders=("y",))
