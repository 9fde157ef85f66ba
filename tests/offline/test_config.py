import json
import os
from pathlib import Path

import pytest
from tests.offline.permitting import Said
from tests.repo.tree import DOCS

from hearth.offline.config import main
from hearth.settings.layers import ENVIRONMENT
from hearth.settings.schema import DEFAULT_MODEL
from hearth.settings.trust import TrustBook, evidence


class Person:
    """Somebody at a command line, in a project."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.mine = folder / "config" / "hearth" / "hearth.jsonc"
        self.home = folder / "home"
        self.project = folder / "project"
        (self.project / ".git").mkdir(parents=True)
        self.theirs = self.project / "hearth.jsonc"
        self._capsys = capsys

    def says(self, *words: str) -> Said:
        code = main(list(words))
        written = self._capsys.readouterr()
        assert "Traceback" not in written.out + written.err
        return Said(code, written.out, written.err)

    def writes(self, text: str) -> None:
        self.mine.parent.mkdir(parents=True, exist_ok=True)
        self.mine.write_text(text)

    def trusts(self) -> None:
        TrustBook(self.home / "trust.json").trust(self.project, evidence(self.project).digest)


@pytest.fixture
def person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Person:
    person = Person(tmp_path, capsys)
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(person.mine.parent.parent))
    monkeypatch.setenv("HEARTH_HOME", str(person.home))
    monkeypatch.chdir(person.project)
    return person


@pytest.mark.promise("DL-CONF-06")
def test_where_nothing_is_set_that_is_said(person: Person) -> None:
    said = person.says()
    assert said.code == 0
    assert said.out.split() == ["model", DEFAULT_MODEL, "built", "in"]
    assert "nothing is set" in said.err
    assert person.says("--json").json == {
        "directory": str(person.project),
        "values": {"model": DEFAULT_MODEL},
        "given": {"model": {"source": "built in", "line": None}},
        "sources": [],
        "warnings": [],
    }
    assert not person.home.exists(), "looking makes nothing"
    assert not person.mine.exists()


@pytest.mark.promise("DL-CONF-02", "DL-CONF-09")
def test_what_holds_is_shown_with_where_it_came_from(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.writes('{"maxTurns": 3,\n"provider": {"openai": {"apiKey": "sk-secret"}}}')
    person.theirs.write_text('{\n\n"maxRetries": 2}')
    person.trusts()
    monkeypatch.setenv("HEARTH_MODEL", "from outside")
    said = person.says()
    assert [line.split(maxsplit=1)[0] for line in said.out.splitlines()] == [
        "model",
        "provider.openai.apiKey",
        "maxTurns",
        "maxRetries",
    ]
    for line, end in zip(
        said.out.splitlines(),
        ("$HEARTH_MODEL", f"{person.mine}:2", f"{person.mine}:1", f"{person.theirs}:3"),
        strict=True,
    ):
        assert line.endswith(end)
    assert "secret" not in said.out + said.err
    assert said.err == ""
    found = person.says("--json").json
    assert found["values"]["provider.openai.apiKey"] == "********"
    assert found["sources"] == [str(person.mine), str(person.theirs), "environment"]


@pytest.mark.promise("DL-CONF-12")
def test_a_broken_file_is_a_warning_beside_the_answer(person: Person) -> None:
    person.writes('{"maxTurns": 3}')
    person.theirs.write_text('{"modle": "x"}')
    said = person.says()
    assert said.code == 0
    assert f"warning: {person.theirs}:1: modle: " in said.err
    assert '"model"' in said.err
    assert "maxTurns" in said.out
    assert "warning" not in said.out
    assert len(person.says("--json").json["warnings"]) == 1


def test_what_waits_for_trust_is_told_until_it_is_given(person: Person) -> None:
    person.theirs.write_text('{"maxTurns": 3}')
    said = person.says("explain", "maxTurns")
    assert said.out.startswith("maxTurns is not set")
    assert "until you trust this project" in said.out
    assert "hearth trust" in said.err
    person.trusts()
    said = person.says("explain", "maxTurns")
    assert said.out.startswith("maxTurns = 3\n")
    assert f"from {person.theirs}:1" in said.out
    assert said.err == ""


def test_a_book_of_trust_that_cannot_be_used_is_told(person: Person) -> None:
    person.home.mkdir()
    (person.home / "trust.json").write_text("{")
    assert "no project is trusted" in person.says().err


def test_another_directory_can_be_asked_for(person: Person, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "hearth.jsonc").write_text('{"session": {"sessionName": "shop"}}')
    for words in (
        ["--directory", str(other)],
        [f"--directory={other}"],
        ["explain", "session.sessionName", "--directory", str(other)],
        ["--directory", str(other), "explain", "session.sessionName"],
        [f"--directory={other}", "explain", "session.sessionName"],
    ):
        said = person.says(*words)
        assert (said.code, "shop" in said.out) == (0, True), words
    assert "shop" not in person.says().out


@pytest.mark.parametrize("name", ["nowhere", "~nobody-of-this-name", "a\0b", ""])
def test_a_directory_that_is_not_there_is_said(person: Person, name: str) -> None:
    if not name:
        os.chdir("/")
        gone = person.project / "gone"
        gone.mkdir()
        os.chdir(gone)
        gone.rmdir()
        said = person.says()
    else:
        said = person.says("--directory", name)
    assert said.code == 1
    assert said.out == ""
    assert "there is no folder" in said.err
    assert "hint: " in said.err


@pytest.mark.promise("DL-CONF-13")
def test_a_key_is_set_in_the_persons_file_and_comments_stay(person: Person) -> None:
    person.writes('{\n  // mine\n  "maxTurns": 3 // few\n}\n')
    said = person.says("set", "maxTurns", "9")
    assert (said.code, said.out, said.err) == (0, f"maxTurns is set in {person.mine}\n", "")
    assert person.mine.read_text() == '{\n  // mine\n  "maxTurns": 9 // few\n}\n'
    assert person.says("set", "daemon.watch", "false", "--json").json == {
        "key": "daemon.watch",
        "file": str(person.mine),
    }
    assert "false" in person.says().out


def test_a_key_is_set_in_the_projects_file_and_trust_is_asked_for(person: Person) -> None:
    said = person.says("set", "maxTurns", "9", "--project")
    assert said.code == 0
    assert json.loads(person.theirs.read_text()) == {"maxTurns": 9}
    assert "hearth trust" in said.err
    assert not person.mine.exists()


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("model", "m", "m"),
        ("model", '"quoted"', "quoted"),
        ("model", "5", "5"),
        ("model", "null", "null"),
        ("instructions", '["a", "b"]', ["a", "b"]),
        ("interpreter.memory", "2 GiB", "2 GiB"),
        ("interpreter.memory", "4096", 4096),
        ("interpreter.memory", "unlimited", "unlimited"),
        ("interpreter.answer", "0.5", 0.5),
        ("daemon.watch", "true", True),
        ("daemon.database", "sqlite:///a?b=c", "sqlite:///a?b=c"),
    ],
)
def test_what_is_written_is_what_the_key_takes(
    person: Person, key: str, text: str, value: object
) -> None:
    assert person.says("set", key, text).code == 0
    found = json.loads(person.mine.read_text())
    for part in key.split("."):
        found = found[part]
    assert found == value


@pytest.mark.parametrize(
    ("words", "code", "what", "hint"),
    [
        (["set", "maxTurns", "0"], 2, "maxTurns: is too small", "a whole number above 0"),
        (["set", "maxTurns", "many"], 2, "maxTurns: is a text", "a whole number above 0"),
        (["set", "maxturns", "5"], 2, "maxturns is no key", '"maxTurns"'),
        (["set", "maxTurns"], 2, "VALUE is missing", "hearth config set KEY VALUE"),
        (["set", "daemon.port", "5", "--project"], 1, "cannot be set by a project", "--project"),
        (["set", "permissions.mode", "auto", "--project"], 1, "cannot be set by a project", "own"),
        (["set", "permissions.read", "alow"], 2, "permissions.read: is no action", '"deny"'),
        (["set", "permissions.a b", "deny"], 2, "permissions.a b is no key", "a name of letters"),
        (["set", "session.isRoot", "true"], 1, "only be set by a project", "--project"),
        (["explain"], 2, "KEY is missing", "hearth config explain KEY"),
        (["explain", "daemon"], 2, "daemon is no key", "right would be"),
        (["exlain", "model"], 2, "there is no 'exlain'; did you mean 'explain'?", "config help"),
        (["--nonsense"], 2, "--nonsense", "hearth config"),
    ],
)
def test_what_cannot_be_done_says_why_and_what_would_help(
    person: Person, words: list[str], code: int, what: str, hint: str
) -> None:
    said = person.says(*words)
    assert (said.code, said.out) == (code, "")
    error, rest = said.err.split("\n", 1)
    assert what in error
    assert hint in rest
    assert not person.mine.exists()
    assert not person.theirs.exists()
    error = person.says(*words, "--json").json["error"]
    assert set(error) == {"code", "message", "hint"}


def test_rules_are_set_and_explained_with_what_is_wrong_with_them(person: Person) -> None:
    person.writes('{"permissions": {\n  "read": "allow",\n}}')
    said = person.says("set", "permissions.execute", '{"npm test": "allow", "*": "ask"}')
    assert said.code == 0
    said = person.says("explain", "permissions.execute")
    assert said.out.startswith('permissions.execute = {"npm test": "allow", "*": "ask"}\n')
    assert f"{person.mine}:4: permissions.execute.npm test: never counts" in said.err
    assert "never counts" not in person.says("explain", "permissions.read").err
    assert "never counts" in person.says().err
    told = person.says("--json").json
    assert told["values"]["permissions.read"] == "allow"
    assert told["values"]["permissions.execute"] == {"npm test": "allow", "*": "ask"}


def test_a_file_that_is_broken_is_not_written_to(person: Person) -> None:
    person.writes('{"modle": 1}')
    said = person.says("set", "model", "m")
    assert said.code == 1
    assert f"{person.mine}:1: modle" in said.err
    assert person.mine.read_text() == '{"modle": 1}'


def test_a_file_that_cannot_be_written_is_said(person: Person) -> None:
    person.mine.parent.parent.mkdir()
    person.mine.parent.write_text("in the way")
    said = person.says("set", "model", "m")
    assert said.code == 1
    assert "cannot be written" in said.err
    assert "hint: " in said.err


def test_the_files_that_are_looked_at_are_told(person: Person) -> None:
    person.writes("{}")
    said = person.says("path")
    assert said.out.splitlines() == [
        f"yours    {person.mine}",
        f"project  {person.theirs}  (not there)",
    ]
    assert person.says("path", "--json").json == {
        "yours": {"file": str(person.mine), "exists": True},
        "project": {"file": str(person.theirs), "exists": False},
    }


def test_the_schema_is_the_published_one(person: Person) -> None:
    published = (DOCS / "hearth.schema.json").read_text("utf-8")
    assert person.says("schema").out == published
    assert person.says("schema", "--json").json == json.loads(published)


def test_help_lists_what_there_is(person: Person) -> None:
    for word in ("help", "--help", "-h"):
        said = person.says(word)
        assert said.code == 0
        for action in ("explain KEY", "set KEY VALUE", "path", "schema"):
            assert f"hearth config {action}" in said.out


def test_nothing_that_a_terminal_would_obey_is_written(person: Person) -> None:
    person.theirs.write_text('{"\\u001b]0;evil": 1}')
    said = person.says()
    assert "evil" in said.err
    assert "\x1b" not in said.err + said.out
