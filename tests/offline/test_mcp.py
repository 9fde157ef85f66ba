import json

import pytest

from hearth.offline.mcp import main


def test_help_tells_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--help"]) == 0
    assert "hearth mcp install" in capsys.readouterr().out


def test_what_is_not_known_is_told_with_what_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["instal"]) == 2
    said = capsys.readouterr()
    assert "did you mean 'install'?" in said.err
    assert main(["install", "nothing", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "unknown_client"
