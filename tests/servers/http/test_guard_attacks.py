"""Every attack of one list against every route of the door; nothing of it reaches the log.

A route that is in the table is attacked; a route that is not cannot be served (test_routing.py).
"""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.servers.http.raw import Heard, request, say
from tests.servers.http.serving import Served, served

from hearth.servers.http.conversation import MOST_HEADER_BYTES, MOST_HEADERS
from hearth.servers.http.routes import Operation
from hearth.servers.http.table import TABLE

BODY: Final = b'{"type":"run_cell","code":"1+1"}'
Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class Attack:
    """A request as nobody may send it, and how it must end."""

    name: str
    headers: Callable[[Served], Headers]
    status: int
    code: str
    body: bytes = BODY
    path: Callable[[str, Served], str] = lambda path, _: path


def good(daemon: Served) -> Headers:
    return [
        ("Host", f"127.0.0.1:{daemon.port}"),
        ("Authorization", f"Bearer {daemon.tokens.person}"),
        ("Content-Type", "application/json"),
    ]


def changed(**other: str | None) -> Callable[[Served], Headers]:
    """Good headers but for these; None leaves one out."""
    named = {name.replace("_", "-").lower(): value for name, value in other.items()}

    def headers(daemon: Served) -> Headers:
        kept = [(name, value) for name, value in good(daemon) if name.lower() not in named]
        told = {"{port}": str(daemon.port), "{other}": str(daemon.port + 1)}
        more = [(name, value) for name, value in named.items() if value is not None]
        for mark, real in told.items():
            more = [(name, value.replace(mark, real)) for name, value in more]
        return [*kept, *more]

    return headers


def twice(name: str, value: str) -> Callable[[Served], Headers]:
    return lambda daemon: [*good(daemon), (name, value.replace("{port}", str(daemon.port)))]


def with_token_in_url(path: str, daemon: Served) -> str:
    secret = daemon.tokens.person
    return f"{path}?token={secret}&access_token={secret}&code={secret}&authorization={secret}"


ATTACKS: Final = (
    Attack("no host", changed(host=None), 403, "bad_host"),
    Attack("foreign host", changed(host="evil.example"), 403, "bad_host"),
    Attack("foreign host with our port", changed(host="evil.example:{port}"), 403, "bad_host"),
    Attack("our host on another port", changed(host="127.0.0.1:{other}"), 403, "bad_host"),
    Attack("our host without a port", changed(host="localhost"), 403, "bad_host"),
    Attack("the name of the socket over TCP", changed(host="hearth"), 403, "bad_host"),
    Attack("a host that begins like ours", changed(host="127.0.0.1:{port}.evil"), 403, "bad_host"),
    Attack("two hosts", twice("Host", "127.0.0.1:{port}"), 403, "bad_host"),
    Attack("foreign origin", changed(origin="https://evil.example"), 403, "bad_origin"),
    Attack("null origin", changed(origin="null"), 403, "bad_origin"),
    Attack("empty origin", changed(origin=""), 403, "bad_origin"),
    Attack("other localhost port", changed(origin="http://localhost:{other}"), 403, "bad_origin"),
    Attack("origin over TLS", changed(origin="https://127.0.0.1:{port}"), 403, "bad_origin"),
    Attack("origin of a file", changed(origin="file://"), 403, "bad_origin"),
    Attack("two origins", lambda d: [*changed(origin="http://127.0.0.1:{port}")(d),
                                     ("Origin", "https://evil.example")], 403, "bad_origin"),
    Attack("cross-site fetch", changed(sec_fetch_site="cross-site"), 403, "bad_origin"),
    Attack("same-site fetch", changed(sec_fetch_site="same-site"), 403, "bad_origin"),
    Attack("no token", changed(authorization=None), 401, "no_token"),
    Attack("wrong token", changed(authorization="Bearer wrong"), 401, "bad_token"),
    Attack("empty token", changed(authorization="Bearer "), 401, "bad_token"),
    Attack("another scheme", changed(authorization="Basic YTpi"), 401, "bad_token"),
    Attack("odd bytes as a token", changed(authorization="Bearer \xff\xfe"), 401, "bad_token"),
    Attack("two tokens", twice("Authorization", "Bearer wrong"), 401, "bad_token"),
    Attack("forged cookie", changed(authorization=None, cookie="hearth=9999999999."
           + "0" * 32 + "." + "0" * 64), 401, "bad_token"),
    Attack("token as a cookie", lambda d: [*changed(authorization=None)(d),
           ("Cookie", f"hearth={d.tokens.person}")], 401, "bad_token"),
    Attack("token in the address", changed(authorization=None), 401, "no_token",
           path=with_token_in_url),
    Attack("token in the body", changed(authorization=None), 401, "no_token", body=b'{"token":1}'),
    Attack("form post", changed(authorization=None, origin="https://evil.example",
           content_type="application/x-www-form-urlencoded"), 403, "bad_origin", body=b"a=b"),
    Attack("too many headers", lambda d: [*good(d), *(("x", str(n)) for n in range(MOST_HEADERS))],
           431, "too_many_headers"),
    Attack("too long a header", lambda d: [*good(d), ("x", "y" * MOST_HEADER_BYTES)],
           431, "too_many_headers"),
)  # fmt: skip

