import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.project_file import (
    RIGHT,
    ProjectFile,
    SettingsError,
    parse_project_file,
    read_project_file,
)

PATH = Path("/somewhere/hearth.jsonc")


def refused(text: str | bytes) -> SettingsError:
    with pytest.raises(SettingsError) as error:
        parse_project_file(text if isinstance(text, bytes) else text.encode(), PATH)
    return error.value


@pytest.mark.promise("SF-RES-04")
def test_every_key_is_read() -> None:
    text = """
    {
      // what else is in the file belongs to others
      "agent": {"anything": [1]},
      "session": {
        "projects": ["packages/api", "packages/web"],
        "autoLoad": false,
        "initScript": "start.py",
        "defaultArgs": ["--fast", ""],
        "isRoot": true,
        "sessionName": "shop",
      },
    }
    """
    assert parse_project_file(text.encode(), PATH) == ProjectFile(
        projects=("packages/api", "packages/web"),
        auto_load=False,
        init_script="start.py",
        default_args=("--fast", ""),
        is_root=True,
        session_name="shop",
    )


@pytest.mark.parametrize("text", ["{}", '{"session": {}}', '\ufeff{"other": 1}'])
def test_a_file_that_says_nothing_about_sessions_leaves_everything_as_it_is(text: str) -> None:
    assert parse_project_file(text.encode(), PATH) == ProjectFile()


@pytest.mark.promise("SF-RES-04")
@pytest.mark.parametrize(
    ("session", "key", "line"),
    [
        ('"projects": "api"', "projects", 2),
        ('"projects": [""]', "projects", 2),
        ('"projects": ["a", 1]', "projects", 2),
        ('"autoLoad": "yes"', "autoLoad", 2),
        ('"autoLoad": null', "autoLoad", 2),
        ('\n"initScript": 5', "initScript", 3),
        ('"initScript": ""', "initScript", 2),
        ('"defaultArgs": {}', "defaultArgs", 2),
        ('"isRoot": 1', "isRoot", 2),
        ('"sessionName": ""', "sessionName", 2),
    ],
)
def test_a_wrong_value_is_refused_with_file_key_line_and_what_is_right(
    session: str, key: str, line: int
) -> None:
    error = refused(f'{{"session": {{\n{session}}}}}')
    assert error.file == PATH
    assert error.key == f"session.{key}"
    assert error.line == line
    assert error.right == RIGHT[key]
    for part in (f"{PATH}:{line}: ", f"session.{key}: ", error.what, RIGHT[key]):
        assert part in str(error)


def test_every_key_has_words_for_what_is_right() -> None:
    assert list(RIGHT) == list(ProjectFile.__struct_encode_fields__)


@pytest.mark.promise("SF-RES-04")
def test_an_unknown_key_of_the_session_is_refused_with_the_one_that_was_meant() -> None:
    error = refused('{"session": {"isroot": true}}')
    assert error.key == "session.isroot"
    assert error.right == '"isRoot"'
    other = refused('{"session": {"zebra": true}}')
    assert "sessionName" in other.right
    assert "projects" in other.right


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        (b"[]", "is not an object", 1),
        (b'{\n"session": 5}', "is not an object", 2),
        (b'{\n"session": {"isRoot": true,\n"isRoot": false}}', "given twice", 3),
        (b'{"session": {"isRoot": NaN}}', "NaN is not a JSON value", 1),
        (b'{\n"a": "\xff"}', "is not UTF-8", 2),
        (b"", "the text ends", 1),
        (b" " * 1_000_001, "larger than 1,000,000 bytes", None),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(
    text: bytes, what: str, line: int | None
) -> None:
    error = refused(text)
    assert what in error.what
    assert error.line == line
    assert str(error).startswith(f"{PATH}:{line}: " if line else f"{PATH}: ")


@given(st.binary() | st.text().map(str.encode))
def test_nothing_but_a_settings_error_is_ever_raised(content: bytes) -> None:
    with contextlib.suppress(SettingsError):
        assert isinstance(parse_project_file(content, PATH), ProjectFile)


@given(
    st.builds(
        ProjectFile,
        projects=st.lists(st.text(min_size=1)).map(tuple),
        auto_load=st.booleans(),
        init_script=st.none() | st.text(min_size=1),
        default_args=st.lists(st.text()).map(tuple),
        is_root=st.booleans(),
        session_name=st.none() | st.text(min_size=1),
    )
)
def test_what_is_written_is_what_is_read(file: ProjectFile) -> None:
    session = {
        name: getattr(file, field)
        for name, field in zip(
            ProjectFile.__struct_encode_fields__, ProjectFile.__struct_fields__, strict=True
        )
    }
    assert parse_project_file(json.dumps({"session": session}).encode(), PATH) == file


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_project_file(tmp_path / "hearth.jsonc") is None
    (tmp_path / "file").write_bytes(b"")
    assert read_project_file(tmp_path / "file" / "hearth.jsonc") is None


def test_a_file_that_cannot_be_read_is_refused_not_skipped(tmp_path: Path) -> None:
    (tmp_path / "hearth.jsonc").mkdir()
    with pytest.raises(SettingsError) as error:
        read_project_file(tmp_path / "hearth.jsonc")
    assert error.value.file == tmp_path / "hearth.jsonc"
    assert "cannot be read" in error.value.what
