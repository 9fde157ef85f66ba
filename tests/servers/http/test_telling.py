"""What the log tells of requests."""

import logging
from contextvars import copy_context
from pathlib import Path

import pytest
from tests.servers.http.serving import served

from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.http import telling


def test_outside_of_a_request_nothing_is_known() -> None:
    assert telling.about() == {}


def test_what_is_known_of_a_request_is_known_to_everything_it_does() -> None:
    def work() -> None:
        telling.begin("r1")
        telling.by(Origin(Actor.AGENT, "bot", Door.MCP))
        telling.on("session-aaaaaa")
        assert telling.about() == {
            "request": "r1",
            "session": "session-aaaaaa",
            "origin": "agent:bot@mcp",
        }

    copy_context().run(work)
    assert telling.about() == {}


def test_before_it_is_known_in_whose_name_it_is_asked_the_token_tells() -> None:
    def work() -> None:
        telling.known("agent", "bot")
        telling.begin("r1")
        telling.known("agent", "bot")
        assert telling.about() == {"request": "r1", "origin": "agent:bot"}
        telling.by(Origin(Actor.AGENT, "bot", Door.MCP))
        assert telling.about()["origin"] == "agent:bot@mcp"

    copy_context().run(work)


def test_what_a_request_set_off_is_not_told_as_the_request_for_ever() -> None:
    def work() -> None:
        telling.begin("r1")
        later = copy_context()
        assert later.run(telling.about) == {"request": "r1"}
        telling.answered("GET", "/", 200, 0.001)
        assert later.run(telling.about) == {}

    copy_context().run(work)


async def test_a_command_has_a_line_with_who_where_and_how_long(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="hearth.servers.http.telling"):
            answer = await daemon.command({"type": "run_cell", "code": "1+1"})
            await daemon.client.get("/health")
        (line,) = [one for one in caplog.records if one.name == "hearth.servers.http.telling"]
    told = vars(line)
    assert told["request"] == answer.headers["x-request-id"]
    assert told["session"] == "session-aaaaaa"
    assert told["origin"].startswith("person:")
    assert (told["method"], told["status"]) == ("POST", 200)
    assert told["path"] == "/sessions/session-aaaaaa/commands"
    assert told["ms"] > 0
    assert "1+1" not in caplog.text


async def test_no_secret_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with served(tmp_path) as daemon:
        with caplog.at_level(logging.DEBUG):
            code = (await daemon.client.post("/codes")).json()["code"]
            await daemon.browser.get("/login", params={"code": code})
            await daemon.browser.get("/login", params={"code": "guessed"})
            await daemon.browser.get("/health", headers={"Authorization": "Bearer guessed"})
        told = [one for one in caplog.records if one.name.startswith("hearth")]
        text = "\n".join(f"{one.getMessage()} {vars(one)}" for one in told)
        assert told
        assert code not in text
        assert "guessed" not in text
        assert daemon.tokens.person not in text


def test_a_path_cannot_forge_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        telling.answered("POST", "/x\nERROR all is lost" + "y" * 1000, 404, 0.001)
    assert "\n" not in caplog.records[-1].getMessage()
    assert len(caplog.records[-1].getMessage()) < 300
