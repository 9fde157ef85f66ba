"""What is sent to the routes, beyond the words."""

import msgspec
import pytest

from hearth.core.vocabulary.commands import SessionConfig
from hearth.servers.http.shapes import NewSession, NewToken


def test_a_session_can_be_made_of_all_that_the_command_takes() -> None:
    fields = set(NewSession.__struct_fields__)
    assert set(SessionConfig.__struct_fields__) <= fields
    assert fields - set(SessionConfig.__struct_fields__) == {"id", "reuse"}
    made, usual = NewSession(), SessionConfig()
    for name in SessionConfig.__struct_fields__:
        assert getattr(made, name) == getattr(usual, name)


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"a b"}',
        b'{"id":""}',
        b'{"directory":"x"}',
        b'{"directory":"/a\\u0000"}',
        b'{"name":"%s"}' % (b"x" * 201),
        b'{"else":1}',
    ],
)
def test_a_session_is_not_made_of_anything(body: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=NewSession)


@pytest.mark.parametrize("standing", ["person", "root", ""])
def test_a_persons_token_is_not_given_out(standing: str) -> None:
    body = msgspec.json.encode({"name": "x", "standing": standing})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=NewToken)
