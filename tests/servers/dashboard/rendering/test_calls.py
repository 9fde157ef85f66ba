import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import (
    CALL,
    LOOK,
    SHA,
    TURN,
    approval,
    call,
    cell,
    change,
    placed,
    running,
    shown,
)

from hearth.core.views.timeline_items import CallItem
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.servers.dashboard.rendering.calls import result_of, state_of
from hearth.servers.dashboard.rendering.items import drawn

DENIED = Judged(Need("read", "/etc/shadow"), Verdict.DENY, "rule read /etc/**")
SHELL = {"command": "make test"}


@pytest.mark.parametrize(
    ("item", "state"),
    [
        (CallItem(turn=TURN, name="grep"), "writing"),
        (call(started=None), "waiting"),
        (call(started=None, approval=approval()), "waiting for you"),
        (call(), "running"),
        (call(result="ok"), "done"),
        (call(result=ToolResultBlock(CALL, "grep", "no", is_error=True)), "failed"),
        (
            call(refused=(DENIED,), result=ToolResultBlock(CALL, "x", "no", is_error=True)),
            "refused",
        ),
    ],
)
def test_how_far_a_call_has_come_is_told_in_words(item: CallItem, state: str) -> None:
    assert state_of(item) == state
    assert f"{state}</span>" in shown(item)
    looked_at(shown(item))


@pytest.mark.promise("DP-UI-02")
def test_a_call_is_one_line_and_the_rest_is_folded() -> None:
    html = shown(call("grep", {"pattern": "utcnow"}, "a.py:1: utcnow()"))
    line, _, inside = html.partition("</summary>")
    for words in ("grep", "utcnow", "2.0 s", "done"):
        assert words in looked_at(f"{line}</summary></details></article>").text
    assert "a.py:1" not in line
    assert "a.py:1" in inside
    assert " open " not in line


def test_what_people_watch_is_open_while_it_is_at_work() -> None:
    assert " open " in shown(call("run_shell", SHELL)).partition("<summary")[0]
    assert (
        " open "
        not in shown(call("run_shell", SHELL, "x\n\nExit code 0.")).partition("<summary")[0]
    )
    assert " open " not in shown(call("grep", {})).partition("<summary")[0]


@pytest.mark.promise("DP-UI-03")
def test_a_command_looks_like_one_with_its_output_and_its_exit_code() -> None:
    html = shown(call("run_shell", SHELL, "\x1b[31mF\x1b[0m\n1 failed\n\nExit code 1. It wrote x."))
    assert "make test" in html
    assert '<span class="af1">F</span>' in html
    assert "exit 1" in html
    assert "exit-no" in html
    assert "exit-ok" in shown(call("run_shell", SHELL, "(no output)\n\nExit code 0."))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("out\n\nExit code 0.", 0),
        ("a\n\nb\n\nExit code 127. 1 process that it left running were ended", 127),
        ("out\n\nEnded by SIGKILL (signal 9).", None),
        ("It could not be run: no such directory.", None),
    ],
)
def test_how_a_command_ended_is_read_from_its_last_paragraph(text: str, code: int | None) -> None:
    result = result_of(ToolResultBlock(CALL, "run_shell", text))
    assert result.exit_code == code
    assert result_of(ToolResultBlock(CALL, "grep", text)).text == text


@pytest.mark.promise("DP-UI-03")
def test_live_output_is_shown_and_gives_way_to_the_result_under_the_same_id() -> None:
    live = drawn(placed(call("run_shell", SHELL, live="1%\r2%\n")), LOOK)
    done = drawn(placed(call("run_shell", SHELL, "2%\n\nExit code 0.")), LOOK)
    assert "2%" in live.pieces[-1].html
    assert "1%" not in live.html
    assert live.pieces[-1].id in {one.id for one in done.pieces}


@pytest.mark.promise("DP-UI-04")
def test_changes_of_files_are_diffs() -> None:
    html = shown(call("edit_file", {"path": "x"}, "ok", changes=(change("x.py", "@@\n-a\n+b\n"),)))
    assert "dl-add" in html
    assert "x.py" in html
    assert html.partition("</summary>")[0].count("+2") == 1


def test_code_is_shown_with_its_cell() -> None:
    ran = cell("x = 41 + 1", (StreamText("stdout", "hi\n"),), value="42", value_type="int")
    html = shown(call("run_code", {"code": "x = 41 + 1"}, "42", cell=ran))
    assert "hi" in html
    assert html.count(">42<") <= 1
    assert looked_at(html).text.count("x = 41 + 1") == 2
    assert "cancel_cell" in shown(call("run_code", {"code": "x"}, cell=running()))


def test_what_a_rule_forbids_says_which() -> None:
    html = shown(call("read_file", {"path": "/etc/shadow"}, refused=(DENIED,)))
    assert "A rule forbids it" in html
    assert "rule read /etc/**" in html


def test_what_a_person_is_asked_stands_outside_of_the_fold() -> None:
    html = shown(call("run_shell", SHELL, started=None, approval=approval()))
    _, _, after = html.rpartition('class="approval')
    assert "answer_approval" in after
    assert html.index("</details>") < html.index('class="approval')


def test_pictures_of_a_result_have_addresses_of_ours() -> None:
    blobs = (Blob(SHA, 9, "image/png"), Blob(SHA, 9, "text/html"))
    html = shown(call(result=ToolResultBlock(CALL, "grep", "ok", pictures=blobs)))
    assert f"/blob/{SHA}?type=png" in html
    assert html.count("<img") == 1


def test_a_large_result_has_a_link_and_a_file() -> None:
    block = ToolResultBlock(CALL, "grep", Blob(SHA, 90_000, head="begin"), spilled="/tmp/x.txt")  # noqa: S108 - only shown
    html = shown(call(result=block))
    assert "whole (90.0 kB)" in html
    assert "All of it is in /tmp/x.txt" in html
