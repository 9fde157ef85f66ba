"""`hearth log search`."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.contracts.given import CONFIG, said
from tests.contracts.playing_talks import Talk, call, thinking
from tests.offline.talked import keep
from tests.offline.test_log import Cli

from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.events import SessionStarted
from hearth.core.vocabulary.ids import SessionId

DAY = 24 * 3600


def in_folder(talk: Talk, directory: str) -> Talk:
    """The same in another folder."""
    first = talk.facts[0]
    assert isinstance(first.event, SessionStarted)
    talk.facts[0] = replace(first, event=SessionStarted(replace(CONFIG, directory=directory)))
    return talk


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    home = tmp_path / "home"
    monkeypatch.setenv("HEARTH_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TZ", "UTC")
    loom = Talk(SessionId("session-loom")).says("where is the shuttle?")
    loom.answers(thinking("ponder", "{}"), call("look", path="weft.py")).returns("found a bobbin")
    loom.answers("in the warp")
    later = Talk(SessionId("session-late")).goes(
        said(p.SendMessage("the shuttle again"), at=2 * DAY)
    )
    keep(home, in_folder(loom, "/home/anna/loom/src"), in_folder(later, "/home/anna/other"))
    return Cli(home, capsys)


def sessions(cli: Cli, *words: str) -> list[str]:
    return [hit["session"] for hit in cli.json("search", *words)["hits"]]


@pytest.mark.promise("DP-SESS-03")
@pytest.mark.parametrize("word", ["shuttle", "ponder", "weft", "bobbin", "warp", "look"])
def test_what_people_and_models_and_tools_said_is_found(cli: Cli, word: str) -> None:
    assert "session-loom" in sessions(cli, word)


@pytest.mark.promise("DP-SESS-03")
def test_only_some_times_and_some_projects(cli: Cli) -> None:
    assert set(sessions(cli, "shuttle")) == {"session-loom", "session-late"}
    assert sessions(cli, "shuttle", "--since", "2026-03-02") == ["session-late"]
    assert sessions(cli, "shuttle", "--until", "2026-03-01") == ["session-loom"]
    assert sessions(cli, "shuttle", "--until", "2026-03-03T11:00") == ["session-loom"]
    assert sessions(cli, "shuttle", "--proj", "/home/anna/loom") == ["session-loom"]
    assert sessions(cli, "shuttle", "--proj", "/home/anna/lo") == []
    assert sessions(cli, "shuttle", "--session", "late") == ["session-late"]
    assert len(sessions(cli, "shuttle", "--limit", "1")) == 1


def test_a_line_says_when_where_and_what(cli: Cli) -> None:
    told = cli("search", "bobbin")
    assert told.startswith("[2026-03-01 12:00] session-loom src: ")
    assert "found a bobbin" in told
    assert told.count("\n") == 1
    assert cli.code == 0


def test_nothing_found_is_said_and_is_no_success(cli: Cli) -> None:
    assert cli("search", "unicorn") == "nothing was found\n"
    assert cli.code == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--since", "yesterday"), "--since cannot be 'yesterday'"),
        (("--limit", "none"), "--limit cannot be 'none'"),
        (("--limit", "0"), "--limit cannot be '0'"),
        (("--session", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, words: tuple[str, ...], why: str) -> None:
    assert why in cli.refused("search", "shuttle", *words)[1]
