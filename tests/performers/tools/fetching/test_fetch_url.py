"""Agents read pages of the web: where it was allowed, and of nobody who is not meant."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.performers.tools.fetching.serving import (
    LIMIT,
    SCENE,
    SILENCE,
    Server,
    allowing,
    moved,
    said,
    serving,
)

from hearth.core.rules.permission import Layer, Rule, judge
from hearth.core.vocabulary.permitting import Grant, Need, Verdict
from hearth.daemon.discovery import Found
from hearth.performers.tools.fetching import fetch_url, getting
from hearth.performers.tools.fetching.fetch_url import CHARS, WARNING, FetchUrl
from hearth.performers.tools.tool import Outcome, Scene

PAGE = "<title>Things</title><h1>Hello</h1><p>see <a href='/more'>more</a></p>"


@pytest.fixture
def tool(tmp_path: Path) -> FetchUrl:
    return FetchUrl(str(tmp_path))


def need_of(tool: FetchUrl, url: str) -> Need:
    [need] = tool.wants({"url": url}, SCENE).needs
    return need


async def fetched(tool: FetchUrl, url: str, scene: Scene | None = None, **more: Any) -> Outcome:
    """What comes of it, allowed as it was wanted."""
    here = scene or allowing(*tool.wants({"url": url}, SCENE).needs)
    async with asyncio.timeout(LIMIT):
        return await tool.run({"url": url, **more}, here)


# What is wanted.


def test_a_host_is_asked_for_with_its_port_if_it_is_not_the_usual_one(tool: FetchUrl) -> None:
    need = need_of(tool, "https://Docs.example.org/a?b=c")
    assert need == Need(
        "network",
        "docs.example.org",
        why="GET https://docs.example.org/a?b=c",
        pattern="docs.example.org",
    )
    assert need_of(tool, "http://docs.example.org:8080/").target == "docs.example.org:8080"
    assert judge(need, ()).verdict is Verdict.ASK
    assert judge(need, (), (Grant("network", need.pattern),)).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.1:81/", "127.0.0.1:81"),
        ("http://0xa9fea9fe/latest/meta-data", "169.254.169.254"),
        ("http://[::ffff:10.0.0.1]/", "[::ffff:10.0.0.1]"),
        ("http://localhost:3000/", "localhost:3000"),
    ],
)
def test_a_machine_that_is_not_public_is_asked_about_each_time_and_shown_as_what_it_is(
    tool: FetchUrl, url: str, target: str
) -> None:
    need = need_of(tool, url)
    if target.startswith("[::ffff"):
        assert need.target in {target, "[::ffff:a00:1]"}  # by the version of Python
    else:
        assert need.target == target
    assert (need.least, need.pattern) == (Verdict.ASK, "")
    assert need.why.endswith("a machine that is not public")
    everything = Layer("mine", (Rule("*", "*", Verdict.ALLOW),))
    assert judge(need, (everything,), (Grant("network", "*"),)).verdict is Verdict.ASK


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "0", "2130706433"])
def test_the_door_of_hearth_itself_is_closed(
    tool: FetchUrl, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    own = Found(pid=1, port=4321, socket="", token="t", started_at="", version="1")  # noqa: S106 - no secret
    monkeypatch.setattr(fetch_url, "find", lambda _home: own)
    assert need_of(tool, f"http://{host}:4321/").least is Verdict.DENY
    assert need_of(tool, f"http://{host}:4322/").least is Verdict.ASK
    assert need_of(tool, "http://example.org:4321/").least is Verdict.ALLOW


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file:///etc/passwd", "must begin with https"),
        ("https://me:secret@example.org/", "name or password"),
        ("https://exa mple.org/", "spaces"),
    ],
)
async def test_what_is_no_address_is_a_problem_in_words(tool: FetchUrl, url: str, why: str) -> None:
    wanted = tool.wants({"url": url}, SCENE)
    assert not wanted.needs
    assert why in wanted.problem
    assert wanted.problem.endswith("Nothing was fetched.")
    outcome = await fetched(tool, url, SCENE)
    assert outcome.is_error
    assert outcome.text == wanted.problem
    assert "secret" not in outcome.text


def test_it_changes_nothing_and_is_offered_where_it_is_switched_on(tool: FetchUrl) -> None:
    assert tool.read_only
    assert tool.is_offered(SCENE)
    assert not tool.wants({"url": "https://example.org"}, SCENE).may_change


# What is told.


async def test_a_page_is_told_with_its_address_status_and_type_and_as_nobodys_word(
    tool: FetchUrl,
) -> None:
    async with serving({"/": said(PAGE, "text/html; charset=utf-8")}) as server:
        outcome = await fetched(tool, server.url())
        link = server.url("/more")
    assert not outcome.is_error
    assert outcome.text.split("\n") == [
        server.url(),
        f"200 OK, text/html, {len(PAGE)} bytes",
        WARNING,
        "",
        "Title: Things",
        "",
        "# Hello",
        "",
        f"see [more]({link})",
    ]


async def test_what_is_no_page_for_people_is_shown_as_it_is_or_told(tool: FetchUrl) -> None:
    answers = {
        "/json": said('{"a": "<b>"}', "application/json"),
        "/pdf": said(b"%PDF-\0", "application/pdf"),
        "/none": said("just text", ""),
        "/empty": said(""),
        "/odd": said("x", status="299 Whatever"),
    }
    async with serving(answers) as server:
        told = {path: (await fetched(tool, server.url(path))).text for path in answers}
    assert told["/json"].endswith('\n\n{"a": "<b>"}')
    assert "application/pdf, 6 bytes" in told["/pdf"]
    assert told["/pdf"].endswith("nothing that can be shown as text.")
    assert told["/none"].endswith("\n\njust text")
    assert told["/empty"].endswith("\n\n(nothing that can be read)")
    assert "\n299, text/plain" in told["/odd"]


async def test_an_error_of_the_server_is_one_and_is_shown(tool: FetchUrl) -> None:
    async with serving() as server:
        outcome = await fetched(tool, server.url("/gone"))
    assert outcome.is_error
    assert "\n404 Not Found, text/plain, 8 bytes\n" in outcome.text
    assert outcome.text.endswith("not here")


async def test_a_long_page_is_read_piece_by_piece(tool: FetchUrl) -> None:
    text = "".join(f"{number:09}\n" for number in range(5_000))
    async with serving({"/": said(text)}) as server:
        first = await fetched(tool, server.url())
        next_ = await fetched(tool, server.url(), offset=CHARS, max_chars=50)
        last = await fetched(tool, server.url(), offset=49_990)
        behind = await fetched(tool, server.url(), offset=60_000)
    assert first.text.endswith(f"\n[characters 0 to {CHARS} of 50000; read on with offset={CHARS}]")
    assert text[:CHARS] in first.text
    assert text[CHARS : CHARS + 50] in next_.text
    assert next_.text.endswith("[characters 20000 to 20050 of 50000; read on with offset=20050]")
    assert last.text.endswith("000004999\n\n\n[characters 49990 to 50000 of 50000]")
    assert behind.text.endswith("(there are only 50000 characters; offset=60000 is behind them)")


async def test_a_page_that_is_too_large_says_so(
    tool: FetchUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getting, "LARGEST", 100)
    async with serving({"/": said("x" * 1000)}) as server:
        outcome = await fetched(tool, server.url())
    assert "x" * 100 in outcome.text
    assert "x" * 101 not in outcome.text
    assert outcome.text.endswith(
        "[The page does not end here: the rest is too large, or did not come.]"
    )


async def test_a_server_that_says_nothing_is_given_up(
    tool: FetchUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_url, "PATIENCE", 0.2)
    async with serving({"/": SILENCE}) as server:
        outcome = await fetched(tool, server.url())
    assert outcome.is_error
    assert outcome.text == "It took longer than 0.2 seconds. Nothing was fetched."


# Where it may lead.


async def test_redirects_on_the_same_host_are_followed(tool: FetchUrl) -> None:
    async with serving() as server:
        server.answers = {
            "/": moved("/a", "301 Moved Permanently"),
            "/a": moved("b?x=1", "303 See Other"),
            "/b?x=1": moved(server.url("/c"), "308 Permanent Redirect"),
            "/c": said("here"),
        }
        outcome = await fetched(tool, server.url())
    assert outcome.text.startswith(f"{server.url('/c')}\n200 OK")
    assert outcome.text.endswith("here")


@pytest.mark.parametrize(
    "to",
    [
        "https://other.example/secret",
        "//other.example/",
        "http://localhost:{port}/c",
        "http://127.0.0.1:1/",
        "http://[::1]:{port}/",
        "http://169.254.169.254/latest",
        "http://2852039166/latest",
    ],
)
async def test_a_redirect_to_another_host_is_told_and_not_followed(tool: FetchUrl, to: str) -> None:
    async with serving() as server:
        server.answers = {"/": moved(to.format(port=server.port)), "/c": said("never")}
        outcome = await fetched(tool, server.url())
        assert len(server.heard) == 1
    assert outcome.is_error
    assert "never" not in outcome.text
    assert " redirects to http" in outcome.text
    assert (
        "was not allowed. If that is what you want, call fetch_url with that URL." in outcome.text
    )


async def test_a_redirect_to_a_host_that_the_rules_allow_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getting, "is_public", lambda _: True)

    async def names(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    layer = Layer("mine", (Rule("network", "*.example:*", Verdict.ALLOW),))
    ruled = FetchUrl(
        str(tmp_path), lambda _, need: judge(need, (layer,)).verdict, getting.Getting(names)
    )
    async with serving({"/c": said("there")}) as server:
        server.answers["/"] = moved(server.url("/c", "www.far.example"))
        outcome = await fetched(ruled, server.url("/", "far.example"))
        assert server.header("host") == f"www.far.example:{server.port}"
    assert outcome.text.endswith("there")


async def test_rules_that_allow_everything_lead_no_redirect_to_a_machine_that_is_not_public(
    tmp_path: Path,
) -> None:
    layer = Layer("mine", (Rule("*", "*", Verdict.ALLOW),))
    ruled = FetchUrl(str(tmp_path), lambda _, need: judge(need, (layer,)).verdict)
    async with serving({"/c": said("never")}) as server:
        server.answers["/"] = moved(server.url("/c", "localhost"))
        outcome = await fetched(ruled, server.url())
        assert len(server.heard) == 1
    assert "was not allowed" in outcome.text


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://x/", "https://a:b@c/"])
async def test_a_redirect_to_where_nobody_can_go_is_told(tool: FetchUrl, to: str) -> None:
    async with serving({"/": moved(to)}) as server:
        outcome = await fetched(tool, server.url())
    assert outcome.is_error
    assert "redirects to where nobody can go: " in outcome.text


async def test_redirects_without_end_are_given_up(tool: FetchUrl) -> None:
    async with serving({"/": moved("/")}) as server:
        outcome = await fetched(tool, server.url())
        assert len(server.heard) == 6
    assert outcome.text == "It is redirected more than 5 times. Nothing was fetched."


@pytest.mark.parametrize("needs", [(), (Need("network", "example.org"), Need("read", "127.0.0.1"))])
async def test_what_was_not_allowed_is_not_fetched(tool: FetchUrl, needs: tuple[Need, ...]) -> None:
    async with serving({"/": said("never")}) as server:
        outcome = await fetched(tool, server.url(), allowing(*needs))
        assert not server.heard
    assert outcome.is_error
    assert outcome.text == f"127.0.0.1:{server.port} was not allowed. Nothing was fetched."


async def test_the_own_door_stays_closed_whatever_was_allowed(
    tool: FetchUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving({"/": said("never")}) as server:
        scene = allowing(need_of(tool, server.url()))
        monkeypatch.setattr(fetch_url, "find", lambda _home: _own(server))
        outcome = await fetched(tool, server.url(), scene)
        assert not server.heard
    assert outcome.is_error


def _own(server: Server) -> Found:
    return Found(pid=1, port=server.port, socket="", token="t", started_at="", version="1")  # noqa: S106 - no secret
