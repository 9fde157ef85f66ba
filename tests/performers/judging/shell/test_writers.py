import pytest

from hearth.performers.judging.shell.proving import Argument
from hearth.performers.judging.shell.writers import Does, done_by


def _does(line: str) -> Does | None:
    name, *words = line.split()
    return done_by(name, tuple(Argument(word, word) for word in words))


@pytest.mark.parametrize(
    ("line", "does"),
    [
        ("rm -rf a b", Does(trees=("a", "b"))),
        ("rm -- -x", Does(trees=("-x",))),
        ("touch a", Does(writes=("a",))),
        ("chmod 600 a b", Does(trees=("a", "b"))),
        ("chmod --reference=x a", Does(trees=("a",))),
        ("cp -r a b c", Does(reads=("a", "b"), trees=("c",))),
        ("cp -t d a b", Does(reads=("a", "b"), trees=("d",))),
        ("cp --target-directory=d a", Does(reads=("a",), trees=("d",))),
        ("cp -vtd a", Does(reads=("a",), trees=("d",))),
        ("mv a b", Does(trees=("a", "b"))),
        ("dd if=a of=b bs=1", Does(("a",), ("b",))),
        ("scp a host:b", Does(reads=("a",), hosts=("host",), is_networked=True)),
        ("scp me@host:a b", Does(trees=("b",), hosts=("host",), is_networked=True)),
        ("rsync a b", Does(reads=("a",), trees=("b",))),
        ("ssh me@host ls", Does(hosts=("host",), is_networked=True)),
    ],
)
def test_what_is_read_and_written_is_known(line: str, does: Does) -> None:
    assert _does(line) == does


def test_what_is_fetched_and_sent_is_known() -> None:
    found = _does("curl -o out -d @body https://a.example:8443/x b.example/y http://[bad")

    assert found is not None
    assert found.writes == ("out",)
    assert found.reads == ("body",)
    assert found.hosts == ("a.example:8443", "b.example")
    assert found.is_networked


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert _does("frobnicate a") is None
