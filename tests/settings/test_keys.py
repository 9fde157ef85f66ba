import pytest

from hearth.settings.keys import GROUPS, KEYS, is_object, keys_of, nearest


@pytest.mark.promise("DL-CONF-04")
def test_every_key_is_known_by_its_full_name() -> None:
    assert {
        "$schema",
        "model",
        "provider.anthropic.apiKey",
        "provider.anthropic.baseUrl",
        "provider.openai.apiKey",
        "provider.openai.baseUrl",
        "maxTurns",
        "maxRetries",
        "systemPrompt",
        "instructions",
        "session.autoResume",
        "knowledge.enabled",
        "knowledge.nudgeInterval",
        "knowledge.injectionBudget",
        "compaction.enabled",
        "compaction.reserveTokens",
        "compaction.keepRecentTokens",
    } <= set(KEYS)
    assert "provider.anthropic" in GROUPS
    assert not GROUPS & set(KEYS)


def test_keys_that_people_name_are_known_by_their_families() -> None:
    rules = KEYS["permissions.web_*"]
    assert (rules.name, rules.is_rules, rules.is_free) == ("permissions.web_*", True, True)
    assert KEYS["agents.review.permissions.read"].is_rules
    assert not KEYS["tools.run_shell"].is_rules
    assert not KEYS["permissions.mode"].is_free, "what has a meaning of its own is no rule"
    for unknown in (
        "permissions",
        "permissions.a.b",
        "permissions.a b",
        "agents.a",
        "tools.*",
        "x",
    ):
        assert unknown not in KEYS
    assert not any(KEYS[name].is_free for name in KEYS), "there is no end to those"
    for group in ("permissions", "agents", "agents.x", "agents.x.permissions", "tools", "daemon"):
        assert is_object(group)
    assert not is_object("tools.x")


def test_every_key_says_what_it_means_and_what_is_right() -> None:
    for key in KEYS.values():
        assert key.description.endswith("."), key.name
        assert key.right, key.name
        assert not key.right.endswith("."), key.name


def test_what_may_hold_a_secret_is_known_as_such() -> None:
    keys = {name for name in KEYS if name.endswith(".apiKey")}
    assert {"provider.anthropic.apiKey", "provider.custom.apiKey"} < keys
    assert {name for name, key in KEYS.items() if key.secret} == {*keys, "daemon.database"}


def test_sizes_are_known_as_such() -> None:
    sizes = {name for name, key in KEYS.items() if key.is_size}
    assert sizes == {
        "interpreter.memory",
        "interpreter.output",
        "interpreter.displays",
        "interpreter.copyBytes",
    }


def test_keys_come_in_the_order_of_the_schema() -> None:
    found = keys_of(["sessions.most", "model", "nothing"])
    assert [key.name for key in found] == ["model", "sessions.most"]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("provider.anthropic.apikey", '"apiKey"'),
        ("modle", '"model"'),
        ("sesion", '"session"'),
        ("port", '"daemon.port"'),
        ("daemon.maxTurns", '"maxTurns"'),
        ("tool", '"tools"'),
        ("tools.a b", "a name of letters, digits, _ and -"),
        ("agents.x.permision", '"permissions"'),
        ("permissions.a b", "a name of letters, digits, _ and -, with * and ? for others"),
        (
            "provider.zebra",
            "one of anthropic, openai, deepseek, openrouter, ollama, llamacpp, vllm, custom",
        ),
    ],
)
def test_for_an_unknown_key_the_one_that_was_meant_is_named(name: str, right: str) -> None:
    assert nearest(name) == right
