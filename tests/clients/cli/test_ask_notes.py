"""Events that are no part of an answer are told in a line."""

from hearth.clients.agents.lines import PLAIN, WARNING
from hearth.clients.cli.ask_notes import diffs, noted, refused

ENVELOPE = {"origin": {"name": "bob\x1b"}}


def test_an_answer_says_what_and_by_whom() -> None:
    event = {"approval": "a1", "answer": "always"}
    assert noted("approval_answered", event, ENVELOPE) == [
        (PLAIN, "a1 allowed for always by bob<U+001B>")
    ]
    assert noted("approval_answered", {**event, "answer": "later"}, {}) == [
        (PLAIN, "a1 later by somebody")
    ]


def test_what_nobody_needs_to_know_is_not_told() -> None:
    assert noted("files_kept", {}, ENVELOPE) == []
    assert noted("something_later", {}, ENVELOPE) == []


def test_a_refusal_has_every_rule_in_it() -> None:
    judged = [
        {"need": {"permission": "write", "target": "a"}, "by": "one"},
        {"need": {"permission": "read", "target": "b"}, "by": "two"},
    ]
    event = {"name": "edit_file", "judged": judged}
    assert refused(event) == "✗ edit_file is not allowed: write a (one); read b (two)"
    assert noted("tool_refused", event, ENVELOPE)[0][0] == WARNING


def test_changes_are_shown_file_by_file() -> None:
    changes = [{"path": "/p/a", "kind": "created"}, {"path": "/p/b", "kind": "deleted"}]
    shown = diffs({"changes": changes}, "/p", str, is_whole=False)
    assert [lines[0][1] for lines in shown] == ["A a", "D b"]
    assert diffs({}, "/p", str, is_whole=False) == []
