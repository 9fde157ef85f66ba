from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.checking import Wrong, checked, leaves
from hearth.settings.jsonc import Json, read_jsonc
from hearth.settings.keys import KEYS
from hearth.settings.problems import SettingsError

PATH = Path("/somewhere/hearth.jsonc")

COUNTS = [
    "maxTurns",
    "maxRetries",
    "knowledge.nudgeInterval",
    "knowledge.injectionBudget",
    "compaction.reserveTokens",
    "compaction.keepRecentTokens",
    "sessions.most",
    "interpreter.processes",
    "provider.ollama.window",
    "provider.ollama.maxOutput",
]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.promise("DL-CONF-05")
@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [0, -1, 1.5, "5", True, None, [], {}])
def test_a_count_is_a_whole_number_above_zero(name: str, value: Json) -> None:
    with pytest.raises(Wrong) as wrong:
        checked(name, value)
    assert wrong.value.right == KEYS[name].right
    assert checked(name, 5) == 5


@pytest.mark.promise("DL-CONF-05")
@pytest.mark.parametrize(
    "value",
    [
        "not a url",
        "",
        "proxy.example",
        "ftp://proxy.example",
        "http://",
        "http:///v1",
        "https://me:secret@x.example",
        5,
    ],
)
def test_an_address_is_an_address(value: Json) -> None:
    with pytest.raises(Wrong):
        checked("provider.openai.baseUrl", value)
    for right in ("https://proxy.example/v1", "http://127.0.0.1:8080", "http://[::1]:8/x?y#z"):
        assert checked("provider.openai.baseUrl", right) == right


@pytest.mark.parametrize(
    "value",
    ["command: pass show x", "command:x", " command: x", "file:/run/key", "file:///k", "~/key", ""],
)
def test_where_a_key_comes_from_is_never_taken_for_the_key_itself(value: str) -> None:
    with pytest.raises(Wrong) as wrong:
        checked("provider.anthropic.apiKey", value)
    assert "keyCommand" in wrong.value.right
    assert "keyFile" in wrong.value.right
    for key in ("sk-ant-x", "commander", "/9j/4AA", "a:file:b"):
        assert checked("provider.anthropic.apiKey", key) == key


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("interpreter.memory", "2 GiB", 2 << 30),
        ("interpreter.memory", 5, 5),
        ("interpreter.memory", "unlimited", "unlimited"),
        ("interpreter.processes", "unlimited", "unlimited"),
        ("interpreter.answer", 3, 3.0),
        ("interpreter.spares", 0, 0),
        ("instructions", ["a", "a"], ("a", "a")),
        ("session.defaultArgs", ["", "x"], ("", "x")),
        ("session.sessionName", None, None),
        ("daemon.port", 65535, 65535),
    ],
)
def test_a_right_value_is_kept_in_one_form(name: str, value: Json, kept: object) -> None:
    assert checked(name, value) == kept


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("interpreter.memory", "2 gigs"),
        ("interpreter.memory", "0 B"),
        ("interpreter.output", "unlimited"),
        ("interpreter.answer", 0),
        ("interpreter.spares", -1),
        ("daemon.port", 0),
        ("daemon.port", 65536),
        ("model", ""),
        ("instructions", "one"),
        ("instructions", [""]),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_right(name: str, value: Json) -> None:
    with pytest.raises(Wrong) as wrong:
        checked(name, value)
    assert wrong.value.what
    assert wrong.value.right == KEYS[name].right


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("maxTurns", 0, "is too small"),
        ("maxTurns", 1.5, "is a number with a fraction"),
        ("maxTurns", "5", "is a text"),
        ("maxTurns", True, "is true"),
        ("maxTurns", None, "is null"),
        ("daemon.port", 65536, "is too large"),
        ("daemon.watch", 1, "is a whole number"),
        ("daemon.watch", {}, "is an object"),
        ("instructions", ["a", 5], "holds a whole number"),
        ("instructions", ["a", ""], "is empty"),
        ("interpreter.memory", "2 gigs", "is not written as it must be"),
        ("interpreter.processes", "many", "is not written as it must be"),
        ("provider.openai.baseUrl", "x", "is not written as it must be"),
    ],
)
def test_what_is_wrong_is_said_in_words_that_need_no_python(
    name: str, value: Json, what: str
) -> None:
    with pytest.raises(Wrong) as wrong:
        checked(name, value)
    assert wrong.value.what == what


