import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven
from hearth.performers.judging.shell.readers import READERS


def _reads(line: str) -> Reads:
    name, *words = line.split()
    return READERS[name](
        Call(name, tuple(Argument(word, word) for word in words), Place("/p", "/p"))
    )


@pytest.mark.parametrize(
    ("line", "paths", "trees"),
    [
        ("cat a - b", ("a", "b"), ()),
        ("ls", (".",), ()),
        ("ls -lR", (), (".",)),
        ("uniq a", ("a",), ()),
        ("tr a b", (), ()),
        ("realpath --relative-to=x y", ("x", "y"), ()),
        ("du -sh", (), (".",)),
    ],
)
def test_what_is_read_is_known(line: str, paths: tuple[str, ...], trees: tuple[str, ...]) -> None:
    assert _reads(line) == Reads(paths, trees)


@pytest.mark.parametrize(
    "line",
    [
        "uniq a b",
        "hostname new",
        "sort -o x",
        "strings @x",
        "strings -- @x",
        "strings -n @x a",
        "ls -L",
    ],
)
def test_what_does_more_is_not_proven(line: str) -> None:
    with pytest.raises(Unproven):
        _reads(line)


def test_other_names_that_gzip_would_take_may_be_read_too() -> None:
    found = _reads("zcat -f a")

    assert found.paths == ("a",)
    assert "a.gz" in found.perhaps
