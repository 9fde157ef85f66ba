from pathlib import Path

import pytest

from hearth.core.rules.permission import judge
from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.settings.layers import parsed_layer
from hearth.settings.rules import MOST, RuleProblems, ask_all, rule_layers, rule_problems

ALLOW, ASK, DENY = Verdict
FILE = Path("/me/hearth.jsonc")
HOME = str(Path.home())


def verdict(text: str, permission: str, target: str, agent: str = "") -> Verdict:
    layers = rule_layers(parsed_layer(text.encode(), FILE, {}), agent)
    return judge(Need(permission, target), layers).verdict


def problems(text: str) -> RuleProblems:
    return rule_problems(parsed_layer(text.encode(), FILE, {}))


SAID = """{
  "permissions": {
    "*": "ask",
    "read": "allow",
    "execute": {
      "git *": "allow",
      "git push *": "deny"
    },
    "web_*": "deny"
  },
  "agents": {
    "review*": {"permissions": {"write": "deny", "execute": "ask"}}
  }
}"""


@pytest.mark.promise("DP-PERM-01", "DP-PERM-02")
@pytest.mark.parametrize(
    ("permission", "target", "expected"),
    [
        ("read", "x", ALLOW),
        ("write", "x", ASK),
        ("execute", "git status", ALLOW),
        ("execute", "git push origin", DENY),
        ("execute", "make", ASK),
        ("web_fetch", "x", DENY),
    ],
)
def test_a_file_says_rules_in_their_order(permission: str, target: str, expected: Verdict) -> None:
    assert verdict(SAID, permission, target) is expected


def test_each_rule_knows_its_line() -> None:
    [layer] = rule_layers(parsed_layer(SAID.encode(), FILE, {}), "")
    assert layer.name == str(FILE)
    assert [(one.permission, one.pattern, one.where) for one in layer.rules] == [
        ("*", "*", f"{FILE}:3"),
        ("read", "*", f"{FILE}:4"),
        ("execute", "git *", f"{FILE}:6"),
        ("execute", "git push *", f"{FILE}:7"),
        ("web_*", "*", f"{FILE}:9"),
    ]


def test_rules_for_some_agents_are_a_layer_of_their_own_that_only_makes_stricter() -> None:
    assert verdict(SAID, "write", "x", "reviewer") is DENY
    assert verdict(SAID, "execute", "git status", "reviewer") is ASK
    assert verdict(SAID, "execute", "git push", "reviewer") is DENY
    assert verdict(SAID, "write", "x", "builder") is ASK
    loose = '{"agents": {"*": {"permissions": {"*": "allow"}}}, "permissions": {"write": "deny"}}'
    assert verdict(loose, "write", "x", "anyone") is DENY
    names = [one.name for one in rule_layers(parsed_layer(loose.encode(), FILE, {}), "")]
    assert names == [str(FILE), f"{FILE} (agents *)"]


@pytest.mark.promise("DP-PERM-02")
@pytest.mark.parametrize("spelled", ["~/.ssh/*", "$HOME/.ssh/*"])
def test_the_home_is_meant_by_both_its_names(spelled: str) -> None:
    said = f'{{"permissions": {{"read": {{"*": "allow", "{spelled}": "deny"}}}}}}'
    assert verdict(said, "read", f"{HOME}/.ssh/id_ed25519") is DENY
    assert verdict(said, "read", f"{HOME}/.ssh") is DENY
    assert verdict(said, "read", f"{HOME}/notes") is ALLOW
    assert problems(said) == RuleProblems()


def test_a_command_in_the_home_is_known_as_it_is_typed_and_in_full() -> None:
    said = '{"permissions": {"execute": {"~/bin/x *": "deny"}}}'
    assert verdict(said, "execute", "~/bin/x a") is DENY
    assert verdict(said, "execute", f"{HOME}/bin/x a") is DENY
    assert verdict(said, "execute", "~/bin/y") is ASK
    # A folder that is really called like this is not the home.
    assert verdict('{"permissions": {"*": {"~/*": "allow"}}}', "write", "~/x") is ASK


@pytest.mark.promise("DP-PERM-03")
def test_rules_that_a_later_catch_all_cancels_are_told_with_their_lines() -> None:
    said = """{"permissions": {"execute": {
      "git status *": "allow",
      "npm test": "allow",
      "*": "ask"
    }}}"""
    found = problems(said)
    assert not found.is_broken
    assert [(one.source, one.line, one.key) for one in found.problems] == [
        (str(FILE), 2, "permissions.execute.git status *"),
        (str(FILE), 3, "permissions.execute.npm test"),
    ]
    assert f'execute "*": ask ({FILE}:4)' in found.problems[0].what
    right = '{"permissions": {"execute": {"*": "ask", "npm test": "allow"}}}'
    assert problems(right) == RuleProblems()
    across = problems('{"agents": {"a": {"permissions": {"read": "deny", "*": "allow"}}}}')
    assert [one.key for one in across.problems] == ["agents.a.permissions.read.*"]


def test_rules_for_different_agents_do_not_cancel_each_other() -> None:
    said = '{"permissions": {"read": "deny"}, "agents": {"a": {"permissions": {"*": "allow"}}}}'
    assert problems(said) == RuleProblems()


def test_examples_that_do_not_hold_are_told_with_their_line() -> None:
    said = """{"permissions": {"execute": {
      "git push*": {"action": "deny", "matches": ["git push", "git -C x push"], "not": ["git pull"]}
    }}}"""
    found = problems(said)
    assert found.is_broken
    [problem] = found.problems
    assert (problem.line, problem.key) == (2, "permissions.execute.git push*")
    assert '"git -C x push" does not hold' in problem.what
    held = said.replace(', "git -C x push"', "")
    assert problems(held) == RuleProblems()
    home = '{"permissions": {"read": {"~/x/*": {"action": "deny", "matches": ["~/x/y"]}}}}'
    assert problems(home) == RuleProblems()


def test_so_many_rules_that_nobody_wrote_them_are_told() -> None:
    many = ",".join(f'"x{at}": "deny"' for at in range(MOST + 1))
    said = f'{{"permissions": {{"execute": {{{many}}}}}}}'
    found = problems(said)
    assert found.is_broken
    assert "1,000 rules" in found.problems[0].what


def test_where_rules_cannot_be_known_all_is_asked() -> None:
    found = judge(Need("read", "x", usual=ALLOW), [ask_all("/f")])
    assert found.verdict is ASK
    assert "/f" in found.by
