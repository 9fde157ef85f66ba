"""`hearth permissions` tells what agents may do, by which rule, and takes grants back."""

from pathlib import Path
from typing import Any

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon, refusal
from tests.clients.cli.turns import SESSION, row
from tests.offline.permitting import Person, person

from hearth.settings.grants import GrantBook

__all__ = ["person"]  # a fixture

RULES = """{
  "permissions": {
    "execute": {
      "git push *": "deny",
      "make test": "ask",
      "make *": "allow"
    }
  }
}"""


@pytest.mark.promise("DP-PERM-14")
def test_a_command_is_explained_with_its_parse_and_the_rule_that_decides(person: Person) -> None:
    person.writes(RULES)
    said = person.says("explain", "cat a.txt && git push origin main")
    assert said.code == 0
    assert said.out.startswith("denied: it would not be run\n\nread as\n  $ cat a.txt && git push")
    denied = next(line for line in said.out.split("\n") if line.startswith("  deny"))
    assert "git push origin main" in denied
    assert f"{person.mine}:4" in denied
    allowed = next(line for line in said.out.split("\n") if line.startswith("  allow"))
    assert "no rule says anything" in allowed
    found = person.says("explain", "make all", "--json").json
    assert (found["verdict"], found["parts"]) == ("allow", ["make all"])
    assert found["needs"][0]["by"] == f'execute "make *": allow ({person.mine}:6)'
    assert found["root"] == str(person.project)


def test_what_cannot_be_proven_is_a_doubt_and_what_is_broken_a_problem(person: Person) -> None:
    said = person.says("explain", "$(cat a.txt)")
    assert said.out.startswith("asked: ")
    assert "nobody can say what $(cat a.txt) runs" in said.out
    said = person.says("explain", "echo 'half")
    assert said.out.startswith("denied: it would not be run\n  The shell could not read")


def test_tools_that_take_a_path_and_python_are_explained_too(person: Person) -> None:
    assert person.says("explain", "--tool", "read_file", "a.txt").out.startswith("allowed: ")
    said = person.says("explain", "a.txt", "--tool=write_file")
    assert said.out.startswith("asked: ")
    assert "write  a.txt" in said.out
    hook = person.says("explain", "--tool", "edit_file", ".git/hooks/pre-commit")
    assert hook.out.startswith("denied: ")
    own = person.says("explain", "--tool", "read_file", str(person.home / "token"), "--json").json
    assert own["verdict"] == "deny"
    assert person.says("explain", "--code", "1 + 1").out == (
        "allowed: it would be run without asking\n"
    )
    said = person.says("explain", "--code", "import os; os.remove('/etc/x')")
    assert said.out.startswith("asked: ")
    assert "os.remove" in said.out


def test_a_grant_is_named_where_it_is_the_reason(person: Person) -> None:
    assert person.says("explain", "make").out.startswith("asked: ")
    person.allowed("execute", "make")
    said = person.says("explain", "make")
    assert said.out.startswith("allowed: ")
    assert 'grant execute "make"' in said.out
    person.writes('{"permissions": {"mode": "auto"}}')
    assert "permissions.mode is auto" in person.says("explain", "touch x").out
    assert "permissions.mode is auto" in person.says("explain", "--tool", "write_file", "x").out


def test_rules_of_one_agent_and_of_another_folder_can_be_asked_for(
    person: Person, tmp_path: Path
) -> None:
    person.writes('{"agents": {"bot*": {"permissions": {"execute": "deny"}}}}')
    assert person.says("explain", "ls").out.startswith("allowed: ")
    assert person.says("explain", "ls", "--agent", "bot").out.startswith("denied: ")
    there = tmp_path / "there"
    there.mkdir()
    assert person.says("explain", "ls", "--directory", str(there), "--json").json[
        "directory"
    ] == str(there)
    assert person.says("explain", "ls", "--directory", "/nowhere").code == 1


def test_a_tool_that_is_switched_off_is_never_run(person: Person) -> None:
    person.writes('{"tools": {"read_file": false}}')
    said = person.says("explain", "--tool", "read_file", "a.txt")
    assert said.out.startswith("denied: it would not be run\n  read_file is switched off")


def test_rules_are_listed_by_file_and_those_that_never_count_are_marked(person: Person) -> None:
    assert person.says("list").out == (
        "no rules: people are asked for what is not proven to be harmless\n\n"
        "nothing is allowed for always\n"
    )
    person.writes(RULES)
    said = person.says("list")
    assert said.out.split("\n")[:4] == [
        str(person.mine),
        '  execute  "git push *"  deny   line 4',
        '  execute  "make test"   ask    line 5  never counts: line 6 matches all that it does',
        '  execute  "make *"      allow  line 6',
    ]
    [layer] = person.says("list", "--json").json["layers"]
    assert [one["shadowed_by"] for one in layer["rules"]] == [None, f"{person.mine}:6", None]


