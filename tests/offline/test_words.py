"""The words behind offline verbs are read strictly, and what is wrong is said."""

import pytest

from hearth.offline.answering import Trouble
from hearth.offline.words import Action, Asked, help_text, parse

ACTIONS = {
    "move": Action(
        "move FROM TO [--as NAME] [--now] --why TEXT",
        "move something",
        takes=("FROM", "TO"),
        needs=("--why",),
        may=("--as",),
        flags=("--now",),
    ),
    "look": Action("look", "look at everything"),
}


def test_places_and_options_are_told_apart_in_any_order() -> None:
    wanted = Asked("move", {"FROM": "a", "TO": "b", "--as": "x", "--now": "", "--why": "c"})
    assert parse("v", ACTIONS, ["move", "a", "b", "--as", "x", "--now", "--why=c"]) == wanted
    assert parse("v", ACTIONS, ["move", "--why", "c", "a", "--as=x", "--now", "b"]) == wanted
    assert parse("v", ACTIONS, ["look"]) == Asked("look")


def test_a_place_may_hold_an_equals_sign_or_be_the_standard_input() -> None:
    given = parse("v", ACTIONS, ["move", "a=b", "-", "--why", "x=y"]).given
    assert (given["FROM"], given["TO"], given["--why"]) == ("a=b", "-", "x=y")


def test_what_may_stand_behind_the_places_may_be_left_out() -> None:
    actions = {"put": Action("put THIS [THERE]", "put it", takes=("THIS",), perhaps=("THERE",))}
    assert parse("v", actions, ["put", "a"]).given == {"THIS": "a"}
    assert parse("v", actions, ["put", "a", "b"]).given == {"THIS": "a", "THERE": "b"}
    with pytest.raises(Trouble, match="THIS is missing"):
        parse("v", actions, ["put"])
    with pytest.raises(Trouble, match="does not know 'c'"):
        parse("v", actions, ["put", "a", "b", "c"])


def test_a_letter_stands_for_an_option_where_there_is_that_option() -> None:
    actions = {"go": Action("go [--proj DIR] [--yes]", "go", may=("--proj",), flags=("--yes",))}
    wanted = Asked("go", {"--proj": "d", "--yes": ""})
    assert parse("v", actions, ["go", "-p", "d", "-y"]) == wanted
    with pytest.raises(Trouble, match="does not know '-s'"):
        parse("v", actions, ["go", "-s", "x"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "what is to be done?"),
        (["mov"], "there is no 'mov'; did you mean 'move'?"),
        (["zzz"], "there is no 'zzz'"),
        (["move", "a"], "TO and --why is missing"),
        (["move", "a", "b"], "--why is missing"),
        (["move", "a", "b", "--why"], "--why needs a value"),
        (["move", "a", "b", "c", "--why", "x"], "does not know 'c'"),
        (["move", "a", "b", "--wy", "x"], "does not know '--wy'; did you mean '--why'?"),
        (["look", "--now"], "does not know '--now'"),
    ],
)
def test_what_is_wrong_is_said_with_how_it_is_written(words: list[str], said: str) -> None:
    with pytest.raises(Trouble) as trouble:
        parse("v", ACTIONS, words)
    assert said in trouble.value.message
    assert "hearth v" in trouble.value.hint
    assert trouble.value.exit_code == 2


def test_help_shows_every_way_with_what_it_does() -> None:
    first, second = help_text("v", ACTIONS).splitlines()
    assert first.startswith("hearth v move FROM TO ")
    assert first.endswith("  move something")
    assert second.endswith("  look at everything")


def test_what_may_be_there_several_times_is_all_kept_in_order() -> None:
    actions = {
        "add": Action("add NAME WORD…", "add", takes=("NAME",), rest="WORD", many=("--set",))
    }
    asked = parse("v", actions, ["add", "a", "--set", "x=1", "b", "--set=y=2", "-", "c=d"])
    assert asked.given == {"NAME": "a"}
    assert asked.lists == {"WORD": ("b", "-", "c=d"), "--set": ("x=1", "y=2")}
    with pytest.raises(Trouble, match="--set needs a value"):
        parse("v", actions, ["add", "a", "--set"])
    with pytest.raises(Trouble, match="did you mean '--set'"):
        parse("v", actions, ["add", "a", "--sett", "b"])
