"""Keys in files are read anew, and renewed before they expire: once, for all who need one."""

import asyncio
import json
import logging
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.key_files import KeyFiles
from hearth.performers.language_model.key_texts import Expiring, KeyMissing

NOW = 1_000.0
WHERE = "provider.anthropic.keyFile"
URL = "https://tokens.example/refresh"
OLD, NEW, GRANT, NEXT = "old-key-1234", "new-key-5678", "grant-9999", "grant-0000"


class Endpoint:
    """Where tokens are renewed."""

    def __init__(self, status: int = 200, answer: Any = None) -> None:
        self.status = status
        self.answer = {"key": NEW, "expires_in": 3600} if answer is None else answer
        self.asked: list[tuple[str, Any]] = []
        self.reached = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.down = False

    async def post(self, url: str, body: bytes) -> tuple[int, bytes]:
        self.asked.append((url, json.loads(body)))
        self.reached.set()
        await self.gate.wait()
        if self.down:
            raise WireTrouble(Trouble.NETWORK, f"cannot be reached with {GRANT}")
        if isinstance(self.answer, bytes):
            return self.status, self.answer
        return self.status, json.dumps(self.answer).encode()


def kept(tmp_path: Path, content: Any, mode: int = 0o600) -> str:
    path = tmp_path / "key.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(mode)
    return str(path)


def found(path: str) -> Any:
    """What a file holds, which nobody else may read."""
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    return json.loads(Path(path).read_text())


def expiring(expires_at: Any = NOW + 30, **other: Any) -> dict[str, Any]:
    refresh = {"url": URL, "body": {"grant_type": "refresh_token", "refresh_token": GRANT}}
    return {"key": OLD, "expires_at": expires_at, "refresh": refresh, **other}


def files(endpoint: Endpoint) -> KeyFiles:
    return KeyFiles(endpoint.post, lambda: NOW, ahead=60.0)


@pytest.mark.promise("DP-CRED-01")
async def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    path, keys = kept(tmp_path, f"{OLD}\n"), files(Endpoint())
    assert await keys.key(path, WHERE) == Expiring(OLD)
    kept(tmp_path, {"key": NEW, "expires_at": NOW + 5})
    assert await keys.key(path, WHERE) == Expiring(NEW, NOW + 5)


@pytest.mark.promise("DP-CRED-02")
async def test_a_key_is_renewed_ahead_with_its_own_body_and_written_back(tmp_path: Path) -> None:
    token = {"access_token": NEW, "expires_in": 3600, "refresh_token": NEXT}
    endpoint = Endpoint(answer=token)
    path = kept(tmp_path, expiring(note="mine"))
    assert await files(endpoint).key(path, WHERE) == Expiring(NEW, NOW + 3600)
    assert endpoint.asked == [(URL, {"grant_type": "refresh_token", "refresh_token": GRANT})]
    written = found(path)
    assert (written["key"], written["expires_at"], written["note"]) == (NEW, NOW + 3600, "mine")
    assert written["refresh"]["body"]["refresh_token"] == NEXT


async def test_a_key_that_holds_for_a_while_is_left_alone(tmp_path: Path) -> None:
    endpoint = Endpoint()
    path = kept(tmp_path, expiring(NOW + 61))
    assert (await files(endpoint).key(path, WHERE)).value == OLD
    assert endpoint.asked == []


@pytest.mark.promise("DP-CRED-04")
async def test_ten_who_need_a_new_key_have_it_from_one_request(tmp_path: Path) -> None:
    endpoint = Endpoint()
    endpoint.gate.clear()
    path, keys = kept(tmp_path, expiring(NOW - 1)), files(endpoint)
    waiting = [asyncio.create_task(keys.key(path, WHERE)) for _ in range(10)]
    async with asyncio.timeout(30):
        await endpoint.reached.wait()
        waiting.pop().cancel()  # whoever goes away takes nothing from the others
        endpoint.gate.set()
        assert {key.value for key in await asyncio.gather(*waiting)} == {NEW}
    assert len(endpoint.asked) == 1
    assert (await files(endpoint).key(path, WHERE)).value == NEW
    assert len(endpoint.asked) == 1, "another reader of the file sees it as well"


