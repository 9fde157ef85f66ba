"""Who was given which finding."""

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_server.findings import Finding, GivenTo
from hearth.performers.language_server.given import MOST_GIVEN, MOST_NOTED, GivenBook

ONE = GivenTo(SessionId("one"), "a", "t1")
TWO = GivenTo(SessionId("two"), "b", "t2")


def finding(line: int, message: str = "m") -> Finding:
    return Finding("/p/a.py", line, 1, Severity.ERROR, message, "R", "s", f"about {message}")


def test_a_finding_says_to_whom_it_was_given_also_when_it_has_moved() -> None:
    book = GivenBook()
    book.note("/p", ONE, [finding(1)])
    book.note("/p", TWO, [finding(1)])
    book.note("/p", TWO, [finding(1)])
    (noted,) = book.noted("/p", [finding(7)])
    assert noted.finding.line == 7
    assert noted.given == (ONE, TWO)
    assert noted.is_current


def test_what_nobody_was_given_is_there_too_and_what_is_gone_is_said_to_be() -> None:
    book = GivenBook()
    book.note("/p", ONE, [finding(1, "gone")])
    now, gone = book.noted("/p", [finding(2, "now")])
    assert (now.given, now.is_current) == ((), True)
    assert (gone.given, gone.is_current) == ((ONE,), False)


def test_projects_are_told_apart() -> None:
    book = GivenBook()
    book.note("/p", ONE, [finding(1)])
    assert book.noted("/q", []) == ()


def test_what_is_remembered_and_told_is_bounded() -> None:
    book = GivenBook()
    book.note("/p", ONE, [finding(1, str(number)) for number in range(5 * MOST_GIVEN)])
    assert len(book.noted("/p", [])) == MOST_GIVEN
    current = [finding(1, str(number)) for number in range(5 * MOST_NOTED)]
    assert len(book.noted("/p", current)) == MOST_NOTED
