"""Whole pages, through the door: sealed, light, and in words when there is none."""

import base64
import gzip
import re
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest
from tests.journeys.dashboards import A, steered
from tests.servers.dashboard.model_page import ModelPage

from hearth.credentials.standing import Standing
from hearth.servers.dashboard import asides, shell
from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.panels.panel import Looking

WEIGHT = 300 * 1024
PEOPLE = {"Accept": "text/html,application/xhtml+xml"}
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:|\sstyle=", re.IGNORECASE)


def rules(answer: httpx2.Response) -> dict[str, str]:
    parts = (one.partition(" ") for one in answer.headers["content-security-policy"].split("; "))
    return {name: value for name, _, value in parts}


def page_of(answer: httpx2.Response) -> ModelPage:
    _, _, body = answer.text.partition("<body")
    return ModelPage(body.partition(">")[2].removesuffix("</body></html>"))


@pytest.mark.parametrize("path", ["/dashboard", f"/dashboard/s/{A}"])
async def test_a_page_runs_our_own_files_and_compiles_known_expressions_alone(
    path: str, tmp_path: Path
) -> None:
    async with steered(tmp_path) as daemon:
        answer = await daemon.served.client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        policy = rules(answer)
        assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert policy["frame-ancestors"] == "'none'"
        assert policy["require-trusted-types-for"] == "'script'"
        assert policy["trusted-types"] == "default"
        assert policy["img-src"] == "'self' data:"
        for name in ("connect-src", "style-src", "frame-src", "worker-src"):
            assert policy[name] == "'self'"
        assert "unsafe-inline" not in answer.headers["content-security-policy"]
        assert "strict-dynamic" not in answer.headers["content-security-policy"]
        allowed = set(policy["script-src"].split())
        assert "'self'" not in allowed
        # What it loads is what the policy lets it run, to the byte.
        used = re.findall(r'<script[^>]* src="([^"]+)" integrity="([^"]+)"', answer.text)
        line = re.search(r'data-line="([^"]+)" data-line-hash="([^"]+)"', answer.text)
        assert line is not None
        for script, integrity in (*used, line.groups()):
            content = (await daemon.served.client.get(script)).content
            hashed = f"sha256-{base64.b64encode(sha256(content).digest()).decode()}"
            assert integrity == hashed
            assert f"'{hashed}'" in allowed
        assert len(used) == 2
        assert not INLINE.search(answer.text)
        assert "://" not in re.sub(r"https?://(127\.0\.0\.1|localhost)[^\"]*", "", answer.text)


