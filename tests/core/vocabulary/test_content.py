"""What cells show, and what is said about code."""

from enum import StrEnum

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.content import (
    Blob,
    Completion,
    CompletionKind,
    Diagnostic,
    Output,
    Outputs,
    Severity,
    Text,
)
from hearth.core.vocabulary.wire import Word


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Output), ids=tag_of)
@given(data=st.data())
def test_an_output_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Output)


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("part", [Blob, Diagnostic, Completion])
@given(data=st.data())
def test_a_part_comes_back_from_json_as_it_went(
    part: type[msgspec.Struct], data: st.DataObject
) -> None:
    value = data.draw(strategy_for(part))
    assert msgspec.json.decode(encode(value), type=part) == value


@pytest.mark.promise("SF-STATE-08")
@pytest.mark.parametrize(
    ("part", "field", "closed"),
    [(Diagnostic, "severity", Severity), (Completion, "kind", CompletionKind)],
)
def test_severities_and_kinds_are_closed_sets(
    part: type[msgspec.Struct], field: str, closed: type[StrEnum]
) -> None:
    assert msgspec.json.schema(part)["$defs"][closed.__name__]["enum"] == sorted(closed)
    value = {"label": "x"} if part is Completion else _diagnostic()
    with pytest.raises(msgspec.ValidationError, match=rf"\$\.{field}"):
        msgspec.json.decode(encode({**value, field: "splendid"}), type=part)


def test_a_text_and_a_blob_are_told_apart_on_the_wire() -> None:
    blob = Blob(sha256="00", size=1)
    assert msgspec.json.decode(encode(blob), type=Text) == blob
    assert msgspec.json.decode(encode("words"), type=Text) == "words"
    assert msgspec.json.decode(encode(blob), type=Outputs) == blob
    assert msgspec.json.decode(b"[]", type=Outputs) == ()


def _diagnostic() -> dict[str, object]:
    places = dict.fromkeys(("start_line", "start_column", "end_line", "end_column"), 1)
    return {"message": "m", "severity": "error", **places}
