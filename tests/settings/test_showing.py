import json

import pytest

from hearth.settings.checking import Value
from hearth.settings.layers import Entry, Layer
from hearth.settings.masking import MASKED
from hearth.settings.problems import Problem
from hearth.settings.showing import as_json, explain, explained, masked, shown, table
from hearth.settings.snapshot import Layers, Snapshot, compose

KEY = "provider.anthropic.apiKey"


def layer(source: str, values: dict[str, Value]) -> Layer:
    return Layer(source, {name: Entry(value, source, 3) for name, value in values.items()})


def snapshot(person: dict[str, Value], project: dict[str, Value] | None = None) -> Snapshot:
    return compose(
        Layers(
            environment=Layer("environment"),
            person=layer("/me/hearth.jsonc", person),
            project=layer("/project/hearth.jsonc", project or {}),
            trusted=True,
        )
    )


@pytest.mark.parametrize(
    ("name", "value", "safe"),
    [
        (KEY, "sk-secret", MASKED),
        (
            "daemon.database",
            "postgresql://me:secret@h:5432/db",
            f"postgresql://me:{MASKED}@h:5432/db",
        ),
        ("daemon.database", "postgresql://me:sec@ret@h/db", f"postgresql://me:{MASKED}@h/db"),
        (
            "daemon.database",
            "postgresql://h/db?password=secret&x=1",
            f"postgresql://h/db?password={MASKED}&x=1",
        ),
        ("daemon.database", "postgresql://me@h/db", "postgresql://me@h/db"),
        ("daemon.database", "postgresql://me:sec/ret?#@h/db", f"postgresql://me:{MASKED}@h/db"),
        ("daemon.database", "sqlite:///data/hearth.db", "sqlite:///data/hearth.db"),
        ("daemon.database", "host=h password=secret", MASKED),
        ("model", "m", "m"),
        ("maxTurns", 5, 5),
    ],
)
def test_secrets_are_never_shown(name: str, value: Value, safe: Value) -> None:
    assert masked(name, value) == safe
    assert "sec" not in str(masked(name, value))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("daemon.watch", True, "true"),
        ("daemon.watch", False, "false"),
        ("interpreter.memory", 2 << 30, "2 GiB"),
        ("interpreter.memory", "unlimited", "unlimited"),
        ("interpreter.answer", 2.0, "2"),
        ("interpreter.answer", 0.5, "0.5"),
        ("maxTurns", 2_000_000, "2000000"),
        ("instructions", ("a", "b"), "a, b"),
        ("instructions", (), "none"),
        ("permissions.execute", {"git *": "deny"}, '{"git *": "deny"}'),
        ("permissions.read", "allow", "allow"),
        ("tools.run_shell", False, "false"),
    ],
)
def test_a_value_is_shown_as_people_write_it(name: str, value: Value, text: str) -> None:
    assert shown(name, value) == text


def test_the_table_says_what_holds_and_where_it_came_from() -> None:
    found = snapshot(
        {KEY: "sk-secret", "instructions": ("a",), "systemPrompt": "long\n" * 100},
        {"instructions": ("b",)},
    )
    lines = table(found)
    assert [line.split("  ")[0].strip() for line in lines] == list(found.values)
    assert len({line.index("/") for line in lines[1:]}) == 1, "columns are aligned"
    assert lines[0].endswith("built in")
    assert not any("secret" in line or "\n" in line for line in lines)
    joined = next(line for line in lines if line.startswith("instructions"))
    assert joined.endswith("a, b" + joined.partition("a, b")[2])
    assert "/me/hearth.jsonc:3, /project/hearth.jsonc:3" in joined


def test_an_explanation_names_everyone_who_said_something() -> None:
    found = snapshot({"maxTurns": 5}, {"maxTurns": 9})
    assert explain(found, "maxTurns") == (
        "maxTurns = 9",
        "How often a model is asked within one turn before the turn ends.",
        "It is a whole number above 0, like 50.",
        "  from /project/hearth.jsonc:3  9",
        "  over /me/hearth.jsonc:3  5",
    )
    told = explained(found, "maxTurns")
    assert told["value"] == 9
    assert [(one["source"], one["line"], one["counts"]) for one in told["said"]] == [
        ("/project/hearth.jsonc", 3, True),
        ("/me/hearth.jsonc", 3, False),
    ]


def test_an_explanation_says_why_something_does_not_count() -> None:
    found = snapshot({}, {"daemon.port": 5})
    first, *_, last = explain(found, "daemon.port")
    assert first == "daemon.port is not set"
    assert last.startswith("  not /project/hearth.jsonc:3  5: only your own file")
    assert explained(found, "daemon.port")["value"] is None


def test_instructions_come_with_those_they_are_joined_to() -> None:
    found = snapshot({"instructions": ("a",)}, {"instructions": ("b",)})
    assert explain(found, "instructions")[-2:] == (
        "  from /project/hearth.jsonc:3  b",
        "  with /me/hearth.jsonc:3  a",
    )


def test_rules_come_with_those_of_all_other_files() -> None:
    found = snapshot({"permissions.read": "allow"}, {"permissions.read": {"x": "deny"}})
    first, *_, project, person = explain(found, "permissions.read")
    assert first == 'permissions.read = {"x": "deny"}'
    assert project == '  from /project/hearth.jsonc:3  {"x": "deny"}'
    assert person == "  with /me/hearth.jsonc:3  allow"
    assert [one["counts"] for one in explained(found, "permissions.read")["said"]] == [True, True]
    line = next(line for line in table(found) if line.startswith("permissions.read"))
    assert line.endswith("/me/hearth.jsonc:3, /project/hearth.jsonc:3")
    assert json.loads(json.dumps(as_json(found)))["values"]["permissions.read"] == {"x": "deny"}


def test_an_explanation_holds_no_secret() -> None:
    found = snapshot({KEY: "sk-secret"}, {KEY: "sk-secreter"})
    assert "secret" not in json.dumps(explained(found, KEY)) + "".join(explain(found, KEY))
    with pytest.raises(KeyError):
        explain(found, "nothing")


def test_everything_can_be_one_object() -> None:
    found = compose(
        Layers(
            environment=Layer("environment", {KEY: Entry("sk-secret", "$ANTHROPIC_API_KEY")}),
            broken=(Problem("/f", "is broken"),),
        )
    )
    told = json.loads(json.dumps(as_json(found)))
    assert told["values"][KEY] == MASKED
    assert told["given"][KEY] == {"source": "$ANTHROPIC_API_KEY", "line": None}
    assert told["sources"] == ["environment"]
    assert told["warnings"] == ["/f: is broken"]
