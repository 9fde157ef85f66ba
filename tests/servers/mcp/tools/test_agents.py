"""Asking a session's own agent."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ElicitResult
from tests.servers.http.agents.asking_agent import SESSION, asking
from tests.servers.http.serving import PATIENCE
from tests.servers.mcp.clients import ERAS, LEGACY, call, connected

from hearth.credentials.standing import Standing


def person(answer: str, action: Any = "accept") -> Any:
    asked: list[Any] = []

    async def elicit(_: Any, params: Any) -> ElicitResult:
        asked.append(params)
        content: Any = {"answer": answer} if action == "accept" else None
        return ElicitResult(action=action, content=content)

    elicit.asked = asked  # type: ignore[attr-defined] # what was asked, to be looked at
    return elicit


async def deciders(opened: Any) -> list[tuple[str, str, str, str]]:
    value = (await opened.daemon.client.get(f"/sessions/{SESSION}/views/permissions")).json()
    return [
        (one["answer"], one["by"]["actor"], one["by"]["name"], one["by"]["door"])
        for one in value["value"].get("decided", ())
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_a_person_at_the_client_decides(tmp_path: Path, era: str) -> None:
    elicit = person("once")
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        daemon = opened.daemon
        async with connected(daemon, era, elicitation_callback=elicit) as client:
            said = await call(client, "ask_agent", message="build it", session=SESSION)
        assert said["answer"] == "yes"
        assert said["turn"] == "t1"
        assert set(said["usage"]) == {"in", "out", "steps"}
        (asked,) = elicit.asked
        assert "make build" in asked.message
        login = daemon.tokens.who(daemon.tokens.person)
        assert login is not None
        assert await deciders(opened) == [("once", "person", login.name, "mcp")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_no_is_told_to_the_agent(tmp_path: Path, era: str) -> None:
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        for action in ("accept", "decline"):
            elicit = person("reject", action)
            async with connected(opened.daemon, era, elicitation_callback=elicit) as client:
                await call(client, "ask_agent", message="build it", session=SESSION)
        assert [one[0] for one in await deciders(opened)] == ["reject", "reject"]
        assert not opened.agent.ran


@pytest.mark.parametrize("era", ERAS)
async def test_where_nobody_can_be_asked_it_says_what_waits_and_goes_on_later(
    tmp_path: Path, era: str
) -> None:
    async with (
        asking(tmp_path) as opened,
        connected(opened.daemon, era) as client,
        asyncio.timeout(PATIENCE),
    ):
        said = await call(client, "ask_agent", message="build it", session=SESSION)
        assert said.is_error
        assert said["error"]["type"] == "waits_for_person"
        assert said["waits_for"][0]["approval"] == f"{SESSION}/a1"
        assert "hearth approve" in said["remedy"][0]
        await opened.answer("once")
        going_on = {"turn": said["turn"], "since": said["cursor"]}
        later = await call(client, "ask_agent", session=SESSION, **going_on)
        assert later["answer"] == "yes"


@pytest.mark.parametrize("era", ERAS)
async def test_an_agents_credential_never_answers(tmp_path: Path, era: str) -> None:
    elicit = person("once")
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        token = opened.daemon.tokens.add("bot", Standing.AGENT)
        async with connected(
            opened.daemon, era, token=token, elicitation_callback=elicit
        ) as client:
            said = await call(client, "ask_agent", message="build it", session=SESSION)
        assert said["error"]["type"] == "waits_for_person"
        assert not elicit.asked
        assert await deciders(opened) == []


async def test_a_person_who_closes_the_form_has_not_decided(tmp_path: Path) -> None:
    elicit = person("", "cancel")
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        async with connected(opened.daemon, LEGACY, elicitation_callback=elicit) as client:
            said = await call(client, "ask_agent", message="build it", session=SESSION)
        assert said["error"]["type"] == "waits_for_person"
        assert await deciders(opened) == []


async def test_without_a_message_nothing_is_asked(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened, connected(opened.daemon) as client:
        said = await call(client, "ask_agent", session=SESSION)
        assert said["error"]["type"] == "malformed"
