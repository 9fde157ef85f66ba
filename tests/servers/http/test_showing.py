"""The door's own pages."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers.http.serving import Served, served

from hearth.servers.http.openapi import document
from hearth.servers.http.showing import KINDS

INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:|style=", re.IGNORECASE)


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def test_people_begin_with_the_dashboard(daemon: Served) -> None:
    answer = await daemon.client.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")
    assert not answer.content
    # Whoever is not known is told so there, and learns nothing here.
    unknown = await daemon.browser.get("/", headers={"Accept": "text/html"})
    assert unknown.status_code == 401
    assert "location" not in unknown.headers


async def test_a_page_runs_nothing_but_our_own_files(daemon: Served) -> None:
    answer = await daemon.client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-frame-options"] == "DENY"
    assert not INLINE.search(answer.text)
    assert "://" not in answer.text
    for used in re.findall(r'(?:src|href)="/pages/([^"]+)"', answer.text):
        assert (await daemon.client.get(f"/pages/{used}")).status_code == 200


@pytest.mark.parametrize("name", KINDS)
async def test_a_file_of_a_page_has_its_type_and_writes_no_html(name: str, daemon: Served) -> None:
    answer = await daemon.client.get(f"/pages/{name}")
    assert answer.headers["content-type"] == KINDS[name]
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in answer.text
    assert "://" not in answer.text


@pytest.mark.parametrize("name", ["home.html", "x.js", "__init__.py"])
async def test_there_are_no_other_files(name: str, daemon: Served) -> None:
    assert (await daemon.client.get(f"/pages/{name}")).status_code == 404


async def test_the_description_is_served_as_it_is(daemon: Served) -> None:
    answer = await daemon.client.get("/openapi.json")
    assert answer.content == document()
    assert answer.headers["content-type"] == "application/json"