def test_a_project_that_is_not_trusted_is_said_not_to_count(person: Person) -> None:
    (person.project / "hearth.jsonc").write_text('{"permissions": {"execute": "allow"}}')
    said = person.says("list")
    assert "hearth trust" in said.err
    assert "allow" not in said.out.split("\n")[0]


@pytest.mark.promise("DP-PERM-06")
def test_what_is_allowed_for_always_is_listed_and_taken_back(person: Person) -> None:
    elsewhere = person.allowed("execute", "git status", "/elsewhere")
    name = person.allowed("execute", "make")
    said = person.says("list")
    lines = said.out.split("\n")
    place = lines.index("allowed for always")
    assert lines[place + 1].startswith(f'  {name}  execute  "make"        here        2026-05-04')
    assert "by ann" in lines[place + 1]
    assert "for: make all" in lines[place + 1]
    assert elsewhere in lines[place + 2]
    assert "/elsewhere" in lines[place + 2]
    gone = person.says("revoke", name)
    assert (gone.code, gone.out) == (
        0,
        f'{name} is taken back: execute "make" in {person.project}\n',
    )
    assert person.says("explain", "make").out.startswith("asked: ")
    assert [one.id for one in GrantBook(person.home).all()] == [elsewhere]
    again = person.says("revoke", name)
    assert again.code == 1
    assert "hearth permissions list" in again.err


def test_a_file_of_grants_that_is_broken_is_told_of(person: Person) -> None:
    (person.home / "grants.json").write_text("{")
    (person.home / "grants.json").chmod(0o600)
    said = person.says("list")
    assert said.code == 0
    assert "grants.json" in said.err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["explian", "ls"],
        ["explain"],
        ["explain", "git", "push"],
        ["explain", "x", "--tool", "run_shell"],
        ["explain", "x", "--tool", "read_file", "--code"],
        ["revoke"],
    ],
)
def test_what_cannot_be_meant_is_told_with_what_can(person: Person, words: list[str]) -> None:
    said = person.says(*words)
    assert said.code == 2
    assert "hint: " in said.err
    assert said.out == ""


def test_help_lists_all_of_it(person: Person) -> None:
    said = person.says("--help")
    assert all(word in said.out for word in ("explain", "list", "decisions", "revoke"))


@pytest.mark.promise("DP-PERM-14")
def test_decisions_and_grants_of_a_session_are_asked_of_the_daemon(person: Person) -> None:
    assert person.says("decisions").code == 3
    with FakeDaemon(person.home).serving() as daemon:
        here = row(str(person.project), name="shop")
        daemon.on("GET /sessions", {"value": {"rows": [here]}, "seq": 7})
        decided: list[dict[str, Any]] = [
            {
                "at": "2026-05-04T12:00:00Z",
                "answer": "session",
                "approval": "a1",
                "what": "run_shell: execute make all",
                "by": {"actor": "person", "name": "bob"},
                "grants": [{"permission": "execute", "pattern": "make *"}],
            },
            {"at": "2026-05-04T12:01:00Z", "answer": "denied", "what": "run_shell: git push"},
        ]
        value = {"grants": decided[0]["grants"], "decided": decided}
        daemon.on(f"GET /sessions/{SESSION}/views/permissions", {"value": value, "seq": 7})
        said = person.says("decisions")
        assert said.code == 0
        first, second = said.out.strip().split("\n")
        assert "a1  session  by bob" in first
        assert 'allows "make *"' in first
        assert "denied   by a rule" in second
        listed = person.says("list").out
        assert listed.endswith('allowed as long as shop lives\n  execute  "make *"\n')
        assert person.says("explain", "make").out.startswith("allowed: ")
        daemon.on("GET /sessions", {"value": {"rows": []}, "seq": 7})
        assert person.says("decisions").code == 1
        daemon.does("GET /sessions/nobody", lambda _: refusal("unknown_session", 404))
        assert person.says("list", "--session", "nobody").code == 4
        daemon.does("GET /sessions", lambda _: refusal("not_now"))
        assert person.says("list").code == 0


def test_what_is_told_of_a_file_that_broke_is_not_what_a_daemon_goes_by_that_read_it_before(
    person: Person,
) -> None:
    note = "the daemon that runs goes by what the file said before"
    person.writes('{ "permissions": ')
    assert note not in person.says("explain", "make all").err
    with FakeDaemon(person.home).serving() as daemon:
        daemon.on("GET /sessions", {"value": {"rows": []}, "seq": 7})
        assert note in person.says("explain", "make all").err
        person.writes(RULES)
        assert note not in person.says("explain", "make all").err
