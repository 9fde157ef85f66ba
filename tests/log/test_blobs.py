"""Content by its hash, on every store and as files."""

from pathlib import Path

import pytest
from tests.contracts.blob_store import BlobStoreContract
from tests.contracts.facts import draft_of, renamed

from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.events import CellFinished
from hearth.core.vocabulary.ids import CellId
from hearth.log.blobs import BlobFiles, fits, references
from hearth.log.event_log import StoreDown


class TestBlobs(BlobStoreContract):
    """On memory, SQLite and PostgreSQL."""


def test_a_blob_is_one_file_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    blobs = BlobFiles(tmp_path / "blobs")
    blob = blobs.put_now(b"content")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / "blobs" / blob.sha256[:2] / blob.sha256[2:]]
    assert list(blobs.digests()) == [blob.sha256]


def test_content_is_durable_before_it_has_its_name_and_the_name_after(
    tmp_path: Path, synced: list[Path]
) -> None:
    blobs = BlobFiles(tmp_path / "blobs")
    path = blobs.path_of(blobs.put_now(b"content").sha256)
    aside, *directories = synced
    assert aside.parent == path.parent
    assert aside != path
    assert directories == [path.parent, tmp_path / "blobs", tmp_path]
    synced.clear()
    blobs.put_now(b"content")
    assert synced == []


async def test_putting_again_does_not_write_again(tmp_path: Path) -> None:
    blobs = BlobFiles(tmp_path)
    blob = await blobs.put(b"content")
    before = blobs.path_of(blob.sha256).stat()
    await blobs.put(b"content")
    after = blobs.path_of(blob.sha256).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("a file, not a directory")
    with pytest.raises(StoreDown, match="blobs"):
        await BlobFiles(tmp_path / "blobs").put(b"content")
    assert (tmp_path / "blobs").read_text() == "a file, not a directory"


def test_references_are_found_wherever_text_may_stand() -> None:
    value, shown, said = (Blob(letter * 64, 9) for letter in "abc")
    finished = draft_of(
        CellFinished(
            CellId("c1"),
            0.1,
            value=value,
            outputs=(RichData({"image/png": shown, "sha256": "text"}), StreamText("stdout", said)),
        )
    )
    assert references(finished.data) == ["a" * 64, "b" * 64, "c" * 64]
    assert references(renamed('{"sha256": "d", "size": 1}').data) == []
    assert references(b'{"sha256":') == []


def test_content_fits_only_its_own_hash() -> None:
    blob = Blob("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", 3)
    assert fits(b"foo", blob.sha256)
    assert not fits(b"fop", blob.sha256)
