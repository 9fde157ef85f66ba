"""A secret is known again in what it becomes when it is encoded."""

import base64
import html
import json
import tracemalloc
from urllib.parse import quote, quote_plus, urlencode

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.sandbox.secret_forms import Forms, forms_of

SECRET = "pa/ss w+rd=\"'ü<&>\n"  # noqa: S105 - nobody's


def test_every_usual_encoding_is_one_of_its_forms() -> None:
    raw = SECRET.encode()
    forms = set(forms_of(SECRET))
    for one in (
        SECRET,
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        repr(SECRET)[1:-1],
        html.escape(SECRET),
        raw.hex(),
    ):
        assert one in forms
    assert any(one in urlencode({"x": SECRET}) for one in forms)


@given(st.binary(max_size=9), st.binary(max_size=9))
def test_in_base64_it_is_found_wherever_it_stands(before: bytes, after: bytes) -> None:
    forms = Forms(("correct horse battery",))
    whole = before + b"correct horse battery" + after
    for encoded in (base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode()):
        assert any(one in encoded for one in forms.found_in(encoded))


@given(st.text(max_size=30), st.text(min_size=8, max_size=30), st.text(max_size=30))
def test_whatever_stands_around_it_a_secret_is_found(before: str, secret: str, after: str) -> None:
    assert secret in Forms((secret,)).found_in(before + secret + after)


def test_the_longer_one_comes_first() -> None:
    found = Forms(("abcdefgh", "abcdefghijkl")).found_in("xx abcdefghijkl")
    assert found.index("abcdefghijkl") < found.index("abcdefgh")


def test_ordinary_text_is_not_suspected() -> None:
    forms = Forms(("Zq8#kQ2!vX9$",))
    assert forms.found_in("an ordinary line of output, repeated " * 50) == []
    assert forms.found_in("") == []
    assert Forms(()).found_in("anything at all") == []


def test_the_beginning_of_a_secret_at_the_end_is_seen() -> None:
    forms = Forms(("Zq8#kQ2!vX9$",))
    assert forms.begun_at_end("the key is Zq8#") == 4
    assert forms.begun_at_end("the key is Z") == 1
    assert forms.begun_at_end("a line\n") == 0
    assert forms.begun_at_end("Zq8#kQ2!vX9$") == 0


def test_the_beginnings_of_a_long_secret_take_no_more_room_than_it_does() -> None:
    tracemalloc.start()
    try:
        forms = Forms(["-----BEGIN PRIVATE KEY-----" + "Zq8kQ2vX9" * 2000])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 20_000_000
    assert forms.begun_at_end("x -----BEGIN PRIVATE KEY-----Zq8kQ2vX9Zq8") == 39
    assert forms.begun_at_end("x --") == 2
    assert forms.begun_at_end("x -----BEGIN PUBLIC") == 0
