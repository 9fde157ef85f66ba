"""Only a clear answer is one, and what is stored for always is confirmed word for word."""

import pytest
from tests.clients.agents.asking import GOING_ON, ONCE, TOUCH

from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.agents.deciding import Deciding, Decision


def decided(typed: str, said: dict[str, object] = TOUCH) -> Decision:
    found = Deciding(AskedFor(said)).hear(typed)
    assert isinstance(found, Decision)
    return found


@pytest.mark.parametrize(
    ("typed", "answer", "text"),
    [
        ("y\n", "once", ""),
        ("Yes\n", "once", ""),
        ("yes but only now\n", "once", "but only now"),
        ("y, but only now\n", "once", "but only now"),
        ("s\n", "session", ""),
        ("n\n", "reject", ""),
        ("no, use another file\n", "reject", "use another file"),
        ("n use another file\n", "reject", "use another file"),
    ],
)
def test_a_key_answers_and_what_stands_behind_it_is_for_the_agent(
    typed: str, answer: str, text: str
) -> None:
    found = decided(typed)
    assert (found.approval, found.answer, found.text) == ("a1", answer, text)


@pytest.mark.parametrize("typed", ["", "\n", "yikes", "ya", "y = 3", "n = 3", "s(1)", "do it"])
def test_what_is_no_clear_answer_is_none(typed: str) -> None:
    found = Deciding(AskedFor(TOUCH)).hear(typed)
    assert isinstance(found, list)
    assert found


@pytest.mark.promise("DP-PERM-11")
def test_always_shows_the_exact_patterns_and_wants_to_be_said_again() -> None:
    deciding = Deciding(AskedFor(TOUCH))
    assert "[a] always" in deciding.prompt
    shown = deciding.hear("a")
    assert isinstance(shown, list)
    assert [line for _, line in shown][1:] == ['  execute  "touch *"', '  write    "x"']
    assert deciding.prompt == "Type yes to store it: "
    found = deciding.hear("yes")
    assert isinstance(found, Decision)
    assert found.command() == {
        "type": "answer_approval",
        "approval": "a1",
        "answer": "always",
        "patterns": ["touch *", "x"],
    }


@pytest.mark.promise("DP-PERM-11")
@pytest.mark.parametrize("second", ["", "y", "a", "n", "no", "yes please"])
def test_always_that_is_not_confirmed_stores_nothing_and_is_asked_again(second: str) -> None:
    deciding = Deciding(AskedFor(TOUCH))
    deciding.hear("a")
    assert deciding.hear(second) == [("dim", "nothing is stored")]
    assert "[y] once" in deciding.prompt
    assert isinstance(deciding.hear("y"), Decision)


def test_the_session_is_told_the_patterns_as_they_were_shown() -> None:
    assert decided("s").command()["patterns"] == ["touch *", "x"]
    assert "patterns" not in decided("y").command()
    assert decided("no, not so").command() == {
        "type": "answer_approval",
        "approval": "a1",
        "answer": "reject",
        "text": "not so",
    }


@pytest.mark.parametrize("typed", ["s", "a"])
def test_what_can_only_be_allowed_once_offers_no_more(typed: str) -> None:
    deciding = Deciding(AskedFor(ONCE))
    assert "always" not in deciding.prompt
    assert "this session" not in deciding.prompt
    assert deciding.hear(typed) == [("warning", "this can only be allowed once")]


def test_all_of_what_is_folded_is_shown_to_whoever_asks() -> None:
    long = {**TOUCH, "details": "$ " + "\n".join(map(str, range(50)))}
    deciding = Deciding(AskedFor(long))
    assert "[v] all" in deciding.prompt
    shown = deciding.hear("v")
    assert isinstance(shown, list)
    assert ("strong", "49") in shown
    assert "[v] all" not in Deciding(AskedFor(TOUCH)).prompt


def test_an_agent_that_wants_to_go_on_is_answered_with_yes_or_no() -> None:
    deciding = Deciding(AskedFor(GOING_ON))
    assert deciding.prompt == "a3: let it go on? [y]es, [n]o and why: "
    assert isinstance(deciding.hear("y"), Decision)


def test_who_does_not_know_the_keys_is_told_them() -> None:
    shown = Deciding(AskedFor(TOUCH)).hear("?")
    assert isinstance(shown, list)
    assert shown[0] == ("warning", "that is no answer")
    assert any("for always" in line for _, line in shown)
    shown = Deciding(AskedFor(ONCE)).hear("?")
    assert isinstance(shown, list)
    assert not any("for always" in line for _, line in shown)


def test_what_is_not_here_is_said_to_be_seen_where_it_can_be() -> None:
    long = {**TOUCH, "details": {"sha256": "x", "size": 100_000, "head": "$ touch x"}}
    found = Deciding(AskedFor(long), how=".show a1 shows all").hear("v")
    assert not isinstance(found, Decision)
    shown = [text for _, text in found]
    assert "its end is not here, because it is long; .show a1 shows all" in shown
