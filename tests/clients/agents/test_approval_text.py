"""Whoever is asked sees who asks, what is to be done, what it needs and what would be allowed."""

import json

import pytest
from tests.clients.agents.asking import GOING_ON, ONCE, TOUCH

from hearth.clients.agents.approval_text import described, headline, is_folded, stored
from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.agents.lines import ADDED, REMOVED


def text(asked: AskedFor, *, is_whole: bool = False) -> str:
    return "\n".join(line for _, line in described(asked, is_whole=is_whole))


@pytest.mark.promise("DL-APPR-01", "DP-PERM-10")
def test_a_command_is_shown_with_all_it_needs_and_the_patterns() -> None:
    assert headline(AskedFor(TOUCH), "2 min ago") == (
        "a1 · scripted:weaver wants to use run_shell · 2 min ago"
    )
    assert text(AskedFor(TOUCH)).split("\n") == [
        "$ touch x",
        "needs",
        "  execute  touch x",
        '  write    x        written by touch, by write "*": ask (/etc/hearth.jsonc:4)',
        "can be allowed for longer",
        '  execute  "touch *"',
        '  write    "x"',
    ]


def test_what_can_only_be_allowed_once_says_so() -> None:
    assert "only once" in text(AskedFor(ONCE))
    assert "for longer" not in text(AskedFor(ONCE))


def test_whether_an_agent_may_go_on_needs_no_patterns() -> None:
    asked = AskedFor(GOING_ON, "bot")
    assert headline(asked) == "a3 · bot waits for you"
    assert text(asked) == "three equal calls"


@pytest.mark.promise("DP-PERM-10")
def test_a_change_of_a_file_is_shown_as_what_goes_and_what_comes() -> None:
    edits = [{"old": "one\ntwo", "new": "three", "all": True}, {"old": "x", "new": ""}]
    details = json.dumps({"path": "src/a.py", "edits": edits})
    lines = described(AskedFor({**ONCE, "name": "edit_file", "details": details}))
    assert [line for _, line in lines][:6] == [
        "src/a.py",
        "@@ (everywhere)",
        "-one",
        "-two",
        "+three",
        "@@",
    ]
    assert (REMOVED, "-x") in lines
    written = json.dumps({"path": "b.txt", "content": "new\nfile\n"})
    lines = described(AskedFor({**ONCE, "name": "write_file", "details": written}))
    assert lines[1:3] == [(ADDED, "+new"), (ADDED, "+file")]


def test_a_command_that_is_kept_elsewhere_is_shown_like_any_other() -> None:
    details = {"sha256": "d", "size": 9, "head": "{"}
    whole = json.dumps({"command": "make\nmake test", "code": "1 + 1", "timeout": 3})
    asked = AskedFor({**TOUCH, "details": details}, fetch=lambda digest: whole + " " * len(digest))
    assert text(asked).startswith("$ make\nmake test\n1 + 1\ntimeout: 3\nneeds\n")


def test_other_arguments_are_a_line_each() -> None:
    details = json.dumps({"url": "https://example.org", "limit": 3, "note": "a\nb", "path": 4})
    shown = text(AskedFor({**ONCE, "name": "fetch_url", "details": details}))
    assert shown.startswith("url: https://example.org\nlimit: 3\nnote: a\n  b\npath: 4\n")
    odd = AskedFor({**ONCE, "name": "x", "details": "{not json"})
    assert text(odd).startswith("{not json\n")


def test_nothing_in_a_command_hides_or_is_obeyed() -> None:
    command = "$ echo \u202ehi\x1b[2J"
    need = {"permission": "execute", "target": "echo \u202ehi\x1b[2J\nrm"}
    asked = AskedFor(
        {
            **TOUCH,
            "details": command,
            "agent": "b\x1bot",
            "judged": [{"need": need}],
            "offers": [{"permission": "execute", "pattern": "a\nb"}],
        }
    )
    shown = f"{headline(asked)}\n{text(asked)}"
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "$ echo <U+202E>hi<U+001B>[2J" in shown
    assert '  execute  "a<U+000A>b"' in shown
    assert stored(asked) == ['execute  "a<U+000A>b"']


def test_a_long_command_is_folded_and_all_of_it_can_be_seen() -> None:
    asked = AskedFor({**TOUCH, "details": "$ cat <<E\n" + "\n".join(map(str, range(100)))})
    assert is_folded(asked)
    assert "… 89 more lines; v shows all" in text(asked)
    assert "\n99\n" not in text(asked)
    assert "\n99\n" in text(asked, is_whole=True)
    assert "more lines" not in text(asked, is_whole=True)
    wide = AskedFor({**TOUCH, "details": "$ echo " + "x" * 1000})
    assert is_folded(wide)
    assert "x" * 1000 not in text(wide)
    assert "x" * 1000 in text(wide, is_whole=True)
    assert not is_folded(AskedFor(TOUCH))


def test_what_is_kept_elsewhere_is_not_shown_as_if_it_were_all() -> None:
    details = {"sha256": "d", "size": 9, "head": '{"path": "a'}
    shown = text(AskedFor({**TOUCH, "details": details}))
    assert shown.startswith('{"path": "a\nits end is not here')
