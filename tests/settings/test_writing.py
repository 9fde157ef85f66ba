import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.jsonc import Json, read_jsonc
from hearth.settings.keys import KEYS
from hearth.settings.problems import SettingsError
from hearth.settings.writing import remove_setting, with_value, write_setting

PATH = Path("/somewhere/hearth.jsonc")


def changed(text: str, name: str, value: Json) -> str:
    return with_value(text, PATH, tuple(name.split(".")), value)


@pytest.mark.promise("DL-CONF-13")
@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        ("{}", "model", "m", '{\n  "model": "m"\n}'),
        ("{}\n", "daemon.port", 5, '{\n  "daemon": {\n    "port": 5\n  }\n}\n'),
        ('{"model": "old"}', "model", "new", '{"model": "new"}'),
        ('{"a": 1}', "model", "m", '{"a": 1, "model": "m"}'),
        ('{ "a": 1, }', "model", "m", '{ "a": 1, "model": "m", }'),
        ('{"a": 1 /* x */ }', "model", "m", '{"a": 1, /* x */ "model": "m" }'),
        (
            '// top\n{\n  "a": 1 // one\n  // end\n}\n',
            "model",
            "m",
            '// top\n{\n  "a": 1, // one\n  // end\n  "model": "m"\n}\n',
        ),
        (
            '{\n\t"a": 1,\n\t"daemon": {\n\t\t"port": 5, // mine\n\t},\n}',
            "daemon.watch",
            True,
            '{\n\t"a": 1,\n\t"daemon": {\n\t\t"port": 5, // mine\n\t\t"watch": true,\n\t},\n}',
        ),
        (
            '{\r\n  "a": 1\r\n}\r\n',
            "daemon.port",
            5,
            '{\r\n  "a": 1,\r\n  "daemon": {\r\n    "port": 5\r\n  }\r\n}\r\n',
        ),
        (
            '{\n    "instructions": [\n        "a", // why\n    ],\n    "x": 1}',
            "instructions",
            ["b", "ü"],
            '{\n    "instructions": ["b", "ü"],\n    "x": 1}',
        ),
        ("\ufeff{ // c\n}", "model", "m", '\ufeff{ // c\n  "model": "m"\n}'),
        ("{ /* c */ }", "model", "m", '{ /* c */\n  "model": "m"\n}'),
    ],
)
def test_a_key_is_set_and_everything_else_stays_as_it_was_written(
    before: str, name: str, value: Json, after: str
) -> None:
    assert changed(before, name, value) == after
    assert changed(after, name, value) == after


gaps = st.sampled_from(["", " ", "\n", "\n  ", " // c\n", "/* } , */", "\r\n\t"])
names = st.sampled_from(["a", "b", "c"])


@st.composite
def documents(draw: st.DrawFn, depth: int = 3) -> str:
    """Objects in objects, written in every way that there is."""
    members = []
    for key in draw(st.lists(names, unique=True, max_size=3)):
        is_inner = bool(draw(st.booleans())) and depth > 0
        value = (
            draw(documents(depth - 1)) if is_inner else draw(st.sampled_from(["1", '"x"', "[1,]"]))
        )
        gap = [draw(gaps) for _ in range(4)]
        members.append(f'{gap[0]}"{key}"{gap[1]}:{gap[2]}{value}{gap[3]}')
    ends_in_comma = bool(draw(st.booleans())) and bool(members)
    trailing = "," + draw(gaps) if ends_in_comma else ""
    return "{" + ",".join(members) + trailing + draw(gaps) + "}"


def put(value: Any, place: list[str], leaf: object) -> bool:
    """The same by hand; False if there is something else than an object on the way."""
    for key in place[:-1]:
        value = value.setdefault(key, {})
        if not isinstance(value, dict):
            return False
    value[place[-1]] = leaf
    return True


@pytest.mark.promise("DL-CONF-13")
@given(documents(), st.lists(names, min_size=1, max_size=4), st.sampled_from([5, "t", {"z": [1]}]))
def test_whatever_is_set_is_read_afterwards_and_all_else_as_before(
    text: str, place: list[str], value: Json
) -> None:
    expected: Any = read_jsonc(text).value
    if not put(expected, place, value):
        with pytest.raises(SettingsError, match="not an object"):
            with_value(text, PATH, tuple(place), value)
        return
    after = with_value(text, PATH, tuple(place), value)
    assert read_jsonc(after).value == expected
    assert after.count("// c") >= text.count("// c") - _comments_in(text, place)


