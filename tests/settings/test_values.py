from typing import Annotated, get_args

import msgspec
import pytest

from hearth.settings.values import Count, Group, Seconds, Size, Text, Unlimited, Url, says


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (Text, "a", ""),
        (Count, 1, 0),
        (Seconds, 0.5, 0),
        (Size, 1, 0),
        (Unlimited, "unlimited", "none"),
        (Url, "http://localhost:8080/v1", "localhost"),
        (Url, "https://x.example", "https://me@x.example"),
    ],
)
def test_each_kind_takes_what_it_should_and_nothing_else(
    kind: object, right: object, wrong: object
) -> None:
    assert msgspec.convert(right, kind) == right
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, kind)


def test_what_is_said_of_a_key_travels_with_its_type() -> None:
    class Sample(Group, frozen=True):
        """One key."""

        some_key: Annotated[Text | None, says("What it is.", "a text", secret=True)] = None

    [field] = msgspec.structs.fields(Sample)
    meta = get_args(field.type)[-1]
    assert field.encode_name == "someKey"
    assert (meta.description, meta.extra) == ("What it is.", {"right": "a text", "secret": True})
