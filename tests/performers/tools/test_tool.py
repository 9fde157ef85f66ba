from pathlib import Path

from tests.performers.tools.staging import SESSION, Pretended

from hearth.core.vocabulary.commands import SessionConfig, SessionMode
from hearth.performers.tools.tool import Outcome, Scene, Tool, directory_of, project_of, root_of


def test_a_session_works_in_its_directory_or_at_home() -> None:
    assert directory_of(SessionConfig(directory="/x")) == "/x"
    assert directory_of(SessionConfig()) == str(Path.home())


def test_a_bare_session_belongs_to_no_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    here = str(tmp_path)
    assert project_of(SessionConfig(directory=here, mode=SessionMode.BARE)) == ""
    assert root_of(SessionConfig(directory=here, mode=SessionMode.BARE)) == ""
    assert root_of(SessionConfig()) == ""
    assert project_of(SessionConfig(directory=here)) == here


def test_the_root_is_that_of_the_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    assert root_of(SessionConfig(directory=str(tmp_path / "below"))) == str(tmp_path)


async def test_what_a_tool_shows_may_be_seen_by_nobody() -> None:
    tool: Tool = Pretended()
    scene = Scene(SESSION, "/x")
    scene.show("nobody looks on")
    assert tool.is_offered(scene)
    assert await tool.run({}, scene) == Outcome("done", is_error=False, files=())
