"""What is given as a key is one, or it is said why not, and nothing of it."""

import pytest

from hearth.performers.language_model.key_texts import Expiring, KeyMissing, key_in, moment

WHERE = "the output of keyCommand"


@pytest.mark.parametrize(
    ("text", "value", "expires_at"),
    [
        ("sk-1\n", "sk-1", None),
        ('{"key": "sk-1"}', "sk-1", None),
        (' {"key": " sk-1 ", "expires_at": 1700000000}', "sk-1", 1_700_000_000.0),
        ('{"key": "sk-1", "expires_at": "2023-11-14T22:13:20Z"}', "sk-1", 1_700_000_000.0),
        ('{"key": "sk-1", "expires_at": "2023-11-14T23:13:20+01:00"}', "sk-1", 1_700_000_000.0),
    ],
)
def test_a_key_is_plain_text_or_json(text: str, value: str, expires_at: float | None) -> None:
    assert key_in(text, WHERE) == Expiring(value, expires_at)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        ("secret word", "one word"),
        ("secret\nsecret", "one word"),
        ("secrèt", "one word"),
        ("secret\x00", "one word"),
        ('{"key": "secret', "is none"),
        ('{"token": "secret"}', 'no text "key"'),
        ('{"key": 12}', 'no text "key"'),
        ('{"key": "secret", "expires_at": "tomorrow"}', "expires_at"),
        ('{"key": "secret", "expires_at": "2023-11-14T22:13:20"}', "time zone"),
        ('{"key": "secret", "expires_at": true}', "expires_at"),
    ],
)
def test_what_is_no_key_is_told_without_repeating_it(text: str, why: str) -> None:
    with pytest.raises(KeyMissing, match=why) as caught:
        key_in(text, WHERE)
    assert caught.value.message.startswith((WHERE, f"the key in {WHERE}"))
    assert "secr" not in caught.value.message


def test_a_key_holds_until_it_expires_or_for_ever() -> None:
    key = Expiring("secret", 100.0)
    assert key.holds(99.0)
    assert not key.holds(100.0)
    assert not key.holds(50.0, ahead=60.0)
    assert Expiring("secret").holds(1e12, ahead=60.0)
    assert "secret" not in repr(key)


def test_no_moment_is_none() -> None:
    assert moment(None, WHERE) is None
