"""Keys in files, and how those that expire are renewed.

A file holds the key as plain text, or as JSON: `{"key", "expires_at", "refresh": {"url", "body"}}`.
Where `refresh` is given, `body` is sent to `url` as JSON before the key expires, and what comes
back is written into the file. So every process that reads the file sees the new key.
"""

import asyncio
import logging
import stat
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.failures import readable
from hearth.performers.language_model.key_texts import (
    LONGEST,
    Expiring,
    KeyMissing,
    key_in,
    key_of,
    moment,
    object_in,
    usable,
)
from hearth.performers.language_model.once_for_all import OnceForAll
from hearth.performers.language_model.redacting import shown, without
from hearth.settings.atomic import write_whole

Post: TypeAlias = Callable[[str, bytes], Awaitable[tuple[int, bytes]]]
"""Sends JSON to an address; status and content of the answer. WireTrouble."""

LOCAL: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_said = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refresh:
    """How a key is renewed."""

    url: str
    body: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a file holds."""

    key: Expiring
    refresh: Refresh | None
    whole: dict[str, Any] = field(repr=False)
    """Everything in it, to be written back."""


class KeyFiles:
    """Reads keys from files."""

    def __init__(self, post: Post, now: Callable[[], float], ahead: float) -> None:
        self._post = post
        self._now = now
        self._ahead = ahead
        self._renewing = OnceForAll[Expiring]()
        self._warned: set[str] = set()

    async def key(self, path: str, where: str) -> Expiring:
        """The key in a file, renewed if it is about to expire. KeyMissing."""
        kept = await asyncio.to_thread(self._read, path, where)
        if kept.refresh is None or kept.key.holds(self._now(), self._ahead):
            return kept.key
        return await self._renewing.have(path, lambda: self._renew(path, where))

    async def close(self) -> None:
        """Give up what is under way."""
        await self._renewing.close()

    async def _renew(self, path: str, where: str) -> Expiring:
        kept = await asyncio.to_thread(self._read, path, where)
        if kept.refresh is None or kept.key.holds(self._now(), self._ahead):
            return kept.key  # somebody else has just done it
        try:
            fresh, whole = await self._ask(kept, kept.refresh, where)
        except KeyMissing as error:
            _said.warning("%s", error.message)
            if kept.key.holds(self._now()):
                return kept.key
            raise
        try:
            await asyncio.to_thread(write_whole, Path(path), msgspec.json.encode(whole), 0o600)
        except OSError as error:
            # The old one may be worth nothing by now; the new one must not be lost with it.
            raise KeyMissing(f"{where} was renewed, but cannot be written: {error}") from error
        return fresh

    async def _ask(
        self, kept: _Kept, refresh: Refresh, where: str
    ) -> tuple[Expiring, dict[str, Any]]:
        about = f"{where} could not be renewed at {shown(refresh.url)}"
        secrets = (kept.key.value, *_texts(refresh.body))
        try:
            status, content = await self._post(refresh.url, msgspec.json.encode(refresh.body))
        except WireTrouble as trouble:
            raise KeyMissing(without(f"{about}: {trouble.message}", secrets)) from None
        if not 200 <= status < 300:
            words = readable(without(content.decode("utf-8", "replace"), secrets))
            raise KeyMissing(f"{about}: status {status}" + (f", {words}" if words else ""))
        try:
            answer = msgspec.json.decode(content, type=dict[str, Any])
            fresh = _renewed(answer, about, self._now())
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise KeyMissing(f"{about}: what came back is no JSON object") from None
        if not fresh.holds(self._now()):
            raise KeyMissing(f"{about}: what came back has expired already")
        return fresh, _rewritten(kept.whole, fresh, answer)

    def _read(self, path: str, where: str) -> _Kept:
        try:
            # Looked at before it is opened: a pipe would wait for somebody to write into it.
            status = Path(path).stat().st_mode
            if not stat.S_ISREG(status):
                raise KeyMissing(f"{where} is no file")
            with Path(path).open("rb") as file:
                text = file.read(LONGEST + 1).decode("utf-8-sig")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no text"
            raise KeyMissing(f"{where} cannot be read: {why}") from error
        if status & 0o077 and path not in self._warned:
            self._warned.add(path)
            _said.warning("%s can be read by others: chmod 600 %s", where, path)
        return _kept(text, where)


def _kept(text: str, where: str) -> _Kept:
    whole = object_in(text, where)
    if whole is None:
        return _Kept(key_in(text, where), None, {})
    return _Kept(key_of(whole, where), _refresh(whole.get("refresh"), where), whole)


def _refresh(said: object, where: str) -> Refresh | None:
    if said is None:
        return None
    match said:
        case {"url": str(url), "body": dict(body)}:
            address = urlsplit(url)
            if address.scheme == "https" or (address.scheme == "http" and _is_local(url)):
                return Refresh(url, body)
            raise KeyMissing(f'the "url" of "refresh" in {where} must begin with https://')
        case _:
            raise KeyMissing(f'"refresh" in {where} must be an object with "url" and "body"')


def _is_local(url: str) -> bool:
    return urlsplit(url).hostname in LOCAL


def _renewed(answer: dict[str, Any], about: str, now: float) -> Expiring:
    """The new key, under the name that is used in our files, or in the standard for tokens."""
    key = answer.get("key", answer.get("access_token"))
    if not isinstance(key, str):
        raise KeyMissing(f'{about}: what came back has no "key" and no "access_token"')
    lasts = answer.get("expires_in")
    if isinstance(lasts, int | float) and not isinstance(lasts, bool):
        return Expiring(usable(key, about), now + lasts)
    return Expiring(usable(key, about), moment(answer.get("expires_at"), about))


def _rewritten(whole: dict[str, Any], key: Expiring, answer: dict[str, Any]) -> dict[str, Any]:
    """What the file holds from now on; what renews the key next time may be new as well."""
    written = {**whole, "key": key.value, "expires_at": key.expires_at}
    body = whole["refresh"]["body"]
    if isinstance(token := answer.get("refresh_token"), str) and "refresh_token" in body:
        written["refresh"] = {**whole["refresh"], "body": {**body, "refresh_token": token}}
    return written


def _texts(value: object) -> list[str]:
    """Every text in a value: each may be a secret."""
    match value:
        case str():
            return [value]
        case dict():
            return [text for one in value.values() for text in _texts(one)]
        case list():
            return [text for one in value for text in _texts(one)]
        case _:
            return []
