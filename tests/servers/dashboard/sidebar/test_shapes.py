"""What pages send."""

import msgspec
import pytest

from hearth.servers.dashboard.sidebar.shapes import DeskWanted, NewWanted, OneSession, Ordered


def test_what_is_left_out_stays_as_it_is() -> None:
    said = msgspec.json.decode(b'{"tab":"t","collapsed":"true"}', type=DeskWanted)
    assert said.collapsed == "true"
    assert said.theme is msgspec.UNSET


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (DeskWanted, {"theme": "pink"}),
        (DeskWanted, {"panel": "<x>"}),
        (DeskWanted, {"earlier": "many"}),
        (DeskWanted, {"archived": ["a"]}),
        (OneSession, {}),
        (OneSession, {"session": ""}),
        (Ordered, {"order": ["a"] * 501}),
        (NewWanted, {"mode": "fast"}),
    ],
)
def test_what_cannot_be_is_refused(kind: type[msgspec.Struct], body: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(body, kind)
