"""The browser's half of Datastar: the one we know, with our mends, and with its licences."""

import importlib.util
from hashlib import sha256
from types import ModuleType

import pytest
from tests.repo.tree import ROOT


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    pytest.importorskip("hatchling")
    spec.loader.exec_module(module)
    return module


def test_another_script_is_refused(build: ModuleType) -> None:
    with pytest.raises(ValueError, match="another than the one"):
        build.mended("alert(1)")


def test_a_script_in_which_a_mend_has_no_place_is_refused(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for source in ("nothing of it", build.MENDS[0][0] * 2):
        monkeypatch.setattr(build, "TAKEN", sha256(source.encode()).hexdigest())
        with pytest.raises(ValueError, match="not there once"):
            build.mended(source)
    source = ";".join(old for old, _ in build.MENDS) + "\n//# sourceMappingURL=x"
    monkeypatch.setattr(build, "TAKEN", sha256(source.encode()).hexdigest())
    made = build.mended(source)
    assert made.startswith(build.HEADER)
    assert "sourceMappingURL" not in made


def test_what_is_shipped_is_what_the_mends_make(build: ModuleType) -> None:
    script = ROOT / build.STATIC / "datastar.js"
    source = script.read_text("utf-8")
    assert sha256(script.read_bytes()).hexdigest() == build.MADE
    assert source.startswith(build.HEADER)
    for old, new in build.MENDS:
        assert source.count(new) == 1
        assert old not in source


def test_licences_are_beside_it(build: ModuleType) -> None:
    words = (ROOT / build.STATIC / "licences.txt").read_text("utf-8")
    for title, _ in build.LICENCES:
        assert title in words
    assert "Permission is hereby granted" in words
    assert "Apache License" in words
