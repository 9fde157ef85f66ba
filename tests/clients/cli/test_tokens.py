"""`hearth token`."""

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon, answer


@pytest.fixture
def letting(daemon: FakeDaemon) -> FakeDaemon:
    bot = {"name": "bot", "standing": "read-only", "createdAt": "2020-01-02T03:04:05Z"}
    daemon.on("GET /tokens", {"tokens": [bot]})
    daemon.on("POST /tokens", {"name": "bot", "standing": "agent", "token": "s3"}, 201)
    daemon.does("DELETE /tokens/bot", lambda _: answer(b"", 204))
    daemon.on("POST /tokens/rotate", {"name": "ann", "standing": "person", "token": "new"})
    return daemon


def test_tokens_are_listed(run: Run, letting: FakeDaemon) -> None:
    done = run("token", "list")
    assert done.code == 0
    assert done.out.splitlines()[0].split() == ["NAME", "STANDING", "MADE"]
    assert "read-only" in done.out
    assert "days ago" in done.out
    assert run("token", "list", "--json").json["tokens"][0]["name"] == "bot"
    letting.on("GET /tokens", {"tokens": []})
    assert "hearth token new" in run("token", "list").out


def test_a_new_token_is_alone_on_stdout(run: Run, letting: FakeDaemon) -> None:
    done = run("token", "new", "bot")
    assert (done.code, done.out) == (0, "s3\n")
    assert "this once" in done.err
    assert letting.asked("POST /tokens")[0].body == {"name": "bot", "standing": "agent"}
    made = run("token", "new", "bot", "--standing", "read-only", "--json").json
    assert made == {"name": "bot", "standing": "read-only", "token": "s3"}


def test_a_token_is_removed(run: Run, letting: FakeDaemon) -> None:
    done = run("token", "remove", "bot")
    assert (done.code, done.out) == (0, "`bot` is let in no more\n")
    assert len(letting.asked("DELETE /tokens/bot")) == 1
    assert run("token", "remove", "nobody").code == 4


@pytest.mark.usefixtures("letting")
def test_the_persons_own_token_is_never_shown(run: Run) -> None:
    done = run("token", "rotate")
    assert done.code == 0
    assert "a new token" in done.out
    assert run("token", "rotate", "--json").json == {"rotated": True}


@pytest.mark.parametrize(
    "words",
    [
        ["new"],
        ["remove"],
        ["rotate", "bot"],
        ["list", "bot"],
        ["list", "--standing", "agent"],
        ["new", "bot", "--standing", "person"],
        ["new", "bot", "--standing", "god"],
    ],
)
def test_what_makes_no_sense_is_told_before_anybody_is_asked(
    run: Run, letting: FakeDaemon, words: list[str]
) -> None:
    done = run("token", *words)
    assert done.code == 2
    assert "hint: " in done.err
    assert letting.seen == []
