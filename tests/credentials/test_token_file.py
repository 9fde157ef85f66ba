"""tokens.json is its owner's alone, written whole or not at all."""

import logging
import os
from pathlib import Path

import pytest

from hearth.credentials.token_file import PREFIX, TokenFile, TokensUnusable, fresh, opened, write


def test_a_new_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "tokens.json"
    made = opened(path)
    assert made.person.startswith(PREFIX)
    assert len(made.person) > 40
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert opened(path) == made
    assert list(path.parent.iterdir()) == [path]


def test_no_two_homes_have_the_same_secrets() -> None:
    one, other = fresh(), fresh()
    assert one.person != other.person
    assert one.secret != other.secret


def test_a_file_that_others_could_read_is_closed_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tokens.json"
    made = opened(path)
    path.chmod(0o644)
    with caplog.at_level(logging.WARNING):
        assert opened(path) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert "could be read by others" in caplog.text
    assert made.person not in caplog.text


@pytest.mark.parametrize("content", [b"", b"{", b'{"person":1}', b"\xff", b'{"person":"a"}'])
def test_a_broken_file_is_left_as_it_is_and_said(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_bytes(content)
    with pytest.raises(TokensUnusable) as raised:
        opened(path)
    assert str(path) in raised.value.what
    assert "move the file away" in raised.value.hint
    assert path.read_bytes() == content


def test_a_folder_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").mkdir()
    with pytest.raises(TokensUnusable, match="cannot be read"):
        opened(tmp_path / "tokens.json")
    with pytest.raises(TokensUnusable, match="cannot be written"):
        write(tmp_path / "tokens.json", fresh())
    assert [path.name for path in tmp_path.iterdir()] == ["tokens.json"]


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokens.json"
    made = opened(path)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TokensUnusable, match="No space left"):
        write(path, TokenFile(person="x", secret="y"))  # noqa: S106 - no secret of anybody
    assert opened(path) == made
    assert list(tmp_path.iterdir()) == [path]
