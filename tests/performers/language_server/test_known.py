"""What is known of files is bounded, and compared with what was known before."""

import pytest

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server import known as module
from hearth.performers.language_server.findings import Finding
from hearth.performers.language_server.known import FEW, Before, Known


def found(path: str, count: int) -> tuple[Finding, ...]:
    return tuple(Finding(path, one + 1, 1, Severity.ERROR, f"{one}") for one in range(count))


def test_of_very_much_that_is_found_little_is_kept_of_each_file_but_never_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_FINDINGS", 100)
    known = Known()
    for path in ("/a", "/b", "/a", "/c"):
        known.keep(path, found(path, 50))
    assert [len(one) for one in known.values()] == [50, 50, FEW]
    known.forget("/a")
    known.forget("/not there")
    known.keep("/c", found("/c", 50))
    assert [len(one) for one in known.values()] == [50, 50]


def test_of_so_many_files_and_no_more_something_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KNOWN", 2)
    known = Known()
    for path in ("/a", "/b", "/c", "/a"):
        known.keep(path, ())
    assert list(known) == ["/a", "/b"]


def test_what_was_not_known_before_is_new_only_in_files_that_were_written() -> None:
    known = Known()
    known.keep("/a", found("/a", 1))
    known.keep("/b", found("/b", 1))
    assert Before({}, is_whole=False).new_in(known, ["/a"]) == list(found("/a", 1))
    assert len(Before({}, is_whole=True).new_in(known, [])) == 2
    assert not Before(dict(known), is_whole=True).new_in(known, ["/a"])
