"""Projects and servers for the tests of language servers."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.performers.interpreter.checking.pretended_server import written

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_server.detecting import ServerSpec, specs_of
from hearth.performers.language_server.pool import Bounds
from hearth.performers.language_server.server import Ways
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.tools.tool import Scene

PATIENT = Bounds(after_write=60, asking=60, survey_unasked=60, quick=30)
"""That servers are quick is not what most tests are about: the machine may be busy."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project in Python with one setting of its own for ruff."""
    root = tmp_path / "project"
    root.mkdir()
    text = '[project]\nname = "x"\nversion = "1"\n[tool.ruff.lint]\nselect = ["F"]\n'
    (root / "pyproject.toml").write_text(text)
    return root


@pytest.fixture
def scene(root: Path) -> Scene:
    return Scene(SessionId("one"), str(root), str(root), agent="a")


@pytest.fixture
async def servers() -> AsyncIterator[LanguageServers]:
    """The real ones."""
    servers = LanguageServers(specs_of, bounds=PATIENT)
    yield servers
    await servers.close()


@pytest.fixture
def pretended(tmp_path: Path) -> Callable[[str], ServerSpec]:
    """The spec of a pretended server that plays a part."""

    def spec(part: str) -> ServerSpec:
        return ServerSpec("curious", (written(tmp_path, part),), ("*.py",), options={"a": {"b": 7}})

    return spec


@pytest.fixture
async def serving(
    pretended: Callable[[str], ServerSpec],
) -> AsyncIterator[Callable[..., LanguageServers]]:
    """Makes servers of which one pretended one is there."""
    made: list[LanguageServers] = []

    def serve(part: str, ways: Ways | None = None, bounds: Bounds = PATIENT) -> LanguageServers:
        spec = pretended(part)
        servers = LanguageServers(lambda _: (spec,), ways, bounds)
        made.append(servers)
        return servers

    yield serve
    for one in made:
        await one.close()
