"""Editors send little, and are told at once when it is not what it must be."""

from typing import Any

import msgspec
import pytest

from hearth.servers.http.editors.shapes import Cancel, Check, Complete, Exec, HardReset


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Exec, {"code": "1", "time_limit": 2.5, "if_busy": "queue"}),
        (Cancel, {}),
        (HardReset, {"rebuild": True}),
        (Check, {"code": "x", "file": "a.py", "full": True}),
        (Complete, {"code": "x", "cursor": 0}),
    ],
)
def test_what_is_complete_is_taken(kind: type[msgspec.Struct], said: dict[str, Any]) -> None:
    assert msgspec.to_builtins(msgspec.convert(said, kind)) == said


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Exec, {}),
        (Exec, {"code": "1", "if_busy": "perhaps"}),
        (Exec, {"code": "1", "time_limit": -1}),
        (Exec, {"code": "1", "unknown": 1}),
        (Complete, {"code": "x", "cursor": -1}),
        (Complete, {"code": "x"}),
    ],
)
def test_what_is_not_is_refused(kind: type[msgspec.Struct], said: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(said, kind)
