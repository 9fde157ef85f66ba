"""Command lines: what they ask for, and what is near when nobody understands them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.clients.cli.parsing import Asked, near, parse, wants_json
from hearth.clients.cli.troubles import WRONG_USAGE, Trouble
from hearth.clients.cli.words import ALONE, VERBS


def asked(line: str) -> Asked:
    return parse(line.split())


def wrong(*words: str) -> Trouble:
    with pytest.raises(Trouble) as caught:
        parse(list(words))
    assert caught.value.ending == WRONG_USAGE
    assert caught.value.hint
    return caught.value


def test_no_words_ask_for_a_prompt() -> None:
    assert parse([]).verb is ALONE
    assert asked("-d --supervised").verb is ALONE
    assert asked("-d").has("daemon")


def test_flags_may_stand_on_both_sides_of_the_verb() -> None:
    for line in ("--json status --all", "status --json -a", "-a --json status"):
        found = asked(line)
        assert found.verb.name == "status"
        assert found.has("json")
        assert found.has("all")
        assert found.words == []


def test_the_value_of_a_flag_is_not_taken_for_a_verb() -> None:
    found = asked("--session status run x")
    assert (found.verb.name, found.text("session"), found.words) == ("run", "status", ["x"])
    found = asked("run --session=status x")
    assert (found.text("session"), found.words) == ("status", ["x"])


def test_behind_two_dashes_everything_is_a_word() -> None:
    found = parse(["run", "--", "-1"])
    assert found.words == ["-1"]
    assert asked("run -").words == ["-"]
    assert parse(["run", "--timeout", "3", "--", "--json"]).words == ["--json"]


def test_a_value_that_may_be_left_out_is_taken_where_it_looks_like_one() -> None:
    assert asked("ask -c 2 hi").text("continue") == "2"
    assert asked("ask --continue=2 hi").text("continue") == "2"
    found = asked("ask -c hi there")
    assert (found.text("continue"), found.words) == ("", ["hi", "there"])
    assert asked("ask hi --continue").text("continue") == ""
    assert asked("-c 2 ask hi").verb.name == "ask"
    assert asked("-c ask hi").words == ["hi"]
    assert asked("ask --fork b17@session-a1 hi").text("fork") == "b17@session-a1"
    found = asked("ask --fork before 2")
    assert (found.text("fork"), found.words) == ("", ["before", "2"])
    assert "no NAME" in wrong("ask", "--continue=").message
    assert "no BLOCK" in wrong("ask", "--fork=17").message


def test_the_word_behind_a_flag_that_may_be_a_name_is_known() -> None:
    assert asked("ask --continue=two hi").text("continue") == "two"
    assert asked("ask -c shop hi").behind("continue") == 0
    assert asked("ask hi -c shop").behind("continue") == 1
    assert asked("-m x ask hi --continue shop").behind("continue") == 1
    for line in ("ask shop", "ask -c", "ask -c -- shop", "ask -c 2 shop", "-c ask shop"):
        assert asked(line).behind("continue") is None
    for line in ("ask -c --new shop", "ask --continue=x shop", "ask --fork shop"):
        assert asked(line).behind("continue") is None
        assert asked(line).behind("fork") is None


def test_a_prompt_may_be_many_words() -> None:
    assert asked("ask what is here").words == ["what", "is", "here"]
    assert parse(["ask", "--", "--json"]).words == ["--json"]


def test_an_unknown_verb_is_told_with_what_is_near() -> None:
    trouble = wrong("statsu")
    assert "`statsu`" in trouble.message
    assert "`status`" in trouble.hint
    assert "hearth help" in wrong("xyzzy").hint


def test_an_unknown_flag_is_told_with_what_is_near() -> None:
    trouble = wrong("run", "--sesion", "x", "1")
    assert "--sesion" in trouble.message
    assert "`--session`" in trouble.hint
    assert "behind `--`" in wrong("run", "-5").hint
    assert "hearth help stop" in wrong("stop", "--xyzzy").hint
    assert "`hearth` has no flag" in wrong("--xyzzy").message


def test_a_flag_of_another_verb_is_unknown() -> None:
    assert "no flag --follow" in wrong("status", "--follow").message
    assert "no flag --server" in wrong("--server").message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "1", "+", "1"], "one word"),
        (["stop-session"], "needs NAME"),
        (["stop", "now"], "`now` is one word too many"),
        (["completion", "tcsh"], "knows no `tcsh`"),
        (["token", "rotat"], "knows no `rotat`"),
        (["run", "--session"], "--session needs a value"),
        (["run", "--session", "--json", "1"], "--session needs a value"),
        (["run", "--session="], "--session needs a value"),
        (["run", "--bare=yes", "1"], "--bare takes no value"),
        (["run", "--json", "--json", "1"], "--json is given twice"),
    ],
)
def test_what_is_missing_or_too_much_is_told(words: list[str], message: str) -> None:
    assert message in wrong(*words).message


def test_help_is_given_whatever_else_is_missing() -> None:
    assert asked("stop-session --help").has("help")
    assert asked("run a b c -h").has("help")


def test_times_and_numbers_are_checked() -> None:
    assert asked("run --timeout 1.5 x").seconds("timeout") == 1.5
    assert asked("run x").seconds("timeout") is None
    assert asked("events --after 12").number("after") == 12
    assert asked("events").number("after") is None
    for bad in ("soon", "-1", "0", "nan", "inf", "1e12"):
        with pytest.raises(Trouble, match="no time"):
            parse(["run", f"--timeout={bad}", "x"]).seconds("timeout")
    for bad in ("-1", "1.5", "many", "٣", "9" * 30):
        with pytest.raises(Trouble, match="no number"):
            parse(["events", f"--after={bad}"]).number("after")


def test_errors_are_json_even_of_a_line_that_is_not_understood() -> None:
    assert wants_json(["statsu", "--json"])
    assert not wants_json(["run", "--", "--json"])
    assert not wants_json(["status"])


def test_near_says_nothing_when_nothing_is() -> None:
    assert near("xyzzy", ["status"]) == ""
    assert near("stats", ["status", "stop"]) == "did you mean `status`?"


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [verb.name for verb in VERBS]
                + [f"--{flag.name}" for verb in (ALONE, *VERBS) for flag in verb.flags]
                + ["-", "--", "-d", "-s", "--x=y", "--json=", "bash", "list"]
            ),
            st.text(max_size=8),
        ),
        max_size=6,
    )
)
def test_every_command_line_is_understood_or_told_why_not(words: list[str]) -> None:
    understood: Asked | Trouble
    try:
        understood = parse(words)
    except Trouble as trouble:
        understood = trouble
    if isinstance(understood, Trouble):
        assert understood.ending == WRONG_USAGE
        assert understood.message
        assert understood.hint
    else:
        assert understood.verb in (ALONE, *VERBS)
