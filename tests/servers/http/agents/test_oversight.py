"""The words for what is in no log."""

import msgspec
import pytest

from hearth.servers.http.agents.oversight import (
    GrantsListed,
    SandboxShown,
    ToExplain,
)


def test_what_is_shown_is_shown_in_full() -> None:
    assert msgspec.json.encode(SandboxShown(on=False, why="")) == b'{"on":false,"why":""}'
    assert msgspec.json.encode(GrantsListed((), "")) == b'{"grants":[],"problem":""}'


@pytest.mark.parametrize("directory", ["", "here", "/x\0y", "~"])
def test_a_command_is_explained_for_an_absolute_path(directory: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"command": "ls", "directory": directory}, ToExplain)