BY_WHOM: Final = frozenset({"no_token", "bad_token"})
"""What an operation that takes no token may answer otherwise."""


def with_a_body(operations: tuple[Operation, ...]) -> Iterator[Operation]:
    return (one for one in operations if one.method not in {"GET", "HEAD"})


def path_of(operation: Operation) -> str:
    known = {
        "{id}": "session-aaaaaa",
        "{name}": "status",
        "{sha256}": "0" * 64,
        "{file}": "x",
        "{approval}": "a1",
        "{grant}": "g1",
    }
    path = operation.path
    for mark, value in known.items():
        path = path.replace(mark, value)
    return path


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        # What is attacked here is the door, not how often it may be knocked at.
        opened.door.guard._check_rate = lambda *_: None  # type: ignore[method-assign] # as the comment says
        before = await opened.events()
        tokens = (tmp_path / "tokens.json").read_bytes()
        yield opened
        assert await opened.events() == before, "an attack left something in the log"
        assert (tmp_path / "tokens.json").read_bytes() == tokens
        assert opened.process.stopped == []
        assert opened.trust.granted == []
        assert (opened.agents.revoked, opened.agents.explained) == ([], [])
        health = await opened.client.get("/health")
        assert health.status_code == 200


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
async def test_no_route_gives_way(attack: Attack, daemon: Served) -> None:
    for one in daemon.door.routing.operations:
        path = attack.path(path_of(one), daemon)
        body = attack.body if one.method not in {"GET", "HEAD"} else b""
        heard = await say(daemon, request(one.method, path, attack.headers(daemon), body))
        if one.open and attack.code in BY_WHOM:
            # Its code is its credential, and none of these is one.
            assert (heard.status, heard.error["code"]) == (401, "bad_code"), one.path
            continue
        assert (heard.status, heard.error["code"]) == (attack.status, attack.code), one.path
        assert_tells_nothing(heard, daemon)


