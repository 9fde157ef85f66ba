import os
from pathlib import Path

import pytest

from hearth.settings.problems import SettingsError
from hearth.settings.reading import LARGEST, parse, read_bytes


def test_a_file_is_read_up_to_the_first_byte_too_many(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 20)
    assert read_bytes(tmp_path / "f") == b"x" * 20
    assert read_bytes(tmp_path / "f", largest=5) == b"x" * 6


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_bytes(tmp_path / "f") is None


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused_without_waiting(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "f")
    with pytest.raises(SettingsError) as refused:
        read_bytes(tmp_path / "f")
    assert refused.value.what == "cannot be read: it is no file"


def test_a_file_that_is_too_large_is_refused() -> None:
    with pytest.raises(SettingsError, match="larger than"):
        parse(b" " * (LARGEST + 1), Path("/f"))
