"""What is listed as kept is held by tests, and what tests hold is listed."""

import ast

from tests.repo.promises import PAGES, by_promise, held, markers_in, printed, promises
from tests.repo.tree import report


def test_every_line_of_the_promises_can_be_read() -> None:
    _, odd = promises()
    report(odd, "write `- **SF-STATE-01** (kept) what hearth promises`, or (planned)")


def test_every_promise_is_made_once() -> None:
    every = [promise.id for promise in promises()[0]]
    assert len(every) > 200
    report(sorted({one for one in every if every.count(one) > 1}), "listed more than once")


def test_a_promise_that_is_kept_has_a_test() -> None:
    tests = by_promise()
    report(
        [f"{one.id}: {one.text}" for one in promises()[0] if one.kept and one.id not in tests],
        "mark the test that holds it with @pytest.mark.promise, or list it as (planned)",
    )


def test_a_test_holds_only_promises_that_were_made() -> None:
    known = {promise.id for promise in promises()[0]}
    report(
        [f"{marker.test}: {marker.id}" for marker in held() if marker.id not in known],
        "no page of docs/promises has this id",
    )


def test_each_family_has_a_page_that_says_so() -> None:
    assert {page.name for page in PAGES.glob("*.md")} >= {"README.md", "state.md", "log.md"}


def test_markers_are_found_wherever_they_stand() -> None:
    tree = ast.parse(
        "pytestmark = pytest.mark.promise('AA-A-01')\n"
        "@pytest.mark.promise('AA-A-02', 'AA-A-03')\n"
        "class C:\n"
        "    @pytest.mark.promise('AA-A-04')\n"
        "    async def test_x(self): ...\n"
        "    @other.promise('AA-A-05')\n"
        "    def test_y(self): ...\n"
    )
    assert sorted(markers_in(tree, "f.py")) == [
        ("f.py", "AA-A-01"),
        ("f.py::C", "AA-A-02"),
        ("f.py::C", "AA-A-03"),
        ("f.py::C::test_x", "AA-A-04"),
    ]


def test_the_list_for_people_shows_each_promise_and_its_tests() -> None:
    lines = list(printed())
    assert any("SF-LOG-09" in line for line in lines)
    assert any("test_words.py::test_a_sample_is_read" in line for line in lines)
    assert "promises are kept" in lines[-2]
