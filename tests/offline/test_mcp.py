import json

import pytest
from tests.offline.mcp_user import User

from hearth.offline.mcp import ACTIONS, main


@pytest.mark.parametrize("word", ACTIONS)
def test_every_word_is_carried_out_and_refuses_what_it_does_not_know(user: User, word: str) -> None:
    said = user.says(word, "--nonsense")
    assert said.code == 2
    assert "does not know '--nonsense'" in said.err
    assert "hint: hearth mcp" in said.err


def test_help_tells_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--help"]) == 0
    said = capsys.readouterr().out
    assert "hearth mcp install" in said
    assert "hearth mcp add" not in said
    assert main(["help"]) == 0
    said = capsys.readouterr().out
    assert all(f"hearth mcp {word}" in said for word in ACTIONS)


def test_what_stands_behind_the_dashes_is_no_flag_of_ours(user: User) -> None:
    assert "added" in user.does("add", "a", "--", "x", "--help", "--json", "-h")
    assert user.servers()["a"]["args"] == ["--help", "--json", "-h"]


def test_what_is_not_known_is_told_with_what_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instal"]) == 2
    said = capsys.readouterr()
    assert "did you mean 'install'?" in said.err
    assert main(["install", "nothing", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "unknown_client"
