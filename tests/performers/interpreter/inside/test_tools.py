"""Where `hearth_tools` comes from, and what it leaves alone."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.unchanged import unchanged_process, write

from hearth.performers.interpreter.inside import tool_modules, tools


@pytest.fixture(autouse=True)
def _unchanged(tmp_path: Path) -> Iterator[None]:
    finders = list(sys.meta_path)
    with unchanged_process(tmp_path):
        yield
    sys.meta_path[:] = finders


def test_it_is_asked_last_and_only_once(tmp_path: Path) -> None:
    tools.install(tmp_path / "old")
    tools.install(tmp_path)
    found = [one for one in sys.meta_path if isinstance(one, tools.Finder)]
    assert [one.folder for one in found] == [tmp_path]
    assert sys.meta_path[-1] is found[0]


def test_it_finds_nothing_else(tmp_path: Path) -> None:
    finder = tools.Finder(tmp_path)
    assert finder.find_spec("hearth") is None
    assert finder.find_spec("hearth_tools_of_mine") is None
    assert finder.find_spec("hearth_tools") is not None


def test_a_module_of_the_projects_is_found_first(tmp_path: Path) -> None:
    write(tmp_path / "hearth_tools.py", "mine = True\n")
    sys.path.insert(0, str(tmp_path))
    tools.install(tmp_path)
    import hearth_tools  # type: ignore[import-not-found]  # noqa: PLC0415 - it was just written

    assert hearth_tools.mine
    with pytest.raises(ModuleNotFoundError):
        __import__("hearth_tools.github")
    tools.forget()
    assert sys.modules["hearth_tools"] is hearth_tools


def test_what_is_ours_is_forgotten(tmp_path: Path) -> None:
    tools.install(tmp_path)
    import hearth_tools  # noqa: PLC0415 - installed just now

    sys.modules["hearth_tools.github"] = tool_modules.Server("github", tmp_path)
    assert tool_modules.is_ours(hearth_tools)
    tools.forget()
    assert "hearth_tools" not in sys.modules
    assert "hearth_tools.github" not in sys.modules
