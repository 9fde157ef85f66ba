import json
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from hearth.offline.answering import Trouble
from hearth.offline.mcp_install import CLIENTS, install, program


@pytest.fixture(autouse=True)
def _named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/hearth")


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_told_to_start_the_bridge(client: str) -> None:
    answer = install(client)
    told = answer.value
    assert told["starts"][1] == "mcp"
    assert answer.lines == (told["command"] or told["snippet"],)
    assert "hearth" in answer.lines[0]
    if told["snippet"].startswith("{"):
        written = json.loads(told["snippet"])
        (group,) = written.values()
        entry = group["hearth"]
        command = entry["command"]
        words = command if isinstance(command, list) else [command, *entry["args"]]
        assert words == told["starts"]


def test_lines_are_those_that_clients_take() -> None:
    assert install("claude-code").lines == ("claude mcp add --scope user hearth -- hearth mcp",)
    assert install("codex").lines == ("codex mcp add hearth -- hearth mcp",)
    assert install("gemini").lines == ("gemini mcp add --scope user hearth hearth mcp",)
    (line,) = install("vscode").lines
    assert json.loads(shlex.split(line)[2]) == {
        "name": "hearth",
        "command": "hearth",
        "args": ["mcp"],
    }
    written = tomllib.loads(install("codex").value["snippet"])
    assert written == {"mcp_servers": {"hearth": {"command": "hearth", "args": ["mcp"]}}}


def test_what_goes_into_a_file_is_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    (snippet,) = install("cursor").lines
    assert json.loads(snippet)
    assert ".cursor/mcp.json" in capsys.readouterr().err


def test_a_folder_is_said_where_the_client_has_none() -> None:
    assert install("claude-desktop").value["starts"][2:] == ["--proj", "/path/to/your/project"]
    assert install("claude-desktop", "/shop").value["starts"][2:] == ["--proj", "/shop"]
    assert install("codex", "/a b").lines == ("codex mcp add hearth -- hearth mcp --proj '/a b'",)
    # Its command line would take the flag for its own.
    assert json.loads(install("gemini", "/shop").lines[0])


def test_without_a_client_all_are_listed_and_one_that_is_not_known_is_refused() -> None:
    assert [line.split()[0] for line in install(None).lines] == list(CLIENTS)
    assert install("claude").value["client"] == "claude-code"
    with pytest.raises(Trouble, match="did you mean 'cursor'") as refused:
        install("curser")
    assert "claude-desktop" in refused.value.hint
    assert refused.value.exit_code == 2


def test_where_the_name_finds_nothing_the_whole_path_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert program() == "hearth"
    assert Path(program(is_whole=True)).is_absolute()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert Path(program()).is_absolute()
