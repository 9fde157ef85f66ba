"""JSON without the package means the same as with it."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.daemon import plain_json
from hearth.daemon.plain_json import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_and_read_is_what_the_package_writes_and_reads(value: object) -> None:
    assert dumps(value) == json.dumps(value)
    for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value) + " \n"):
        assert loads(text.encode()) == loads(text) == value
    assert loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) == value


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_what_is_no_json_is_refused_as_the_package_refuses_it(raw: bytes) -> None:
    try:
        wanted = json.loads(raw)
    except (ValueError, RecursionError) as error:
        with pytest.raises(type(error)):
            loads(raw)
    else:
        assert repr(loads(raw)) == repr(wanted)


def test_what_cannot_be_written_is_told() -> None:
    with pytest.raises(TypeError):
        dumps({"a": object()})
    assert dumps({1: "a"}) == json.dumps({1: "a"})


def test_another_python_has_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_json, "_scan", None)
    monkeypatch.setattr(plain_json, "_write", None)
    assert loads(b'{"a": [1, 2.5, "x"]}') == {"a": [1, 2.5, "x"]}
    assert dumps({"a": ["x"]}) == '{"a": ["x"]}'


def test_neither_regular_expressions_nor_enums_are_brought_along() -> None:
    code = (
        "import sys; from hearth.daemon.plain_json import loads, dumps;"
        "loads(b'{\"a\": [1]}'); dumps({'a': ['x', 1, None, True]}); print(*sys.modules)"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & {"json", "re", "enum"}
