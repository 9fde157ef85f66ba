import pytest

from hearth.settings.masking import (
    MASKED,
    masked_address,
    masked_arguments,
    masked_server,
    masked_variables,
)


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://x.example/mcp", "https://x.example/mcp"),
        ("https://me:secret@x.example/mcp", f"https://me:{MASKED}@x.example/mcp"),
        ("https://x.example/?api_key=abc&a=b#c", f"https://x.example/?api_key={MASKED}&a=b#c"),
    ],
)
def test_of_an_address_only_what_is_secret_is_masked(address: str, safe: str) -> None:
    assert masked_address(address) == safe


def test_variables_are_masked_by_name_and_by_value_and_references_stay() -> None:
    said = {
        "GITHUB_TOKEN": "abc",
        "MODE": "fast",
        "OTHER": "ghp_0123456789abcdef",
        "API_KEY": "${MY_KEY}",
        "Authorization": "Bearer ${TOKEN}",
        "X-Auth": "Bearer abc",
    }
    assert masked_variables(said) == {
        "GITHUB_TOKEN": MASKED,
        "MODE": "fast",
        "OTHER": MASKED,
        "API_KEY": "${MY_KEY}",
        "Authorization": "Bearer ${TOKEN}",
        "X-Auth": MASKED,
    }


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        (["-y", "server", "."], ["-y", "server", "."]),
        (["--token", "abc", "more"], ["--token", MASKED, "more"]),
        (["--token", "${T}"], ["--token", "${T}"]),
        (["--token=abc"], [f"--token={MASKED}"]),
        (["--token=${T}"], ["--token=${T}"]),
        (["--api-key", "--verbose"], ["--api-key", "--verbose"]),
        (["sk-0123456789abcdef0123"], [MASKED]),
        (["postgres://me:secret@h/db"], [f"postgres://me:{MASKED}@h/db"]),
    ],
)
def test_arguments_are_masked_where_they_are_secrets(given: list[str], safe: list[str]) -> None:
    assert list(masked_arguments(given)) == safe


def test_a_server_is_shown_as_it_is_written_without_its_secrets() -> None:
    said = {"command": "x", "args": ["--token", "abc"], "env": {"A_TOKEN": "abc", "B": "c"}}
    safe = masked_server(said)
    assert safe == {
        "command": "x",
        "args": ["--token", MASKED],
        "env": {"A_TOKEN": MASKED, "B": "c"},
    }
    assert said["env"] == {"A_TOKEN": "abc", "B": "c"}
    reached = {"url": "https://a:b@x.example", "headers": {"Authorization": "abc"}}
    assert "abc" not in str(masked_server(reached))
    assert "a:b@" not in str(masked_server(reached))
