import pytest

from hearth.performers.judging.shell.git_config import check_config
from hearth.performers.judging.shell.proving import Unproven


@pytest.mark.parametrize(
    "line",
    [
        "--get user.name", "--get-all remote.origin.fetch", "get core.bare", "--local --list",
        "--list --local --show-origin", "--local --get-regexp ^remote", "--get remote.a.b.url",
        "user.name",
    ],
)  # fmt: skip
def test_what_is_in_the_repository_or_plain_may_be_shown(line: str) -> None:
    check_config(tuple(line.split()))


@pytest.mark.parametrize(
    "line",
    [
        "", "--list", "-l", "list --global", "--get-regexp .", "--get http.extraheader",
        "--get url.x.insteadof", "--get http.https://x.extraheader", "http.extraheader",
        "user.name x",
        "--local user.name x", "--get", "--local", "--unset a.b", "--get -f x user.name",
        "--list --file x", "--local --edit", "--get --default x --type y user.name",
    ],
)  # fmt: skip
def test_what_is_a_persons_own_or_is_set_is_not(line: str) -> None:
    with pytest.raises(Unproven):
        check_config(tuple(line.split()))