async def test_other_pages_see_nothing_of_ours(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        for path in ("/dashboard", f"/dashboard/s/{A}", assets().app.path):
            headers = (await daemon.served.client.get(path)).headers
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cross-origin-opener-policy"] == "same-origin"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert headers["x-content-type-options"] == "nosniff"
            assert "camera=()" in headers["permissions-policy"]
            assert "access-control-allow-origin" not in headers


async def test_a_page_is_packed_for_those_who_take_it_so(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        client = daemon.served.client
        for path in (f"/dashboard/s/{A}", assets().app.path):
            plain = await client.get(path, headers={"Accept-Encoding": "identity"})
            packed = await client.get(path, headers={"Accept-Encoding": "gzip"})
            assert "content-encoding" not in plain.headers
            assert packed.headers["content-encoding"] == "gzip"
            assert "Accept-Encoding" in packed.headers["vary"]
            assert int(packed.headers["content-length"]) < len(plain.content)
        head = await client.head(f"/dashboard/s/{A}")
        assert (head.status_code, head.content) == (200, b"")
        assert "content-security-policy" in head.headers


async def test_a_page_with_everything_it_needs_is_light(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        for number in range(20):
            await daemon.run("print")
            await daemon.turn(
                f"question {number}", f"# Answer\n\n{'words ' * 200}\n\n```py\nx = 1\n```"
            )
        client = daemon.served.client
        answer = await client.get(f"/dashboard/s/{A}")
        page = page_of(answer)
        assert len(page.items()) == 40
        page.check()
        found = assets()
        every = (found.app, found.datastar, found.line, found.style)
        weight = len(gzip.compress(answer.content, 5)) + sum(len(one.packed) for one in every)
        assert weight < WEIGHT


async def test_a_page_shows_what_is_so_and_what_its_scripts_must_know(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        await daemon.turn("hello <b>there</b>", "hello yourself")
        answer = await daemon.served.client.get(f"/dashboard/s/{A}")
        page = page_of(answer)
        assert "hello <b>there</b>" in page.text("timeline")
        assert "hello yourself" in page.text("timeline")
        for part in ("banner", "sidebar", "head", "queue", "composer", "panel", "state", "toasts"):
            assert page.find(part) is not None, part
        assert f'data-session="{A}"' in answer.text
        assert f'data-build="{assets().build}"' in answer.text
        home = page_of(await daemon.served.client.get("/dashboard"))
        assert home.find("home") is not None
        assert home.find("timeline") is None


async def test_a_page_has_the_theme_that_the_person_chose(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        client = daemon.served.client
        assert "data-theme" not in (await client.get("/dashboard")).text.partition("<body")[0]
        assert (await client.post("/dashboard/desk", json={"theme": "dark"})).is_success
        for path in ("/dashboard", f"/dashboard/s/{A}"):
            assert '<html lang="en" data-theme="dark">' in (await client.get(path)).text
        # It is theirs: an agent's page is as it was.
        bearer = {"Authorization": f"Bearer {daemon.served.tokens.add('bot', Standing.AGENT)}"}
        assert 'data-theme="dark"' not in (await client.get("/dashboard", headers=bearer)).text


async def test_a_session_is_found_by_its_name_too(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        answer = await daemon.served.client.get(f"/dashboard/s/{A[:10]}")
        assert answer.status_code == 200
        assert f'data-session="{A}"' in answer.text


async def test_a_session_that_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        path = "/dashboard/s/session-zzzzzz"
        page = await daemon.served.client.get(path, headers=PEOPLE)
        assert page.status_code == 404
        assert page.headers["content-type"].startswith("text/html")
        assert 'href="/dashboard"' in page.text
        program = await daemon.served.client.get(path)
        assert program.json()["error"]["code"] == "unknown_session"
        assert program.json()["error"]["hint"]


async def test_who_is_not_known_is_shown_where_to_sign_in(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        for path in ("/dashboard", f"/dashboard/s/{A}"):
            page = await daemon.served.browser.get(path, headers=PEOPLE)
            assert page.status_code == 401
            assert 'action="/login"' in page.text
            assert A not in page.text
            program = await daemon.served.browser.get(path)
            assert program.status_code == 401
            assert program.json()["error"]


@pytest.mark.promise("DP-BG-06")
async def test_a_panel_that_is_broken_leaves_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with steered(tmp_path) as daemon:
        client = daemon.served.client
        await client.get("/dashboard")
        answering = daemon.served.door._dashboard._answering

        async def broken(*_: object) -> Html:
            raise RuntimeError("boom")

        real = shell.panel_aside

        async def drawing(panels: object, panel: object, looking: Looking) -> Html:
            if panel is not None and getattr(panel, "show", None) is not asides._not_drawn:
                return await broken()
            return await real(panels, panel, looking)  # type: ignore[arg-type] # as given

        monkeypatch.setattr(asides, "panel_aside", drawing)
        person = daemon.served.tokens.who(daemon.served.tokens.person)
        assert person is not None
        await answering._desks.change(person.name, panel="events")
        answer = await client.get(f"/dashboard/s/{A}")
        assert answer.status_code == 200
        page = page_of(answer)
        assert "could not be drawn" in page.text("panel")
        assert page.find("timeline") is not None
        assert "boom" not in answer.text


@pytest.mark.promise("DP-BG-06")
async def test_a_store_that_is_down_is_said_in_words(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(daemon.served.around, "rows", down)
        answer = await daemon.served.client.get(f"/dashboard/s/{A}", headers=PEOPLE)
        assert answer.status_code == 503
        assert "cannot be read" in answer.text
        assert "disk" not in answer.text


async def test_files_of_pages_have_their_types_and_there_are_no_others(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        client = daemon.served.client
        for one in assets().by_path.values():
            answer = await client.get(one.path)
            assert answer.headers["content-type"] == one.kind
            assert answer.content == one.content
        for name in ("x.js", "policy.js", "tokens.css", "..%2fassets.py"):
            assert (await client.get(f"/dashboard/assets/{name}")).status_code == 404


async def test_a_page_that_was_only_loaded_leaves_nothing_behind(tmp_path: Path) -> None:
    async with steered(tmp_path) as daemon:
        await daemon.served.client.get(f"/dashboard/s/{A}")
        screens = daemon.served.door._dashboard._answering._screens
        assert screens.open == 1
        (opening,) = screens._screens.values()
        assert opening.result()._lingering is not None
