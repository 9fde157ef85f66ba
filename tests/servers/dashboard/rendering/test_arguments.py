import json

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import SESSION, SHA

from hearth.core.vocabulary.content import Blob
from hearth.servers.dashboard.rendering.arguments import decoded, deed, gist, written


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"command": "ls -l", "timeout": 5}', "ls -l"),
        ('{"path": "src", "pattern": "x"}', "x"),
        ('{"n": 5}', "n=5"),
        ('{"only": "this"}', "this"),
        ('{"a": 1, "b": [2]}', "a=1, b=[2]"),
        ('{"cut": "of', '{"cut": "of'),
        ("[1, 2]", "[1, 2]"),
        ("", ""),
        ("{}", ""),
    ],
)
def test_a_call_in_one_line(arguments: str, words: str) -> None:
    assert gist(arguments) == words


def test_a_long_one_is_cut() -> None:
    assert len(gist(json.dumps({"command": "x\n" * 100_000}))) <= 140


def test_json_is_pretty_and_anything_else_as_it_was_written() -> None:
    html = written('{"a":"<b>"}', SESSION)
    assert html is not None
    assert "&lt;b&gt;" in html
    assert "\n  " in html
    assert "not json" in (written("not json", SESSION) or "").replace("</span>", "").replace(
        '<span class="hn">', ""
    )
    assert written("{}", SESSION) is None
    assert "whole" in (written(Blob(SHA, 90_000, head="{"), SESSION) or "")


def test_what_is_no_object_is_not_decoded() -> None:
    assert decoded("[1]") is None
    assert decoded("{") is None
    assert decoded("[" * 100_000) is None
    assert decoded(Blob(SHA, 1, head="{}")) is None


def test_what_is_to_be_done_is_shown_in_full_with_what_hides_in_it() -> None:
    html = deed("$ rm -rf \u202e/\u200b\n--force", SESSION)
    assert "$ rm -rf ⟨U+202E⟩/⟨U+200B⟩\n--force" in html
    looked_at(html)


def test_a_change_of_a_file_is_what_goes_and_what_comes() -> None:
    edits = [{"old": "a\nb", "new": "c", "all": True}]
    html = deed(json.dumps({"path": "x.py", "edits": edits, "mode": "fast"}), SESSION)
    for line in ("@@ (everywhere)", "-a", "-b", "+c"):
        assert f">{line}\n<" in html
    assert "x.py" in html
    assert "mode: " in html
    assert ">+hello\n<" in deed(json.dumps({"path": "x", "content": "hello\n"}), SESSION)


def test_what_is_kept_apart_is_shown_as_text_with_a_link() -> None:
    html = deed(Blob(SHA, 90_000, head='{"command": "ls'), SESSION)
    assert "whole (90.0 kB)" in html
    assert "command" in html
