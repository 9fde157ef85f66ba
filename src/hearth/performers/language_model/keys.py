"""Where the key for a provider comes from, anew for every request.

In this order: `apiKey` of the settings, which environment variables are part of; the output of
`keyCommand`; `keyFile`. A key that is known to expire is renewed ahead of time, once for all who
need it; one that has expired is never sent.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_model.key_commands import output_of
from hearth.performers.language_model.key_files import KeyFiles, Post
from hearth.performers.language_model.key_texts import Expiring, KeyMissing, key_in, usable
from hearth.performers.language_model.once_for_all import OnceForAll
from hearth.performers.language_model.redacting import shown
from hearth.performers.language_model.requesting import Requesting
from hearth.settings.agents import ProviderSettings
from hearth.settings.layers import ENVIRONMENT

AHEAD: Final = 60.0
"""So many seconds before it expires, a key is renewed."""
COMMAND_LIMIT: Final = 60.0
"""Somebody may have to unlock something first."""
RENEWING: Final = 30.0

ADDRESSES: Final[Mapping[str, str]] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "deepseek": "https://api.deepseek.com",
    "openrouter": "https://openrouter.ai/api/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "llamacpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
"""Where a provider is, unless the settings say otherwise."""

KEYLESS: Final = frozenset({"ollama", "llamacpp", "vllm", "custom"})
"""On one's own machine, or somebody's: they may want a key, but need none."""

MOST_USED: Final = 50


@dataclass(frozen=True, slots=True)
class Key:
    """A key and the address that it is for. Nothing of it is in its `repr`."""

    value: str = field(repr=False)
    """Empty: none is needed."""
    base_url: str


class Keys:
    """Finds keys. It keeps none, but those of commands that say how long they hold."""

    def __init__(  # noqa: PLR0913 - each is a wish of its own, by keyword
        self,
        providers: Callable[[str], Mapping[str, ProviderSettings]],
        environ: Mapping[str, str],
        *,
        directory_of: Callable[[SessionId], str] = lambda _: "",
        now: Callable[[], float] = time.time,
        post: Post | None = None,
        command_limit: float = COMMAND_LIMIT,
    ) -> None:
        """`providers` are the settings in a directory; it is called in a thread."""
        self._providers = providers
        self._environ = environ
        self._directory_of = directory_of
        self._now = now
        self._limit = command_limit
        self._requesting = Requesting(idle=RENEWING)
        self._files = KeyFiles(post or self._post, now, AHEAD)
        self._commands: dict[str, Expiring] = {}
        """What commands printed, as long as it holds."""
        self._running = OnceForAll[Expiring]()
        self._used: dict[str, None] = {}

    def directory(self, session: SessionId) -> str:
        """Where a session works."""
        return self._directory_of(session)

    async def key_for(self, session: SessionId, provider: str) -> Key:
        """The key to send to a provider now, and its address. KeyMissing, which names both."""
        directory = self._directory_of(session)
        found = await asyncio.to_thread(self._providers, directory)
        said = found.get(provider) or ProviderSettings(provider)
        base_url = said.base_url or ADDRESSES.get(provider, "")
        if not base_url:
            raise KeyMissing(
                f"nobody said where {provider} is: set provider.{provider}.baseUrl in hearth.jsonc"
            )
        try:
            return self._given(Key(await self._value(said), base_url))
        except KeyMissing as missing:
            message = f"no key for {provider} at {shown(base_url)}: {missing.message}"
            raise KeyMissing(message) from None

    def in_use(self) -> tuple[str, ...]:
        """The keys that were given out last: what must not be seen anywhere else."""
        return tuple(self._used)

    def _given(self, key: Key) -> Key:
        if key.value:
            self._used.pop(key.value, None)
            self._used[key.value] = None
            if len(self._used) > MOST_USED:
                del self._used[next(iter(self._used))]
        return key

    async def close(self) -> None:
        """Give up what is under way."""
        await self._running.close()
        await self._files.close()
        await self._requesting.close()

    async def _value(self, said: ProviderSettings) -> str:
        if said.api_key:
            return usable(said.api_key.strip(), f"provider.{said.name}.apiKey")
        if said.key_command:
            where = f"provider.{said.name}.keyCommand"
            key = await self._printed(said.key_command, where)
        elif said.key_file:
            where = f"provider.{said.name}.keyFile ({said.key_file})"
            key = await self._files.key(said.key_file, where)
        elif said.withheld:
            raise KeyMissing(said.withheld)
        elif said.name in KEYLESS:
            return ""
        else:
            raise KeyMissing(_hint(said.name))
        if not key.holds(self._now()):
            raise KeyMissing(f"the key of {where} has expired")
        return key.value

    async def _printed(self, command: str, where: str) -> Expiring:
        """What the command prints now; what it printed before, if that says that it still holds."""
        kept = self._commands.get(command)
        if kept is not None and kept.holds(self._now(), AHEAD):
            return kept
        return await self._running.have(command, lambda: self._run(command, where))

    async def _run(self, command: str, where: str) -> Expiring:
        key = key_in(await output_of(command, self._environ, self._limit, where), where)
        self._commands.pop(command, None)
        if key.expires_at is not None:
            self._commands[command] = key
        return key

    async def _post(self, url: str, body: bytes) -> tuple[int, bytes]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        async with self._requesting.post(url, headers, body) as reply:
            return reply.status, await reply.content()


def _hint(provider: str) -> str:
    ways = [f"provider.{provider}.{one}" for one in ("apiKey", "keyCommand", "keyFile")]
    said = f"set {', '.join(ways[:-1])} or {ways[-1]} in your own hearth.jsonc"
    variable = next((name for name, key in ENVIRONMENT.items() if key == ways[0]), None)
    if variable is None:
        return said
    return f"set {variable} before the daemon starts (`hearth stop` ends it), or {said}"
