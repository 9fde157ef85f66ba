"""What every blob store must do, whichever store is behind it."""

import asyncio
from hashlib import sha256

import pytest
from tests.contracts.event_log import StoreMaker

from hearth.log.event_log import CorruptRow


class BlobStoreContract:
    """Derive once, in a module that has the fixture `open_log`."""

    async def test_content_comes_back_by_its_hash(self, open_log: StoreMaker) -> None:
        blobs = (await open_log.make()).blobs
        content = bytes(range(256)) * 1000
        blob = await blobs.put(content, "image/png")
        assert (blob.sha256, blob.size) == (sha256(content).hexdigest(), 256_000)
        assert blob.media_type == "image/png"
        assert await blobs.get(blob.sha256) == content

    async def test_putting_again_gives_the_same(self, open_log: StoreMaker) -> None:
        blobs = (await open_log.make()).blobs
        first = await blobs.put(b"the same")
        assert await blobs.put(b"the same") == first
        together = await asyncio.gather(*(blobs.put(b"at once") for _ in range(8)))
        assert len(set(together)) == 1
        assert await blobs.get(first.sha256) == b"the same"
        assert await blobs.get(together[0].sha256) == b"at once"
        assert first.sha256 != together[0].sha256

    async def test_text_shows_its_beginning(self, open_log: StoreMaker) -> None:
        blobs = (await open_log.make()).blobs
        blob = await blobs.put("größe ".encode() * 50_000)
        assert blob.head.startswith("größe größe ")
        assert "\ufffd" not in blob.head
        assert len(blob.head) < 2000
        assert (await blobs.put(b"\x89PNG\r\n", "image/png")).head == ""

    async def test_empty_content_is_content(self, open_log: StoreMaker) -> None:
        blobs = (await open_log.make()).blobs
        blob = await blobs.put(b"")
        assert blob.size == 0
        assert await blobs.get(blob.sha256) == b""

    @pytest.mark.parametrize("name", ["00" * 32, "", "../../etc/passwd", "zz" * 32, "ab", "\0"])
    async def test_unknown_content_is_a_key_error(self, open_log: StoreMaker, name: str) -> None:
        blobs = (await open_log.make()).blobs
        await blobs.put(b"something else")
        with pytest.raises(KeyError):
            await blobs.get(name)

    async def test_damaged_content_is_never_given(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        spoiled, kept = await log.blobs.put(b"spoiled"), await log.blobs.put(b"kept")
        await open_log.damage_blob(log, spoiled.sha256)
        with pytest.raises(CorruptRow):
            await log.blobs.get(spoiled.sha256)
        assert await log.blobs.get(kept.sha256) == b"kept"
        await log.blobs.put(b"spoiled")
        assert await log.blobs.get(spoiled.sha256) == b"spoiled"

    async def test_another_owner_sees_it(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        blob = await log.blobs.put(b"shared")
        assert await other.blobs.get(blob.sha256) == b"shared"
