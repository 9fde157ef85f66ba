"""What is said of a request never has its key in it."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.language_model.redacting import HIDDEN, shown, without


@given(st.text(), st.text("abc-", min_size=4, max_size=12), st.text())
def test_a_key_is_hidden_wherever_it_stands(before: str, key: str, after: str) -> None:
    hidden = without(f"{before}{key}{after}{key}", [key])
    assert key not in hidden.replace(HIDDEN, "")
    assert HIDDEN in hidden


def test_the_longer_of_two_secrets_is_hidden_whole() -> None:
    assert without("token-and-more", ["token", "token-and-more"]) == HIDDEN


def test_a_key_with_a_line_break_is_hidden_without_it() -> None:
    assert without("said secret!", ["secret\n"]) == f"said {HIDDEN}!"


def test_what_is_too_short_to_be_a_key_stays() -> None:
    assert without("a b c", ["", " ", "a", "b"]) == "a b c"


def test_an_address_is_shown_without_secrets() -> None:
    assert shown("https://me:pw@host.example:8/v1?key=x#y") == "https://host.example:8/v1"
