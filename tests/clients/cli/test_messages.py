"""Questions and answers, apart from how they travel."""

import json

import pytest

from hearth.clients.cli.messages import Answer, fresh_key, quoted
from hearth.clients.cli.troubles import Trouble


@pytest.mark.parametrize(
    ("status", "ending"),
    [(400, 4), (401, 4), (403, 4), (404, 4), (409, 4), (429, 4), (503, 4), (426, 5), (500, 5)],
)
def test_statuses_become_exit_codes(status: int, ending: int) -> None:
    body = json.dumps({"error": {"code": "c", "message": "m", "hint": "h"}}).encode()
    assert Answer(status, {}, body).trouble().ending == ending


def test_an_answer_without_a_body_is_fine() -> None:
    assert Answer(204, {}, b"").good() is None


def test_keys_sort_by_their_time_and_fit_the_daemon() -> None:
    first, second = fresh_key(), fresh_key()
    assert first != second
    assert first[:12] <= second[:12]
    assert len(first) <= 64
    assert set(first) <= set("0123456789abcdef-")


def test_names_are_quoted_for_a_path() -> None:
    assert quoted("session-a1") == "session-a1"
    assert quoted("a/b c?d=ü") == "a%2Fb%20c%3Fd%3D%C3%BC"
    assert quoted("\udcff") == "%FF"


def test_what_is_no_json_is_told() -> None:
    for body in (b"<html>", b"[" * 100_000):
        with pytest.raises(Trouble) as caught:
            Answer(200, {}, body).good()
        assert (caught.value.code, caught.value.ending) == ("protocol", 5)
    assert Answer(500, {}, b"[]").trouble().code == "protocol"
