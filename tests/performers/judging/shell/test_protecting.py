import os

import pytest

from hearth.performers.judging.shell.protecting import forbidden
from hearth.performers.judging.shell.proving import Argument


def _forbidden(line: str) -> str:
    name, *words = line.replace("PID", str(os.getpid())).split()
    return forbidden(name, tuple(Argument(word, word) for word in words))


@pytest.mark.parametrize(
    "line",
    [
        "hearth", "hearth stop", "hearth approvals answer 1", "/usr/bin/hearth stop",
        "python3 -m hearth stop", "uv run hearth stop", "kill PID", "kill -9 PID",
        "kill -TERM -PID",
        "kill -9 -1", "pkill -f hearth", "killall hearth",
    ],
)  # fmt: skip
def test_what_is_for_people_alone_is_forbidden(line: str) -> None:
    assert _forbidden(line)


@pytest.mark.parametrize(
    "line",
    ["hearth status", "hearth --version", "kill 99999999", "kill -1 99999999", "pkill node", "ls"],
)
def test_other_commands_are_not(line: str) -> None:
    assert _forbidden(line) == ""