def _comments_in(text: str, place: list[str]) -> int:
    """Those within a value that is replaced; they go with it."""
    document = read_jsonc(text)
    span = document.spans.get(tuple(place))
    return text[span.start : span.end].count("// c") if span else 0


def test_a_file_is_made_if_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "hearth" / "hearth.jsonc"
    write_setting(file, "interpreter.memory", "2 GiB")
    assert json.loads(file.read_text()) == {"interpreter": {"memory": "2 GiB"}}
    assert file.stat().st_mode & 0o777 == 0o600
    write_setting(file, "model", "m")
    assert json.loads(file.read_text()) == {"interpreter": {"memory": "2 GiB"}, "model": "m"}


@pytest.mark.parametrize(
    ("content", "name", "value", "key"),
    [
        ("{}", "modle", "m", "modle"),
        ("{}", "daemon", {}, "daemon"),
        ("{}", "maxTurns", 0, "maxTurns"),
        ('{"maxTurns": 0}', "model", "m", "maxTurns"),
        ('{"daemon": 5}', "daemon.port", 5, "daemon"),
        ("{", "model", "m", ""),
        ("[]", "model", "m", ""),
        ("", "model", "m", ""),
    ],
)
def test_what_is_wrong_is_refused_and_the_file_stays(
    tmp_path: Path, content: str, name: str, value: Json, key: str
) -> None:
    file = tmp_path / "hearth.jsonc"
    file.write_text(content)
    with pytest.raises(SettingsError) as refused:
        write_setting(file, name, value)
    assert (refused.value.key, refused.value.file) == (key, file)
    assert refused.value.right
    assert file.read_text() == content


def test_a_file_that_is_wrong_can_be_mended_key_by_key(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    file.write_text('{"maxTurns": 0} // mine')
    write_setting(file, "maxTurns", 5)
    assert file.read_text() == '{"maxTurns": 5} // mine'


def test_every_key_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    for name, value in EXAMPLES.items():
        write_setting(file, name, value)
    assert set(EXAMPLES) == set(KEYS)
    written = read_jsonc(file.read_text()).value
    for name, value in EXAMPLES.items():
        found: Any = written
        for key in name.split("."):
            found = found[key]
        assert found == value


EXAMPLES: dict[str, Json] = {
    name: (
        ["a"]
        if "a list of" in key.right
        else "https://x.example"
        if name.endswith("baseUrl")
        else "chat"
        if name.endswith("dialect")
        else "low"
        if name == "effort"
        else "auto"
        if name == "permissions.mode"
        else 9
        if name.endswith("window")
        else True
        if "true" in key.right
        else 5
        if "number" in key.right
        else "text"
    )
    for name, key in KEYS.items()
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"mcpServers": {"a": {}, "b": {}}}', '{"mcpServers": { "b": {}}}'),
        ('{"mcpServers": {"b": {}, "a": {}}}', '{"mcpServers": {"b": {} }}'),
        ('{"mcpServers": {"a": {}}}', '{"mcpServers": {}}'),
        (
            (
                '{\n  "mcpServers": {\n    // of a\n    "a": {"command": "x"}, // too\n'
                '    "b": {} // b\n  }\n}\n'
            ),
            '{\n  "mcpServers": {\n    // of a\n    "b": {} // b\n  }\n}\n',
        ),
        (
            '{\r\n  "mcpServers": {\r\n    "b": {}, // b\r\n    "a": {\r\n    }\r\n  }\r\n}\r\n',
            '{\r\n  "mcpServers": {\r\n    "b": {} // b\r\n  }\r\n}\r\n',
        ),
        (
            '{"mcpServers": {\n  "b": {} /* , */ ,\n  "a": {},\n}}',
            '{"mcpServers": {\n  "b": {} /* , */ ,\n}}',
        ),
    ],
)
def test_a_key_is_taken_out_and_all_else_stays(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    file.write_bytes(before.encode())
    assert remove_setting(file, "mcpServers.a")
    assert file.read_bytes().decode() == after
    assert not remove_setting(file, "mcpServers.a")
    assert file.read_bytes().decode() == after


def test_nothing_is_taken_out_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert not remove_setting(tmp_path / "none", "mcpServers.a")
    assert not (tmp_path / "none").exists()