@given(st.sampled_from(sorted(KEYS)), anything)
def test_whatever_is_given_is_kept_or_refused(name: str, value: Json) -> None:
    try:
        kept = checked(name, value)
    except Wrong as wrong:
        assert wrong.what  # noqa: PT017 - both ends are right
    else:
        assert kept is not None or value is None


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("permissions.read", "alow", "is no action"),
        ("permissions.read", {"a *": "alow"}, "a *: is no action"),
        ("permissions.read", None, "is null"),
        ("agents.a.permissions.read", 5, "is neither a text nor an object"),
        ("tools.x", "no", "is a text"),
        ("languageServers.x", {"command": "x"}, "is not written as it must be"),
        ("languageServers.x", [], "is a list"),
    ],
)
def test_a_key_that_people_named_takes_what_its_family_takes(
    name: str, value: Json, what: str
) -> None:
    with pytest.raises(Wrong) as wrong:
        checked(name, value)
    assert wrong.value.what == what
    assert wrong.value.right == KEYS[name].right


def test_what_people_named_is_kept_as_it_is_written() -> None:
    rules: Json = {"*": "ask", "a": {"action": "deny", "not": ["b"]}}
    assert checked("permissions.execute", rules) == rules
    assert checked("permissions.execute", "deny") == "deny"
    server: Json = {"command": ["x"], "options": {"y": None}}
    assert checked("languageServers.x", server) == server
    assert checked("tools.x", value=False) is False


def test_a_full_name_is_no_key() -> None:
    with pytest.raises(SettingsError, match="has a dot in it"):
        list(leaves(read_jsonc('{"permissions.read": "allow"}'), PATH))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(Wrong, match="half a character"):
        checked("systemPrompt", "a\ud83d")
    with pytest.raises(Wrong, match="half a character"):
        checked("instructions", ["b", "\udcff"])


def test_no_message_holds_a_secret() -> None:
    with pytest.raises(Wrong) as wrong:
        checked("provider.anthropic.apiKey", ["sk-secret"])
    assert "secret" not in wrong.value.what + wrong.value.right


@pytest.mark.promise("DL-CONF-03")
@pytest.mark.parametrize(
    ("text", "key", "line", "right"),
    [
        ('{"provider":\n{"anthropic":\n{"apikey":1}}}', "provider.anthropic.apikey", 3, '"apiKey"'),
        ('{\n"modle": "x"}', "modle", 2, '"model"'),
        ('{"knowledge": {"enable": true}}', "knowledge.enable", 1, '"enabled"'),
        ('{"provider": []}', "provider", 1, "an object: { … }"),
        (
            '{"provider": {"google": {}}}',
            "provider.google",
            1,
            "one of anthropic, openai, deepseek, openrouter, ollama, llamacpp, vllm, custom",
        ),
    ],
)
def test_an_unknown_key_is_refused_at_every_depth(
    text: str, key: str, line: int, right: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        list(leaves(read_jsonc(text), PATH))
    assert (refused.value.key, refused.value.line, refused.value.right) == (key, line, right)
    assert str(PATH) in str(refused.value)


def test_of_one_object_only_its_keys_are_looked_at() -> None:
    document = read_jsonc('{"anything": 1, "session": {"isRoot": true}}')
    assert [leaf.name for leaf in leaves(document, PATH, only="session")] == ["session.isRoot"]
