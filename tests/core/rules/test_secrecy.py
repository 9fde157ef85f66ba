import pytest

from hearth.core.rules.secrecy import is_secret


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_TOKEN", ""),
        ("apiKey", "x"),
        ("ANTHROPIC_API_KEY_2", "x"),
        ("A", "postgres://me:secret@h/db"),
        ("A", "host=h password=hush"),
        ("", "ghp_0123456789abcdef"),
    ],
)
def test_a_secret_is_known_by_its_name_or_by_what_it_holds(name: str, value: str) -> None:
    assert is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), [("PATH", "/bin"), ("PWD", "/w"), ("MODE", "fast")])
def test_other_variables_are_none(name: str, value: str) -> None:
    assert not is_secret(name, value)
