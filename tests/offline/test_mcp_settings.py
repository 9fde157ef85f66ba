import pytest
from tests.offline.mcp_user import User

from hearth.offline.answering import Trouble
from hearth.offline.mcp_settings import check_name, here, open_secrets, servers_in
from hearth.settings.jsonc import Json


def test_here_is_the_project_and_its_files(user: User) -> None:
    (user.project / "sub").mkdir()
    where = here(str(user.project / "sub"))
    assert where.root == user.project
    assert where.file(is_project=True) == user.theirs
    assert where.file(is_project=False) == user.mine
    assert where.home == user.hearth


def test_a_folder_that_is_not_there_is_refused(user: User) -> None:
    with pytest.raises(Trouble, match="there is no folder"):
        here(str(user.project / "none"))
    assert "there is no folder" in user.fails("list", "--proj", "none")


def test_a_file_without_servers_has_none(user: User) -> None:
    assert servers_in(user.mine) == {}
    user.writes('{"mcpServers": 3}')
    assert servers_in(user.mine) == {}
    user.writes("[")
    with pytest.raises(Trouble):
        servers_in(user.mine)


def test_names_are_those_that_tools_can_carry() -> None:
    assert check_name("a-B9") == "a-B9"
    for name in ("", "a.b", "a b", "ä", "a\n"):
        with pytest.raises(Trouble):
            check_name(name)


def test_a_secret_that_stands_there_is_told_from_a_reference_to_one() -> None:
    server: dict[str, Json] = {
        "env": {"TOKEN": "abcdef12345", "OTHER_TOKEN": "${T:-none}", "HOME_TOKEN": 5, "PLACE": "a"},
        "headers": {"Authorization": "Bearer abcdef12345", "X-Api-Key": "${KEY}"},
    }
    assert open_secrets(server) == ["TOKEN", "Authorization"]
    assert open_secrets({"command": "x", "env": None}) == []


def test_what_cannot_be_written_is_told(user: User) -> None:
    user.mine.parent.mkdir(parents=True)
    user.mine.mkdir()
    assert "hearth.jsonc" in user.fails("add", "a", "--", "x")
