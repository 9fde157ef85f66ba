from pathlib import Path

import pytest

from hearth.core.rules.permission import judge
from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.permissions import (
    PermissionSettings,
    SandboxSettings,
    ServerSettings,
    permission_settings,
    permissions_of,
    usual_permissions,
)
from hearth.settings.problems import Problem
from hearth.settings.snapshot import Snapshot

ALLOW, ASK, DENY = Verdict
HOME = str(Path.home())


class Place:
    """A person's file and a project."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "config" / "hearth.jsonc"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.file.parent.mkdir()
        self.trusted = True

    def keeper(self) -> SettingsKeeper:
        return SettingsKeeper(self.file, {}, trusted=lambda _: self.trusted)

    def say(self, person: str = "", project: str = "") -> None:
        if person:
            self.file.write_text(person)
        if project:
            (self.project / "hearth.jsonc").write_text(project)

    def snapshot(self, person: str = "", project: str = "") -> Snapshot:
        self.say(person, project)
        return self.keeper().current(self.project)

    def settings(self, person: str = "", project: str = "", agent: str = "") -> PermissionSettings:
        return permission_settings(self.snapshot(person, project), agent)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def verdict(settings: PermissionSettings, permission: str, target: str) -> Verdict:
    usual = ALLOW if permission == "read" else ASK
    return judge(Need(permission, target, usual=usual), settings.layers).verdict


def warned(snapshot: Snapshot) -> list[tuple[str, int | None, str]]:
    return [(Path(one.source).parent.name, one.line, one.key) for one in snapshot.warnings]


def test_where_nothing_is_set_people_are_asked_and_commands_are_walled_off(place: Place) -> None:
    found = place.settings()
    assert found == usual_permissions("/anywhere", "agent")
    assert found.mode == "ask"
    assert found.layers == ()
    assert found.sandbox == SandboxSettings(commands=True, interpreter=False, network=False)


@pytest.mark.promise("DP-PERM-12")
def test_the_strictest_of_both_files_counts(place: Place) -> None:
    found = place.settings(
        '{"permissions": {"execute": {"git *": "allow", "npm *": "deny"}, "write": "ask"}}',
        '{"permissions": {"execute": {"*": "allow", "git push *": "deny"}, "write": "allow"}}',
    )
    assert verdict(found, "execute", "git status") is ALLOW
    assert verdict(found, "execute", "git push") is DENY
    assert verdict(found, "execute", "npm test") is DENY, "no project allows what its person denies"
    assert verdict(found, "write", "x") is ASK
    assert verdict(found, "execute", "make") is ALLOW


def test_the_order_of_a_projects_rules_is_its_own(place: Place) -> None:
    found = place.settings(
        '{"permissions": {"read": "allow", "*": "allow"}}',
        '{"permissions": {"*": "deny", "read": "allow"}}',
    )
    assert verdict(found, "read", "x") is ALLOW
    assert verdict(found, "write", "x") is DENY


def test_rules_of_a_project_that_is_not_trusted_do_not_count(place: Place) -> None:
    place.trusted = False
    snapshot = place.snapshot("{}", '{"permissions": {"*": "allow"}}')
    assert permission_settings(snapshot).layers == ()
    assert "permissions.* does not count until you trust" in str(snapshot.warnings[0])


def test_rules_for_an_agent_count_for_that_agent(place: Place) -> None:
    said = '{"agents": {"review*": {"permissions": {"write": "deny"}}}}'
    assert verdict(place.settings(said, agent="reviewer"), "write", "x") is DENY
    assert verdict(place.settings(said, agent="builder"), "write", "x") is ASK


@pytest.mark.promise("DL-APPR-03")
def test_only_the_person_can_have_everything_allowed_unasked(place: Place) -> None:
    snapshot = place.snapshot("{}", '{"permissions": {"mode": "auto", "autoAllow": ["/"]}}')
    found = permission_settings(snapshot)
    assert (found.mode, found.auto_allow) == ("ask", ())
    assert warned(snapshot) == [
        ("project", 1, "permissions.mode"),
        ("project", 1, "permissions.autoAllow"),
    ]
    mine = place.settings('{"permissions": {"mode": "auto", "execute": {"rm *": "deny"}}}', "{}")
    assert mine.mode == "auto"
    assert verdict(mine, "execute", "rm x") is DENY


@pytest.mark.promise("DP-PERM-05")
def test_folders_that_nobody_is_asked_about_are_absolute(place: Place) -> None:
    said = '{"permissions": {"autoAllow": ["/srv/data/", "~/x", "$HOME", "near/../by"]}}'
    near = str(place.file.parent / "by")
    assert place.settings(said).auto_allow == ("/srv/data", f"{HOME}/x", HOME, near)


@pytest.mark.parametrize(
    ("said", "line", "key"),
    [
        ('{"permissions": {"read": "allow",\n"execute": "alow"}}', 2, "permissions.execute"),
        ('{"permissions": {"read": "allow",\n"execute": 5}}', 2, "permissions.execute"),
        (
            '{"permissions": {"read": "allow", "execute": {\n"a": "deny",\n"b": "no"}}}',
            3,
            "permissions.execute.b",
        ),
        (
            '{"permissions": {"r": "ask"},\n"agents": {"a": {"permissions": {"x": {"y": 1}}}}}',
            2,
            "agents.a.permissions.x.y",
        ),
        (
            '{"permissions": {"execute": {\n"a": {"action": "allow", "matches": ["b"]}}}}',
            2,
            "permissions.execute.a",
        ),
    ],
)
@pytest.mark.parametrize("whose", ["person", "project"])
def test_a_rule_that_cannot_be_read_never_loosens(
    place: Place, said: str, line: int, key: str, whose: str
) -> None:
    snapshot = place.snapshot(**{whose: said})
    found = permission_settings(snapshot)
    assert verdict(found, "read", "x") is ASK
    assert verdict(found, "execute", "ls") is ASK
    assert (warned(snapshot)[0][1], warned(snapshot)[0][2]) == (line, key)
    assert snapshot.warnings[0].right
    assert "deny" not in said or verdict(found, "execute", "a") is DENY, "its good rules hold"


@pytest.mark.parametrize(
    "said",
    [
        '{"permissions": {"read": "deny", "read": "allow"}}',
        '{"permissions": {"read": "deny"}, "modle": 1}',
        '{"permissions": {"a b": "deny"}}',
        '{"permissions": []}',
        '{"permissions.read": "deny"}',
        '{"permissions": {"read": "deny"}',
        '{"tools": {"x": 1}, "permissions": {"read": "deny"}}',
    ],
)
@pytest.mark.parametrize("whose", ["person", "project"])
def test_a_file_that_cannot_be_read_never_loosens(place: Place, said: str, whose: str) -> None:
    snapshot = place.snapshot(**{whose: said})
    assert verdict(permission_settings(snapshot), "read", "x") is ASK
    [problem] = snapshot.warnings
    assert problem.right


def test_what_a_file_said_before_it_broke_still_holds(place: Place) -> None:
    place.say('{"permissions": {"read": {"x": "deny"}}}')
    settings = permissions_of(place.keeper())
    assert verdict(settings(str(place.project), ""), "read", "x") is DENY
    place.say('{"permissions": {')
    now = settings(str(place.project), "")
    assert verdict(now, "read", "x") is DENY
    assert verdict(now, "read", "y") is ALLOW


def test_changed_rules_hold_at_once_and_unchanged_ones_are_the_same(place: Place) -> None:
    settings = permissions_of(place.keeper())
    directory = str(place.project)
    place.say('{"permissions": {"*": "ask", "read": "allow"}}')
    before = settings(directory, "")
    assert settings(directory, "") is before
    assert verdict(before, "read", "x") is ALLOW
    # The same keys with the same values on the same line, in another order.
    place.say('{"permissions": {"read": "allow", "*": "ask"}}')
    assert verdict(settings(directory, ""), "read", "x") is ASK
    assert verdict(settings("", ""), "read", "x") is ASK, "where there is no project, too"


def test_changed_order_within_a_permission_holds_at_once(place: Place) -> None:
    settings = permissions_of(place.keeper())
    place.say('{"permissions": {"read": {"*": "ask", "x": "allow"}}}')
    assert verdict(settings("", ""), "read", "x") is ALLOW
    place.say('{"permissions": {"read": {"x": "allow", "*": "ask"}}}')
    assert verdict(settings("", ""), "read", "x") is ASK


def test_tools_are_taken_away_by_both_and_given_by_the_person_alone(place: Place) -> None:
    snapshot = place.snapshot(
        '{"tools": {"fetch_url": true, "grep": true, "tasks": false}}',
        '{"tools": {"run_shell": false, "grep": false,\n"tasks": true, "other": true,'
        ' "fetch_url": true}}',
    )
    found = permission_settings(snapshot)
    assert found.enabled_tools == {"fetch_url"}
    assert found.disabled_tools == {"run_shell", "grep", "tasks"}
    assert warned(snapshot) == [("project", 2, "tools.tasks"), ("project", 2, "tools.other")]


def test_a_project_makes_the_sandbox_stricter_and_never_looser(place: Place) -> None:
    snapshot = place.snapshot(
        "{}",
        '{"sandbox": {"commands": false,\n"network": true,\n"writable": ["/"],\n"readable": ["/"],'
        '\n"interpreter": true}}',
    )
    assert permission_settings(snapshot).sandbox == SandboxSettings(interpreter=True)
    assert [one[2] for one in warned(snapshot)] == [
        "sandbox.commands",
        "sandbox.network",
        "sandbox.writable",
        "sandbox.readable",
    ]
    loose = '{"sandbox": {"commands": false, "network": true, "writable": ["~/w"]}}'
    mine = place.settings(loose, "{}")
    assert mine.sandbox == SandboxSettings(commands=False, network=True, writable=(f"{HOME}/w",))
    strict = place.settings(loose, '{"sandbox": {"commands": true, "network": false}}')
    assert (strict.sandbox.commands, strict.sandbox.network) == (True, False)


def test_variables_are_kept_for_commands_by_the_person_alone(place: Place) -> None:
    snapshot = place.snapshot("{}", '{"environment": {"keep": ["*"]}}')
    assert permission_settings(snapshot).environment_keep == ()
    assert warned(snapshot) == [("project", 1, "environment.keep")]
    assert place.settings('{"environment": {"keep": ["AWS_*"]}}').environment_keep == ("AWS_*",)


def test_language_servers_are_said_by_both_and_the_project_only_when_trusted(place: Place) -> None:
    person = '{"languageServers": {"ty": false, "ruff": true, "gopls": {"command": ["mine"]}}}'
    project = """{"languageServers": {
        "gopls": {"command": ["gopls", "-v"], "files": ["*.go"], "options": {"a": 1}},
        "ty": {"command": ["./ty"]}
    }}"""
    found = place.settings(person, project)
    assert found.language_servers == {
        "ty": ServerSettings(is_on=False),
        "ruff": ServerSettings(),
        "gopls": ServerSettings(command=("gopls", "-v"), files=("*.go",), options={"a": 1}),
    }
    place.trusted = False
    assert place.settings(person, project).language_servers["gopls"].command == ("mine",)


def test_what_never_counts_is_a_warning(place: Place) -> None:
    snapshot = place.snapshot('{"permissions": {"execute": {\n"npm test": "allow",\n"*": "ask"}}}')
    assert warned(snapshot) == [("config", 2, "permissions.execute.npm test")]
    assert isinstance(snapshot.warnings[0], Problem)
    assert snapshot.unread == (), "a rule that never counts is known all the same"
