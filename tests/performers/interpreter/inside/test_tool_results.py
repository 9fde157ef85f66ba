"""What a call comes to."""

from pathlib import Path

import pytest

from hearth.performers.interpreter.inside.tool_results import (
    NoSuchServer,
    NoSuchTool,
    NotAllowed,
    NotAvailable,
    Picture,
    ToolError,
    error_of,
    value_of,
)

PICTURE = {"media_type": "image/png", "data": "AAE="}


def test_an_object_comes_before_the_text_that_says_the_same() -> None:
    assert value_of({"text": "3", "structured": {"turned": 3}}) == {"turned": 3}
    assert value_of({"text": "3", "structured": {}}) == {}


def test_a_text_is_a_text_and_nothing_is_an_empty_one() -> None:
    assert value_of({"text": "hey"}) == "hey"
    assert value_of({}) == ""


def test_pictures_stand_behind_what_is_said() -> None:
    alone = value_of({"text": "", "pictures": [PICTURE]})
    assert isinstance(alone, Picture)
    first, second = value_of({"text": "look", "pictures": [PICTURE]})
    assert first == "look"
    assert second.data == b"\x00\x01"


def test_a_picture_shows_itself_and_can_be_saved(tmp_path: Path) -> None:
    picture = Picture("image/png", "AAE=")
    assert picture._repr_mimebundle_() == {"image/png": "AAE=", "text/plain": repr(picture)}
    assert repr(picture).startswith("<Picture image/png")
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == b"\x00\x01"


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("not_allowed", NotAllowed),
        ("not_available", NotAvailable),
        ("failed", ToolError),
        ("something newer", ToolError),
    ],
)
def test_trouble_is_an_exception_of_its_kind(kind: str, error: type[ToolError]) -> None:
    found = error_of({"kind": kind, "text": "why"})
    assert type(found) is error
    assert str(found) == "why"


def test_exceptions_are_what_people_catch() -> None:
    assert issubclass(NoSuchServer, ImportError)
    assert issubclass(NoSuchTool, AttributeError)
    assert all(one.__module__ == "hearth_tools" for one in (ToolError, NotAllowed, NoSuchTool))
