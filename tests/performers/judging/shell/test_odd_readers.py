import pytest

from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.odd_readers import ODD_READERS
from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven


def _reads(line: str) -> Reads:
    name, *words = line.split()
    return ODD_READERS[name](
        Call(name, tuple(Argument(word, word) for word in words), Place("/p", "/p"))
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("xxd -ps -l 16 -c8 a", Reads(("a",))),
        ("xxd -s -0x10 a", Reads(("a",))),
        ("tree", Reads(trees=(".",))),
        ("tree -aL 2 -I x src", Reads(trees=("src",))),
        ("tree -L2 -d", Reads(trees=(".",))),
        ("tree --sort name src", Reads(trees=("name", "src"))),
        ("tar -tzf a b", Reads(("a",))),
        ("unzip -l a", Reads(("a",), perhaps=("a.zip", "a.ZIP"))),
    ],
)
def test_what_is_read_is_known(line: str, expected: Reads) -> None:
    assert _reads(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "xxd a b", "xxd a --", "xxd -r a", "xxd -ps a b", "xxd -ac a b", "xxd -c a", "xxd -l -r a",
        "xxd a -a",
        "tree -o x", "tree -Po a b", "tree -aIo a b", "tree -Hx", "tree --charset -H x",
        "tree -P -o x", "tree -R", "tree --fromfile x",
        "tar xf a", "tar tf host:a", "tar tf a --to-command=x",
        "unzip a", "unzip -l a*", "unzip -p a",
    ],
)  # fmt: skip
def test_what_does_more_is_not_proven(line: str) -> None:
    with pytest.raises(Unproven):
        _reads(line)
