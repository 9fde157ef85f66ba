"""Which model is talked with, and how full its window is."""

import msgspec
import pytest
from msgspec.structs import replace
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import by_id, read, talked

from hearth.core.views.talk import Talk
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.prompting import Effort
from hearth.servers.dashboard.composing.model import MOST_MODELS, model

SESSION = SessionId("session-1")


@pytest.mark.promise("DP-UI-16")
def test_the_model_of_the_conversation_is_shown() -> None:
    _, talk = talked(Played().says("hi").answers("yes"))
    shown = by_id(model(SESSION, talk), "head-model")
    assert "claude-sonnet-4-5" in shown.text
    label = next(one.attributes for one in read(model(SESSION, talk)) if one.tag == "summary")
    assert "anthropic:claude-sonnet-4-5" in label["title"]
    assert "aria-label" not in label, "who says what they see is understood"
    assert "usual model" in by_id(model(SESSION, Talk()), "head-model").text


def test_how_full_the_window_is_stands_beside_it_in_figures() -> None:
    markup = model(SESSION, Talk(window=200_000, used=50_400))
    (meter,) = [one.attributes for one in read(markup) if one.tag == "meter"]
    assert (meter["max"], meter["value"]) == ("200000", "50400")
    assert "50k of 200k tokens used (25 %)" in by_id(markup, "head-model").text
    assert not [one for one in read(model(SESSION, Talk())) if one.tag == "meter"]
    over = model(SESSION, Talk(window=900, used=1_500_000))
    assert "1.5M of 900 tokens" in by_id(over, "head-model").text


def test_another_can_be_chosen_and_how_much_it_thinks() -> None:
    talk = Talk(model="a:one", effort=Effort.LOW)
    markup = model(SESSION, talk, ("a:one", "b:two"))
    forms = [one.attributes for one in read(markup) if one.tag == "form"]
    assert [one["data-fills"] for one in forms] == ["model", "effort"]
    for one in forms:
        assert msgspec.json.decode(one["data-command"])["type"] == "set_model"
    assert by_id(markup, "model-name").attributes["value"] == "a:one"
    options = [one.attributes for one in read(markup) if one.tag == "option"]
    assert [one["value"] for one in options if "selected" in one] == ["low"]
    assert {"a:one", "b:two", "none", "max"} <= {one["value"] for one in options}


def test_what_was_never_set_is_not_shown_as_chosen() -> None:
    options = [one.attributes for one in read(model(SESSION, Talk())) if one.tag == "option"]
    (chosen,) = [one for one in options if "selected" in one]
    assert (chosen["value"], "disabled" in chosen) == ("", True)
    unset = replace(Talk(), effort=Effort.MAX)
    chosen_now = [one.attributes for one in read(model(SESSION, unset)) if one.tag == "option"]
    assert "" not in [one["value"] for one in chosen_now]


def test_not_more_names_are_proposed_than_a_list_can_show() -> None:
    names = tuple(f"p:{number}" for number in range(10_000))
    found = [one for one in read(model(SESSION, Talk(), names)) if one.tag == "option"]
    assert len(found) < MOST_MODELS + 10
