import time
from dataclasses import replace
from pathlib import Path

import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken
from tests.performers.mcp_client.faking import Fakes, call
from tests.performers.mcp_client.listening import listening

from hearth.performers.mcp_client.connecting import NeedsLogin
from hearth.performers.mcp_client.logins import KeptTokens, provider, remember
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import ServerSpec
from hearth.settings.mcp_tokens import McpTokens

SPEC = ServerSpec("far", url="https://far.example/mcp")


ECHOED = Outcome("x", structured={"result": "x"})


def logged_in(home: Path, url: str, token: str, seconds: float = 3600) -> None:
    kept = McpTokens(home)
    kept.keep_client(url, {"client_id": "me", "token_endpoint_auth_method": "none"})
    tokens = {"access_token": token, "token_type": "Bearer", "expires_in": seconds}
    kept.keep_tokens(url, {**tokens, "refresh_token": "refresh-me"})
    base = url.removesuffix("/mcp")
    metadata = {"issuer": base, "authorization_endpoint": f"{base}/authorize"}
    kept.keep_metadata(
        url,
        {**metadata, "token_endpoint": f"{base}/token", "response_types_supported": ["code"]},
    )


async def test_the_library_finds_again_what_it_stored(tmp_path: Path) -> None:
    storage = KeptTokens(McpTokens(tmp_path), "u")
    assert await storage.get_tokens() is None
    assert await storage.get_client_info() is None
    await storage.set_tokens(OAuthToken(access_token="hush", token_type="Bearer"))  # noqa: S106 - nobody's
    await storage.set_client_info(OAuthClientInformationFull(client_id="c"))
    again = KeptTokens(McpTokens(tmp_path), "u")
    tokens, client = await again.get_tokens(), await again.get_client_info()
    assert tokens is not None
    assert client is not None
    assert (tokens.access_token, client.client_id) == ("hush", "c")
    assert await KeptTokens(McpTokens(tmp_path), "other").get_tokens() is None


async def test_who_is_logged_in_is_let_in(fakes: Fakes) -> None:
    async with listening("good") as (url, _):
        logged_in(fakes.home, url, "good")
        server = await fakes.starter().connect(ServerSpec("far", url=url))
        assert await server.call(call("echo", "x")) == ECHOED
        await server.close()


async def test_a_token_that_has_run_out_is_renewed_without_a_person(fakes: Fakes) -> None:
    async with listening("never this one") as (url, door):
        logged_in(fakes.home, url, "old", seconds=-5)
        server = await fakes.starter().connect(ServerSpec("far", url=url))
        assert await server.call(call("echo", "x")) == ECHOED
        assert door.token == "fresh"  # noqa: S105 - nobody's
        kept = McpTokens(fakes.home).login(url).tokens
        assert kept is not None
        assert "fresh" in kept.values()
        await server.close()


async def test_one_that_is_taken_back_needs_a_login_again(fakes: Fakes) -> None:
    async with listening("good") as (url, _):
        logged_in(fakes.home, url, "taken back")
        with pytest.raises(NeedsLogin, match="hearth mcp login far"):
            await fakes.starter().connect(ServerSpec("far", url=url))


async def test_a_stored_token_is_known_to_run_out(tmp_path: Path) -> None:
    logged_in(tmp_path, SPEC.url, "t", seconds=100)
    made = await provider(SPEC, tmp_path)
    assert made.context.token_expiry_time is not None
    assert made.context.token_expiry_time == pytest.approx(time.time() + 100, abs=30)
    assert made.context.oauth_metadata is not None


async def test_a_client_that_the_person_names_is_not_registered_anew(tmp_path: Path) -> None:
    await provider(replace(SPEC, client_id="mine", scopes=("read", "write")), tmp_path)
    assert (McpTokens(tmp_path).login(SPEC.url).client or {})["client_id"] == "mine"


async def test_where_tokens_are_renewed_is_kept_after_a_login(tmp_path: Path) -> None:
    made = await provider(SPEC, tmp_path)
    await remember(SPEC, tmp_path, made)
    assert McpTokens(tmp_path).login(SPEC.url).metadata is None
    made.context.oauth_metadata = OAuthMetadata.model_validate(
        {
            "issuer": "https://far.example",
            "authorization_endpoint": "https://far.example/a",
            "token_endpoint": "https://far.example/t",
        }
    )
    await remember(SPEC, tmp_path, made)
    kept = McpTokens(tmp_path).login(SPEC.url).metadata
    assert kept is not None
    assert "https://far.example/t" in kept.values()


async def test_the_daemon_opens_no_browser(tmp_path: Path) -> None:
    made = await provider(SPEC, tmp_path)
    assert made.context.redirect_handler is not None
    with pytest.raises(NeedsLogin, match="hearth mcp login far"):
        await made.context.redirect_handler("https://far.example/authorize")
