"""Logins at MCP servers by OAuth: with what is kept in hearth's home, and a browser elsewhere.

Imports the protocol's library: see `speaking`. The daemon has no browser: where a person has to log
in, it says so. `hearth mcp login` has one, and gives its ways in.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from hearth.performers.mcp_client.connecting import NeedsLogin
from hearth.settings.mcp import ServerSpec
from hearth.settings.mcp_tokens import McpTokens

REDIRECT: Final = "http://127.0.0.1:33418/callback"
"""Where a browser comes back to, if nobody says otherwise."""
Redirect = Callable[[str], Awaitable[None]]
Callback = Callable[[], Awaitable[AuthorizationCodeResult]]


def login_text(name: str) -> str:
    """What a person is told who has to log in."""
    return f"it needs a login: hearth mcp login {name}"


class KeptTokens:
    """The tokens of one server, as the library stores them."""

    def __init__(self, tokens: McpTokens, url: str) -> None:
        self._tokens = tokens
        self._url = url

    async def get_tokens(self) -> OAuthToken | None:
        """Those that are kept."""
        said = (await asyncio.to_thread(self._tokens.login, self._url)).tokens
        return OAuthToken.model_validate(said) if said else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep them."""
        said = tokens.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(self._tokens.keep_tokens, self._url, said)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """As what hearth is registered."""
        said = (await asyncio.to_thread(self._tokens.login, self._url)).client
        return OAuthClientInformationFull.model_validate(said) if said else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep it."""
        said = client_info.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(self._tokens.keep_client, self._url, said)


async def provider(
    spec: ServerSpec,
    home: Path,
    redirect: Redirect | None = None,
    callback: Callback | None = None,
    redirect_uri: str = REDIRECT,
) -> OAuthClientProvider:
    """What puts tokens into requests, and gets new ones. NeedsLogin where nobody can log in.

    `redirect` shows a person an address, `callback` waits for what comes back from there.
    """
    tokens, storage = McpTokens(home), KeptTokens(McpTokens(home), spec.url)

    async def nobody(_address: str) -> None:
        raise NeedsLogin(login_text(spec.name))

    if spec.client_id and await storage.get_client_info() is None:
        await storage.set_client_info(
            OAuthClientInformationFull(
                client_id=spec.client_id,
                redirect_uris=[AnyUrl(redirect_uri)],
                token_endpoint_auth_method="none",  # noqa: S106 - the name of a method
            )
        )
    made = OAuthClientProvider(
        server_url=spec.url,
        client_metadata=OAuthClientMetadata(
            client_name="hearth",
            redirect_uris=[AnyUrl(redirect_uri)],
            scope=" ".join(spec.scopes) or None,
        ),
        storage=storage,
        redirect_handler=redirect or nobody,
        callback_handler=callback,
    )
    login = await asyncio.to_thread(tokens.login, spec.url)
    # Of itself the library takes stored tokens for fresh, and forgets where they are refreshed.
    if login.tokens and (lasting := login.tokens.get("expires_in")):
        made.context.token_expiry_time = login.stored_at + float(lasting)
    if login.metadata:
        made.context.oauth_metadata = OAuthMetadata.model_validate(login.metadata)
    return made


async def remember(spec: ServerSpec, home: Path, logged_in: OAuthClientProvider) -> None:
    """Keep where tokens are refreshed, after a login."""
    if (metadata := logged_in.context.oauth_metadata) is not None:
        said = metadata.model_dump(mode="json", exclude_none=True)
        await asyncio.to_thread(McpTokens(home).keep_metadata, spec.url, said)
