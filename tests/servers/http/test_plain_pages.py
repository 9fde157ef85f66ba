"""What a browser is shown instead of a page."""

import base64
import re
from hashlib import sha256

import pytest
from starlette.types import Scope

from hearth.servers.http.answers import Trouble
from hearth.servers.http.plain_pages import in_words, is_for_people


def scope(path: str = "/dashboard", accept: bytes = b"text/html", method: str = "GET") -> Scope:
    return {"type": "http", "path": path, "method": method, "headers": [(b"accept", accept)]}


@pytest.mark.parametrize("path", ["/", "/dashboard", "/docs", "/login", "/dashboard/s/x"])
def test_a_person_who_wants_a_page_is_shown_one(path: str) -> None:
    assert is_for_people(scope(path, b"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"))


def test_programs_are_answered_as_programs() -> None:
    assert not is_for_people(scope(accept=b"*/*"))
    assert not is_for_people(scope(accept=b"application/json"))
    assert not is_for_people(scope(method="POST"))
    assert not is_for_people({**scope(), "headers": []})
    for path in ("/sessions", "/dashboard/lines/x", "/dashboard/tabs", "/mcp"):
        assert not is_for_people(scope(path))


def test_who_is_not_known_signs_in_by_a_form_that_leads_here() -> None:
    answer = in_words(Trouble(401, "unauthorized", "no token"))
    body = bytes(answer.body).decode()
    assert answer.status_code == 401
    assert answer.media_type == "text/html"
    assert '<form method="get" action="/login">' in body
    assert '<label for="code">' in body
    assert "hearth open" in body
    assert "<script" not in body


def test_its_policy_allows_its_own_style_and_form_and_nothing_else() -> None:
    answer = in_words(Trouble(401, "unauthorized", "no token"))
    policy = answer.headers["content-security-policy"]
    style = re.search(r"<style>(.*?)</style>", bytes(answer.body).decode(), re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashed}'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_what_is_wrong_is_text_and_so_is_what_would_help() -> None:
    trouble = Trouble(
        404, "unknown_session", "no <b>x</b>\udc80", "try <i>y</i>", headers={"Retry-After": "3"}
    )
    answer = in_words(trouble)
    body = bytes(answer.body).decode()
    assert answer.status_code == 404
    assert "no &lt;b&gt;x&lt;/b&gt;" in body
    assert "try &lt;i&gt;y&lt;/i&gt;" in body
    assert "<form" not in body
    assert 'href="/dashboard"' in body
    assert answer.headers["retry-after"] == "3"
