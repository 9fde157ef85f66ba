import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.jsonc import Json
from hearth.settings.substitution import Filled, filled

ENVIRON = {"X": "1", "Y_2": "two", "EMPTY": ""}


@pytest.mark.promise("DL-CONF-10")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a{env:X}b{env:Y_2}", Filled("a1btwo")),
        ("a{env:X}b{env:Y}", Filled("a1b", ("Y",))),
        ("{env:Y}", Filled(None, ("Y",))),
        ("{env:EMPTY}", Filled(None, ("EMPTY",))),
        (["{env:X}", "{env:Y}", "z"], Filled(["1", "z"], ("Y",))),
        (["", None, 5], Filled(["", None, 5])),
        ("", Filled("")),
        ("{env:}{env:a-b}{ENV:X}{env: X}", Filled("{env:}{env:a-b}{ENV:X}{env: X}")),
        (7, Filled(7)),
        (2.5, Filled(2.5)),
    ],
)
def test_references_become_what_the_given_environment_says(value: Json, expected: Filled) -> None:
    assert filled(value, ENVIRON) == expected


@pytest.mark.promise("DL-CONF-11")
def test_the_environment_of_the_process_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSIDE", "seen")
    assert filled("{env:OUTSIDE}", {}) == Filled(None, ("OUTSIDE",))


def test_what_a_variable_holds_is_not_looked_at_again() -> None:
    assert filled("{env:A}", {"A": "{env:B}", "B": "x"}) == Filled("{env:B}")


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_a_text_without_references_stays_as_it_is(text: str, environ: dict[str, str]) -> None:
    if "{env:" not in text:
        assert filled(text, environ) == Filled(text)
