"""What variants came to can be compared, and nothing in it fools a terminal."""

from typing import Any

import pytest

from hearth.clients.agents.lines import ADDED, DIM, REMOVED, WARNING
from hearth.clients.agents.variant_text import is_ok, lasted, outcome, tried, variant, why_failed

GOOD: dict[str, Any] = {
    "duration": 0.012,
    "value": "[1, 2]",
    "value_type": "list",
    "outputs": [{"type": "stream_text", "stream": "stdout", "text": "one\ntwo\n"}],
    "names": ["xs"],
}
BAD: dict[str, Any] = {
    "duration": 1.5,
    "failure": {"type": "code_raised", "name": "ValueError", "message": "no\nway"},
}
STOPPED: dict[str, Any] = {"duration": 12.0, "stopped": True}


def test_each_tells_how_it_ended_and_what_it_came_to() -> None:
    assert tried([GOOD, BAD, STOPPED], ["xs = f()\nxs", "g()"]) == [
        (ADDED, "1  ok in 12 ms · sets xs"),
        (DIM, "   xs = f() …"),
        ("plain", "   one"),
        ("plain", "   two"),
        ("plain", "   [1, 2]  # list"),
        (REMOVED, "2  failed after 1.5 s"),
        (DIM, "   g()"),
        (REMOVED, "   ValueError: no<U+000A>way"),
        (WARNING, "3  stopped after 12 s"),
    ]
    assert [is_ok(one) for one in (GOOD, BAD, STOPPED)] == [True, False, False]


def test_what_is_long_is_folded_unless_all_is_wanted() -> None:
    long = {"value": "\n".join(map(str, range(50))), "value_type": "str"}
    assert tried([long])[-1] == (DIM, "   … 42 more lines")
    assert tried([long], is_whole=True)[-1] == ("plain", "   49")
    many = {"names": [f"n{at}" for at in range(20)]}
    assert variant(1, many)[0][1].endswith("n7 and 12 more")


def test_what_did_not_fit_into_an_event_is_not_passed_over_in_silence() -> None:
    kept = {"outputs": {"type": "blob", "sha256": "ab", "head": ""}}
    assert variant(1, kept)[1] == (DIM, "it printed more than is shown here")


def test_orders_to_a_terminal_are_shown_and_not_obeyed() -> None:
    sly = {"value": "\x1b[2Jgone \x1b[31mred\x1b[0m", "value_type": "s\x07tr"}
    said = "".join(text for _, text in tried([sly], ["\x1b]0;x"]))
    assert said.isprintable()
    assert "red" in said


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        ({"type": "code_raised", "name": "E", "message": ""}, "E"),
        ({"type": "timed_out", "limit": 2.0}, "it ran longer than 2.0 s"),
        ({"type": "worker_crashed", "message": "signal 9"}, "its interpreter died: signal 9"),
        ({"type": "something_new", "message": "hm"}, "hm"),
        ({"type": "something_new"}, "something_new"),
    ],
)
def test_every_failure_has_its_line(failure: dict[str, Any], said: str) -> None:
    assert why_failed(failure) == said


def test_durations_are_for_people() -> None:
    assert [lasted(one) for one in (0.0, 0.05, 0.5, 42.0)] == ["0 ms", "50 ms", "0.5 s", "42 s"]
    assert outcome({}) == "ok in 0 ms"