async def test_also_what_is_no_route_is_guarded(daemon: Served) -> None:
    for attack in ATTACKS:
        for method, path in (("GET", "/nowhere"), ("PUT", "/health"), ("OPTIONS", "/sessions")):
            raw = request(method, attack.path(path, daemon), attack.headers(daemon))
            heard = await say(daemon, raw)
            assert (heard.status, heard.error["code"]) == (attack.status, attack.code), attack.name
            assert_tells_nothing(heard, daemon)


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/pages/../answers.py",
        "/pages/..%2fanswers.py",
        "/pages/%2e%2e%2f__init__.py",
        "/pages//etc/passwd",
        "/pages/home.html",
        "/pages/style.css%00.js",
        "/blobs/..%2f..%2ftokens.json",
        "/blobs/%2fetc%2fpasswd",
        "/sessions/..%2f..%2ftokens.json/views/status",
        "/sessions/%00/views/status",
        "/sessions/\xff",
        "//127.0.0.1/sessions",
        "/sessions/",
    ],
)
async def test_no_path_leads_out(path: str, daemon: Served) -> None:
    heard = await say(daemon, request("GET", path, good(daemon)))
    assert heard.status in {400, 404}
    assert b"root:" not in heard.body
    assert_tells_nothing(heard, daemon)


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/json",
        "application/json; charset=latin-1",
        "application/jsonp",
        "",
    ],
)
async def test_only_json_is_taken_by_any_route(kind: str, daemon: Served) -> None:
    for one in with_a_body(daemon.door.routing.operations):
        headers = changed(content_type=kind)(daemon)
        heard = await say(daemon, request(one.method, path_of(one), headers, BODY))
        assert (heard.status, heard.error["code"]) == (415, "not_json"), one.path
        bare = await say(
            daemon, request(one.method, path_of(one), changed(content_type=None)(daemon), BODY)
        )
        assert bare.status == 415, one.path


async def test_no_route_takes_more_than_it_should(daemon: Served) -> None:
    for one in with_a_body(daemon.door.routing.operations):
        headers = [*good(daemon), ("Content-Length", str(9 * 1024 * 1024))]
        heard = await say(daemon, request(one.method, path_of(one), headers))
        assert (heard.status, heard.error["code"]) == (413, "too_large"), one.path
        assert heard.headers["connection"] == "close"


async def test_a_body_without_a_length_is_cut_off_where_it_is_too_large(daemon: Served) -> None:
    headers = [*good(daemon), ("Transfer-Encoding", "chunked")]
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    raw = request("POST", "/sessions/session-aaaaaa/commands", headers)
    heard = await say(daemon, raw, rest=chunk * 10)
    assert (heard.status, heard.error["code"]) == (413, "too_large")


async def test_no_route_waits_long_for_a_body(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hearth.servers.http.bodies.WITHIN", 0.01)
    monkeypatch.setattr("hearth.servers.http.bodies.LINGER", 0.01)
    for one in with_a_body(daemon.door.routing.operations):
        headers = [*good(daemon), ("Content-Length", "100")]
        heard = await say(daemon, request(one.method, path_of(one), headers) + b'{"half":')
        assert (heard.status, heard.error["code"]) == (408, "too_slow"), one.path
        assert heard.headers["connection"] == "close"


@pytest.mark.parametrize("method", ["TRACE", "PUT", "PATCH", "PROPFIND"])
async def test_no_route_has_other_methods(method: str, daemon: Served) -> None:
    for one in TABLE:
        heard = await say(daemon, request(method, path_of(one), good(daemon)))
        assert (heard.status, heard.error["code"]) == (405, "wrong_method"), one.path
        assert one.method in heard.headers["allow"]


async def test_a_preflight_is_told_nothing_that_helps_another_page(daemon: Served) -> None:
    for one in daemon.door.routing.operations:
        heard = await say(daemon, request("OPTIONS", path_of(one), good(daemon)))
        assert heard.status == 204, one.path
        assert not [name for name in heard.headers if name.startswith("access-control")]


def test_every_route_is_attacked(daemon: Served) -> None:
    assert {(one.method, one.path) for one in daemon.door.routing.operations} == {
        (one.method, one.path) for one in TABLE
    }
    assert len(TABLE) > 20


def assert_tells_nothing(heard: Heard, daemon: Served) -> None:
    """No secret, no traceback, nothing that lets another page read it."""
    assert daemon.tokens.person.encode() not in heard.body
    assert b"Traceback" not in heard.body
    assert str(daemon.home).encode() not in heard.body
    assert not [name for name in heard.headers if name.startswith("access-control")]
    assert heard.headers["cache-control"] == "no-store"
    assert heard.headers["x-content-type-options"] == "nosniff"
