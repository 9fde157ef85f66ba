"""Commands, code and tools are judged as an agent's are, and nothing is run."""

from pathlib import Path

import pytest

from hearth.core.rules.permission import Layer, Rule
from hearth.core.vocabulary.permitting import Verdict
from hearth.offline.explaining import Question, explained
from hearth.settings.permissions import PermissionSettings


def asked(project: Path, said: str, kind: str, *, writes: bool = False) -> Question:
    return Question(said, kind, writes, str(project), str(project), str(project / ".home"))


@pytest.mark.parametrize(
    ("said", "kind", "writes", "verdict"),
    [
        ("ls", "command", False, Verdict.ALLOW),
        ("touch b", "command", False, Verdict.ASK),
        ("cat .home/token", "command", False, Verdict.DENY),
        ("open('b', 'w')", "code", False, Verdict.ASK),
        ("a", "read_file", False, Verdict.ALLOW),
        ("/etc/hostname", "read_file", False, Verdict.ASK),
        ("b", "write_file", True, Verdict.ASK),
        (".home/token", "read_file", False, Verdict.DENY),
    ],
)
def test_the_verdict_is_that_of_the_rules(
    tmp_path: Path,
    said: str,
    kind: str,
    writes: bool,  # noqa: FBT001 - a column
    verdict: Verdict,
) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / ".home").mkdir()
    found = explained(asked(tmp_path, said, kind, writes=writes), PermissionSettings(), ())
    assert found.verdict is verdict
    assert not (tmp_path / "b").exists()


def test_a_rule_counts_for_all_kinds(tmp_path: Path) -> None:
    rule = Rule("write", "b", Verdict.DENY, "h.jsonc:2")
    settings = PermissionSettings(layers=(Layer("yours", (rule,)),))
    for question in (
        asked(tmp_path, "touch b", "command"),
        asked(tmp_path, "open('b', 'w')", "code"),
        asked(tmp_path, "b", "write_file", writes=True),
    ):
        found = explained(question, settings, ())
        assert found.verdict is Verdict.DENY, question.kind
        assert any("h.jsonc:2" in one.by for one in found.judged)


def test_code_and_tools_can_be_switched_off(tmp_path: Path) -> None:
    settings = PermissionSettings(disabled_tools=frozenset({"run_code", "grep"}))
    assert (
        "run_code is switched off" in explained(asked(tmp_path, "1", "code"), settings, ()).problem
    )
    found = explained(asked(tmp_path, ".", "grep"), settings, ())
    assert (found.verdict, "switched off" in found.problem) == (Verdict.DENY, True)


def test_what_cannot_be_proven_of_code_is_a_doubt(tmp_path: Path) -> None:
    found = explained(asked(tmp_path, "eval(input())", "code"), PermissionSettings(), ())
    assert found.verdict is Verdict.ASK
    assert found.doubts
