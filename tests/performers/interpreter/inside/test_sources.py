import importlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.unchanged import unchanged_process, write

from hearth.performers.interpreter.inside import sources
from hearth.performers.interpreter.inside.sources import (
    SOURCES,
    digest,
    is_source,
    modules_from,
    site_of,
)


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    with unchanged_process(tmp_path):
        sys.path.insert(0, str(tmp_path))
        yield


def test_files_of_python_of_distributions_and_of_hearths_inside_are_no_sources() -> None:
    assert is_source("/home/me/shop/cart.py")
    assert not is_source("/home/me/.venv/lib/python3.11/site-packages/numpy/__init__.py")
    assert not is_source("/usr/lib/python3/dist-packages/six.py")
    assert not is_source(os.__file__)
    assert not is_source(sources.__file__)
    assert not is_source("<string>")
    assert not is_source("")


def test_the_folder_of_an_installed_file_is_found() -> None:
    assert site_of("/v/lib/site-packages/numpy/core/x.py") == "/v/lib/site-packages"
    assert site_of("/usr/dist-packages/six.py") == "/usr/dist-packages"
    assert site_of("/home/me/site-packages.py") == ""


def test_what_is_under_the_root_or_a_search_path_is_ours(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    SOURCES.begin(str(tmp_path / "link"), ("/other/src",))
    assert SOURCES.is_ours(str(tmp_path / "a.py"))
    assert SOURCES.is_ours(str(tmp_path / "link" / "a.py"))
    assert SOURCES.is_ours("/other/src/a.py")
    assert not SOURCES.is_ours("/other/srcs/a.py")
    assert not SOURCES.is_ours(str(tmp_path / "site-packages" / "a.py"))


def test_before_anything_is_prepared_nothing_is_ours() -> None:
    assert not SOURCES.is_ours("/a.py")


def test_a_module_is_known_by_what_its_file_said_when_it_was_loaded(tmp_path: Path) -> None:
    file = write(tmp_path / "shop_x.py", "a = 1")
    assert "shop_x" not in SOURCES.loaded()
    importlib.import_module("shop_x")
    loaded = SOURCES.loaded()["shop_x"]
    assert loaded == (str(file), digest(b"a = 1"), b"a = 1")
    file.write_text("a = 2", "utf-8")
    assert SOURCES.loaded()["shop_x"] is loaded
    assert "os" not in SOURCES.loaded()
    assert "pytest" not in SOURCES.loaded()


def test_a_module_that_the_user_loads_anew_is_noticed(tmp_path: Path) -> None:
    file = write(tmp_path / "shop_x.py", "a = 1")
    module = importlib.import_module("shop_x")
    SOURCES.loaded()
    before = SOURCES.changes
    write(file, "a = 222")
    importlib.reload(module)
    SOURCES.look_again()
    assert SOURCES.loaded()["shop_x"].digest == digest(b"a = 222")
    assert SOURCES.changes > before


def test_what_was_reloaded_here_is_known_by_its_new_content(tmp_path: Path) -> None:
    file = write(tmp_path / "shop_x.py", "a = 1")
    importlib.import_module("shop_x")
    SOURCES.loaded()
    SOURCES.replace("shop_x", str(file), b"a = 3")
    SOURCES.look_again()
    assert SOURCES.loaded()["shop_x"].content == b"a = 3"


def test_a_module_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    write(tmp_path / "shop_x.py", "")
    importlib.import_module("shop_x")
    SOURCES.loaded()
    del sys.modules["shop_x"]
    SOURCES.look_again()
    assert "shop_x" not in SOURCES.loaded()


def test_the_projects_own_modules_can_be_forgotten(tmp_path: Path) -> None:
    write(tmp_path / "shop_x" / "__init__.py", "")
    write(tmp_path / "shop_x" / "cart.py", "")
    importlib.import_module("shop_x.cart")
    SOURCES.begin(str(tmp_path), ())
    assert SOURCES.forget() == ["shop_x", "shop_x.cart"]
    assert "shop_x" not in sys.modules
    assert not {"shop_x", "shop_x.cart"} & SOURCES.loaded().keys()
    assert "os" in sys.modules


def test_a_large_file_is_known_by_its_hash_alone(tmp_path: Path) -> None:
    content = "#" * 1_000_001
    write(tmp_path / "shop_x.py", content)
    importlib.import_module("shop_x")
    assert SOURCES.loaded()["shop_x"][1:] == (digest(content.encode()), b"")


def test_a_file_that_is_gone_says_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "shop_x.py", "")
    importlib.import_module("shop_x")
    file.unlink()
    assert SOURCES.loaded()["shop_x"] == (str(file), "", b"")


class TestAFileThatMayHaveBeenSavedSince:
    def test_is_not_taken_for_what_is_loaded(self, tmp_path: Path) -> None:
        file = write(tmp_path / "shop_x.py", "a = 1")
        importlib.import_module("shop_x")
        file.write_text("a = 2", "utf-8")  # saved between the import and the first look
        _, hashed, content = SOURCES.loaded()["shop_x"]
        assert content == b""
        assert hashed not in {digest(b"a = 1"), digest(b"a = 2")}

    def test_is_believed_if_bytecode_was_made_from_it(self, tmp_path: Path) -> None:
        sys.dont_write_bytecode = False
        file = write(tmp_path / "shop_x.py", "a = 1")
        soon = time.time() + 1000
        os.utime(file, (soon, soon))
        importlib.import_module("shop_x")
        assert SOURCES.loaded()["shop_x"].content == b"a = 1"

    def test_is_not_if_it_was_made_from_another(self, tmp_path: Path) -> None:
        sys.dont_write_bytecode = False
        file = write(tmp_path / "shop_x.py", "a = 1")
        importlib.import_module("shop_x")
        file.write_text("a = 2", "utf-8")
        assert SOURCES.loaded()["shop_x"].content == b""


def test_the_modules_of_a_file_are_found_also_through_links(tmp_path: Path) -> None:
    write(tmp_path / "real" / "shop_x.py", "")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    sys.path.insert(0, str(tmp_path / "link"))
    module = importlib.import_module("shop_x")
    assert modules_from(str(tmp_path / "real" / "shop_x.py")) == [("shop_x", module)]
    assert modules_from(str(tmp_path / "real" / "other.py")) == []
    assert modules_from(sources.__file__) == []


def test_a_copy_takes_up_what_another_thread_had_half_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "begun_upon.py", "x = 1\n")
    module = importlib.import_module("begun_upon")
    SOURCES.loaded()
    SOURCES._lock.acquire()
    del SOURCES._seen["begun_upon"]  # it was about to be read
    SOURCES.begin_anew()
    assert SOURCES.loaded()["begun_upon"].file == module.__file__
    lock, count = SOURCES._lock, SOURCES._count
    SOURCES.begin_anew()
    assert (SOURCES._lock, SOURCES._count) == (lock, count), "nobody looked: all is as it was"
