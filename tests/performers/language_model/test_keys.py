"""The key of a provider is found anew for every request, in a fixed order, and is never told."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.performers.language_model.held import S

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_model.key_texts import KeyMissing
from hearth.performers.language_model.keys import ADDRESSES, KEYLESS, Key, Keys
from hearth.settings.agents import ProviderSettings
from hearth.settings.providers import Providers

ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/"}
NOW = 1_000.0
PATIENCE = 30.0


@asynccontextmanager
async def keys_of(
    *said: ProviderSettings, environ: Mapping[str, str] = ENVIRON, **other: Any
) -> AsyncIterator[Keys]:
    keys = Keys(lambda _: {one.name: one for one in said}, environ, now=lambda: NOW, **other)
    try:
        async with asyncio.timeout(PATIENCE):
            yield keys
    finally:
        await keys.close()


async def test_settings_come_before_commands_and_commands_before_files(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("of-the-file")
    path.chmod(0o600)
    cases = (
        ("of-settings", "echo of-the-command", "of-settings"),
        (None, "echo of-the-command", "of-the-command"),
        (None, None, "of-the-file"),
    )
    for api_key, command, value in cases:
        said = ProviderSettings("openai", None, api_key, command, str(path))
        async with keys_of(said) as keys:
            assert await keys.key_for(S, "openai") == Key(value, "https://api.openai.com/v1")


@pytest.mark.promise("DP-CRED-01")
async def test_a_key_that_was_changed_is_the_one_that_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "key"
    said: dict[str, ProviderSettings] = {}
    keys = Keys(lambda _: said, ENVIRON)
    for value in ("first", "second"):
        said["openai"] = ProviderSettings("openai", None, value)
        assert (await keys.key_for(S, "openai")).value == value
        file.write_text(value)
        said["openai"] = ProviderSettings("openai", None, None, f"cat {file}")
        assert (await keys.key_for(S, "openai")).value == value
    await keys.close()


async def test_the_settings_are_those_of_where_the_session_works() -> None:
    asked = []

    def providers(directory: str) -> dict[str, ProviderSettings]:
        asked.append(directory)
        return {"openai": ProviderSettings("openai", None, f"key-of-{directory}")}

    keys = Keys(providers, ENVIRON, directory_of=lambda session: f"at-{session}")
    for session in (S, SessionId("other")):
        assert (await keys.key_for(session, "openai")).value == f"key-of-at-{session}"
        assert keys.directory(session) == f"at-{session}"
    assert asked == [f"at-{S}", "at-other"]
    await keys.close()


@pytest.mark.promise("DP-CRED-05")
async def test_a_missing_key_names_provider_and_address_and_falls_back_to_nothing() -> None:
    mine = ProviderSettings("anthropic", None, "mine")
    theirs = ProviderSettings("deepseek", "https://user:pw@proxy.example/v1?token=x")
    async with keys_of(mine, theirs) as keys:
        with pytest.raises(KeyMissing) as caught:
            await keys.key_for(S, "deepseek")
        said = caught.value.message
        assert said.startswith(
            "no key for deepseek at https://proxy.example/v1: set DEEPSEEK_API_KEY"
        )
        assert "keyCommand" in said
        for secret in ("pw", "token", "mine"):
            assert secret not in said
        with pytest.raises(KeyMissing, match="nobody said where weaver is"):
            await keys.key_for(S, "weaver")


async def test_a_key_that_is_held_back_says_why() -> None:
    said = ProviderSettings("openai", "https://far.example", withheld="not sent there")
    async with keys_of(said) as keys:
        with pytest.raises(KeyMissing, match="not sent there"):
            await keys.key_for(S, "openai")


@pytest.mark.parametrize("provider", sorted(KEYLESS))
async def test_ones_own_machine_needs_no_key_but_may_want_one(provider: str) -> None:
    address = "http://127.0.0.1:1234/v1"
    async with keys_of(ProviderSettings(provider, address)) as keys:
        assert await keys.key_for(S, provider) == Key("", address)
    async with keys_of(ProviderSettings(provider, address, "wanted")) as keys:
        assert (await keys.key_for(S, provider)).value == "wanted"


def test_every_provider_that_settings_know_has_its_address() -> None:
    assert set(Providers.__struct_fields__) == set(ADDRESSES) | {"custom"}


@pytest.mark.promise("DP-CRED-04")
async def test_ten_who_need_a_command_have_it_run_once(tmp_path: Path) -> None:
    count = tmp_path / "count"
    said = ProviderSettings("openai", None, None, f"echo x >> {count}; echo one-key")
    async with keys_of(said) as keys:
        found = await asyncio.gather(*(keys.key_for(S, "openai") for _ in range(10)))
        assert {one.value for one in found} == {"one-key"}
        assert count.read_text() == "x\n"
        await keys.key_for(S, "openai")
        assert count.read_text() == "x\nx\n", "what says nothing of its end is asked for anew"


@pytest.mark.parametrize(("lasts", "runs"), [(61, 1), (59, 2)])
async def test_what_a_command_prints_is_kept_until_shortly_before_it_expires(
    tmp_path: Path, lasts: int, runs: int
) -> None:
    count, out = tmp_path / "count", tmp_path / "out"
    out.write_text(json.dumps({"key": "one-key", "expires_at": NOW + lasts}))
    said = ProviderSettings("openai", None, None, f"echo x >> {count}; cat {out}")
    async with keys_of(said) as keys:
        for _ in range(2):
            assert (await keys.key_for(S, "openai")).value == "one-key"
    assert count.read_text().count("x") == runs


@pytest.mark.promise("DP-CRED-03")
async def test_a_key_that_has_expired_is_never_sent(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(json.dumps({"key": "old-key", "expires_at": NOW - 1}))
    for said in (
        ProviderSettings("openai", None, None, f"cat {file}"),
        ProviderSettings("openai", None, None, None, str(file)),
    ):
        async with keys_of(said) as keys:
            with pytest.raises(KeyMissing, match="has expired") as caught:
                await keys.key_for(S, "openai")
            assert "old-key" not in caught.value.message


@pytest.mark.promise("DP-CRED-02")
async def test_a_token_endpoint_is_sent_json(tmp_path: Path) -> None:
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        received.extend((head, await reader.readexactly(len(b'{"grant":"abcdef"}'))))
        body = b'{"access_token":"new-key","expires_in":600}'
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/oauth/token"
    refresh = {"url": url, "body": {"grant": "abcdef"}}
    file = tmp_path / "key"
    file.write_text(json.dumps({"key": "old-key", "expires_at": NOW, "refresh": refresh}))
    file.chmod(0o600)
    async with keys_of(ProviderSettings("openai", None, None, None, str(file))) as keys:
        assert (await keys.key_for(S, "openai")).value == "new-key"
    server.close()
    head, body = received
    assert head.startswith(b"POST /oauth/token HTTP/1.1\r\n")
    assert b"content-type: application/json\r\n" in head.lower()
    assert json.loads(body) == {"grant": "abcdef"}


async def test_nothing_of_a_key_is_in_what_represents_it() -> None:
    assert "secret" not in repr(Key("secret", "https://api.example"))


async def test_a_key_with_something_beside_it_is_told() -> None:
    async with keys_of(ProviderSettings("openai", None, "two words")) as keys:
        with pytest.raises(KeyMissing, match=r"provider\.openai\.apiKey is no key") as caught:
            await keys.key_for(S, "openai")
        assert "words" not in caught.value.message.replace("one word", "")