@pytest.mark.promise("DP-CRED-03")
async def test_what_could_not_be_renewed_is_logged_and_an_error_and_never_sent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = Endpoint(400, {"error": "invalid_grant", "hint": f"{GRANT} of {OLD} is unknown"})
    path = kept(tmp_path, expiring(NOW - 1))
    with pytest.raises(KeyMissing) as caught:
        await files(endpoint).key(path, WHERE)
    for text in (caught.value.message, caplog.text):
        assert "status 400" in text
        assert "invalid_grant" in text
        assert URL in text
        assert GRANT not in text
        assert OLD not in text
    assert found(path)["key"] == OLD


@pytest.mark.promise("DP-CRED-03")
async def test_an_address_that_has_a_secret_is_asked_with_it_and_told_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = Endpoint(500, b"")
    address = "https://me:password@tokens.example/refresh?client_secret=hush-hush"
    path = kept(tmp_path, expiring(NOW - 1, refresh={"url": address, "body": {}}))
    with pytest.raises(KeyMissing) as caught:
        await files(endpoint).key(path, WHERE)
    assert endpoint.asked == [(address, {})]
    for text in (caught.value.message, caplog.text):
        assert URL in text
        assert "hush" not in text
        assert "password" not in text


async def test_a_key_that_still_holds_is_used_while_it_cannot_be_renewed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = Endpoint()
    endpoint.down = True
    path = kept(tmp_path, expiring(NOW + 30))
    assert (await files(endpoint).key(path, WHERE)).value == OLD
    assert "could not be renewed" in caplog.text
    assert GRANT not in caplog.text


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"<html>", "no JSON object"),
        ([], "no JSON object"),
        ({}, 'no "key"'),
        ({"key": "two words"}, "one word"),
        ({"key": NEW, "expires_at": NOW - 5}, "expired already"),
        ({"key": NEW, "expires_at": "soon"}, "expires_at"),
    ],
)
async def test_an_answer_that_is_no_key_is_told(tmp_path: Path, answer: Any, why: str) -> None:
    path = kept(tmp_path, expiring(NOW - 1))
    with pytest.raises(KeyMissing, match=why) as caught:
        await files(Endpoint(answer=answer)).key(path, WHERE)
    assert NEW not in caught.value.message


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"key": OLD, "refresh": {"url": URL}}, '"url" and "body"'),
        ({"key": OLD, "refresh": "x"}, '"url" and "body"'),
        ({"key": OLD, "refresh": {"url": "http://far.example/", "body": {}}}, "https://"),
        ('{"key": ', "is none"),
        ("[1]\x00", "one word"),
    ],
)
async def test_a_file_that_is_not_as_it_must_be_is_told(
    tmp_path: Path, content: Any, why: str
) -> None:
    with pytest.raises(KeyMissing, match=why):
        await files(Endpoint()).key(kept(tmp_path, content), WHERE)


async def test_a_file_that_is_none_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    keys = files(Endpoint())
    for name, why in (("pipe", "is no file"), ("none", "No such file"), ("bytes", "is no text")):
        with pytest.raises(KeyMissing, match=why):
            await keys.key(str(tmp_path / name), WHERE)


async def test_others_who_can_read_a_file_are_warned_of_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    path, keys = kept(tmp_path, OLD, 0o644), files(Endpoint())
    for _ in range(2):
        assert (await keys.key(path, WHERE)).value == OLD
    assert caplog.text.count("can be read by others") == 1
    assert OLD not in caplog.text


async def test_a_new_key_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hearth.performers.language_model.key_files.write_whole", full)
    with pytest.raises(KeyMissing, match="cannot be written"):
        await files(Endpoint()).key(kept(tmp_path, expiring(NOW - 1)), WHERE)


async def test_closing_gives_up_what_is_under_way(tmp_path: Path) -> None:
    endpoint = Endpoint()
    endpoint.gate.clear()
    keys = files(endpoint)
    waiting = asyncio.create_task(keys.key(kept(tmp_path, expiring(NOW - 1)), WHERE))
    async with asyncio.timeout(30):
        await endpoint.reached.wait()
        await keys.close()
        await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
