import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.jsonc import NotJson, read_jsonc

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_as_json_reads_it(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert read_jsonc(text).value == json.loads(text)


def test_comments_and_trailing_commas_are_taken() -> None:
    text = """// above
    {
      /* a comment
         of two lines */
      "a": [1, 2,], // behind
      "b": "// no comment, /* nor this */",
    }
    """
    assert read_jsonc(text).value == {"a": [1, 2], "b": "// no comment, /* nor this */"}


def test_every_value_is_found_by_its_line() -> None:
    document = read_jsonc('{\n"a": 1,\n/*\n*/ "b": [\n5,\n{"c":\ntrue}]}')
    assert document.lines[()] == 1
    assert document.lines["a",] == 2
    assert document.lines["b",] == 4
    assert document.lines["b", 0] == 5
    assert document.lines["b", 1, "c"] == 6


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "the text ends where a value should be", 1),
        ('{"a": 1,\n "a": 2}', 'the key "a" is given twice', 2),
        ("[\n\nNaN]", "NaN is not a JSON value", 3),
        ("[-Infinity]", "-Infinity is not a JSON value", 1),
        ("[1e999]", "too large", 1),
        ("[" + "9" * 5000 + "]", "too many digits", 1),
        ("[01]", "01 is not a JSON value", 1),
        ("{a: 1}", "expected a key", 1),
        ("{'a': 1}", "expected a key", 1),
        ('{"a" 1}', 'expected : after the key "a"', 1),
        ('{"a": 1\n "b": 2}', "expected a comma or }", 2),
        ("[1 2]", "expected a comma or ]", 1),
        ("[,]", ", is not a JSON value", 1),
        ("{} {}", "more after the end", 1),
        ("{}\n/* open", "never closed", 2),
        ('["a\nb"]', "invalid control character", 1),
        ('["', "unterminated string", 1),
        (r'["\x"]', "invalid \\escape", 1),
        ("[" * 200 + "]" * 200, "nested more than 100 deep", 1),
        ("yes", "text needs double quotes", 1),
    ],
)
def test_whatever_else_is_refused_with_its_line(text: str, message: str, line: int) -> None:
    with pytest.raises(NotJson) as refused:
        read_jsonc(text)
    assert message in refused.value.message
    assert refused.value.line == line


def test_the_column_counts_from_one() -> None:
    with pytest.raises(NotJson) as refused:
        read_jsonc("{\n  x}")
    assert (refused.value.line, refused.value.column) == (2, 3)


def test_the_text_of_every_value_is_found() -> None:
    text = '// x\n{ "a": [1, "b",], /* y */ "c": {"d": -1.5} }'
    document = read_jsonc(text)
    found = {place: text[span.start : span.end] for place, span in document.spans.items()}
    assert found == {
        (): text[5:],
        ("a",): '[1, "b",]',
        ("a", 0): "1",
        ("a", 1): '"b"',
        ("c",): '{"d": -1.5}',
        ("c", "d"): "-1.5",
    }
    assert document.spans["a",].ends_in_comma
    assert not document.spans["c",].ends_in_comma
    assert not document.spans[()].ends_in_comma
    assert {place: text[at : at + 3] for place, at in document.keys.items()} == {
        ("a",): '"a"',
        ("c",): '"c"',
        ("c", "d"): '"d"',
    }


@given(values)
def test_the_text_of_a_value_is_that_value(value: object) -> None:
    text = json.dumps({"before": 1, "key": value}, indent=1)
    document = read_jsonc(text)
    span = document.spans["key",]
    assert json.loads(text[span.start : span.end]) == value
    assert document.lines["key",] == 3
