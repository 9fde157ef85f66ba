from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.checking import Value
from hearth.settings.layers import Entry, Layer
from hearth.settings.problems import Problem
from hearth.settings.schema import DEFAULT_MODEL
from hearth.settings.snapshot import Given, Layers, Snapshot, compose, nested

NOTHING = Layer("environment")

texts = st.text("abc", min_size=1, max_size=3)
said: st.SearchStrategy[dict[str, Value]] = st.fixed_dictionaries(
    {},
    optional={
        "model": texts,
        "maxTurns": st.integers(1, 9),
        "provider.anthropic.apiKey": texts,
        "provider.anthropic.baseUrl": st.just("https://x.example"),
        "provider.openai.apiKey": texts,
        "knowledge.enabled": st.booleans(),
        "instructions": st.lists(texts, max_size=4).map(tuple),
    },
)


def layer(source: str, values: dict[str, Value]) -> Layer:
    return Layer(source, {name: Entry(value, source, 7) for name, value in values.items()})


def snapshot(
    person: dict[str, Value] | None = None,
    project: dict[str, Value] | None = None,
    environment: dict[str, Value] | None = None,
    managed: dict[str, Value] | None = None,
) -> Snapshot:
    return compose(
        Layers(
            environment=layer("environment", environment or {}),
            person=None if person is None else layer("person", person),
            project=None if project is None else layer("project", project),
            trusted=True,
            managed=None if managed is None else layer("managed", managed),
        )
    )


def merged(low: dict[str, Any], high: dict[str, Any]) -> dict[str, Any]:
    """The rule again, over objects as they are on disk."""
    found = dict(low)
    for key, value in high.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            found[key] = merged(found[key], value)
        elif key == "instructions":
            joined = (*found.get(key, ()), *value)
            found[key] = tuple(one for at, one in enumerate(joined) if one not in joined[:at])
        else:
            found[key] = value
    return found


@pytest.mark.promise("DL-CONF-06")
def test_without_any_file_the_model_alone_has_a_value() -> None:
    found = compose(Layers(environment=NOTHING))
    assert dict(found.values) == {"model": DEFAULT_MODEL}
    assert found.settings.model == DEFAULT_MODEL
    assert found.sources == ()
    assert found.warnings == ()
    assert found.given["model"] == Given("built in", None)


@pytest.mark.promise("DL-CONF-02", "DL-CONF-14")
def test_each_layer_counts_over_those_below_it() -> None:
    layers: dict[str, dict[str, Value]] = {
        "person": {"model": "p"},
        "project": {"model": "q"},
        "environment": {"model": "e"},
        "managed": {"model": "m"},
    }
    while layers:
        top = next(reversed(layers))
        found = snapshot(**layers)
        assert found.settings.model == layers[top]["model"]
        assert found.sources == tuple(layers)
        assert found.given["model"].source == top
        del layers[top]


@pytest.mark.promise("DL-CONF-07")
def test_instructions_of_all_layers_are_put_behind_each_other_once_each() -> None:
    found = snapshot({"instructions": ("a", "b")}, {"instructions": ("b", "c")})
    assert found.settings.instructions == ("a", "b", "c")
    replaced = snapshot(None, {"session.projects": ("x", "y"), "session.defaultArgs": ("z",)})
    assert replaced.settings.session.projects == ("x", "y")


@pytest.mark.promise("DL-CONF-08")
def test_what_a_higher_layer_leaves_out_stays() -> None:
    found = snapshot(
        {"provider.anthropic.apiKey": "k"}, {"provider.anthropic.baseUrl": "https://x.example"}
    )
    assert found.settings.provider.anthropic.api_key == "k"
    assert found.settings.provider.anthropic.base_url == "https://x.example"


@pytest.mark.promise("DL-CONF-07", "DL-CONF-08")
@given(said, said, said, said)
def test_layers_are_merged_at_every_depth(
    person: dict[str, Value],
    project: dict[str, Value],
    environment: dict[str, Value],
    managed: dict[str, Value],
) -> None:
    expected: dict[str, Any] = {"model": DEFAULT_MODEL}
    for one in (person, project, environment, managed):
        expected = merged(expected, nested(one))
    found = snapshot(person, project, environment, managed)
    assert nested(found.values) == merged({}, expected)


@given(said, said)
def test_every_value_says_where_it_came_from(
    person: dict[str, Value], project: dict[str, Value]
) -> None:
    found = snapshot(person, project)
    assert set(found.given) == set(found.values)
    for name, where in found.given.items():
        if name in project:
            assert where == Given("project", 7)
        elif name in person:
            assert where == Given("person", 7)
        else:
            assert where == Given("built in", None)


def test_what_does_not_count_is_remembered_with_the_reason() -> None:
    found = snapshot({"interpreter.processes": 10}, {"interpreter.processes": 20})
    assert found.settings.interpreter.processes == 10
    mine, theirs = found.said["interpreter.processes"]
    assert (mine.counts, mine.why_not) == (True, "")
    assert (theirs.counts, theirs.entry.source) == (False, "project")
    assert "looser" in theirs.why_not
    assert [one.key for one in found.warnings] == ["interpreter.processes"]
    assert found.sources == ("person",)


def test_a_snapshot_knows_its_project_and_whether_it_is_trusted() -> None:
    nobody = compose(Layers(environment=NOTHING, person=layer("person", {})))
    assert (nobody.root, nobody.trusted, nobody.project) == ("", False, "")
    mine = compose(Layers(environment=NOTHING, project=layer("/p/f", {}), root="/p", trusted=True))
    assert (mine.root, mine.trusted, mine.project) == ("/p", True, "/p/f")


def test_what_people_named_is_among_the_values_and_every_layer_is_kept() -> None:
    found = snapshot(
        {"tools.x": True, "permissions.read": "allow"},
        {"tools.x": False, "permissions.read": {"a": "deny"}},
    )
    assert found.values["tools.x"] is False
    assert found.values["permissions.read"] == {"a": "deny"}
    assert found.given["tools.x"].source == "project"
    assert [one.entry.value for one in found.said["permissions.read"] if one.counts] == [
        "allow",
        {"a": "deny"},
    ]
    assert [one.source for one in found.layers] == ["person", "project"]
    assert found.unread == ()


def test_a_source_whose_rules_are_not_known_is_named() -> None:
    lost = Layer("person", {"model": Entry("m", "person")}, lost_rules=True)
    found = compose(Layers(environment=NOTHING, person=lost, unread=("/gone",)))
    assert found.unread == ("/gone", "person")


def test_why_a_layer_is_missing_is_a_warning() -> None:
    problem = Problem("/f", "is broken")
    found = compose(Layers(environment=NOTHING, broken=(problem,)))
    assert found.warnings == (problem,)


def test_a_snapshot_cannot_be_changed() -> None:
    found = snapshot({"instructions": ("a",)})
    with pytest.raises(AttributeError):
        found.sources = ()  # type: ignore[misc] # that is what must not be possible
    with pytest.raises(TypeError):
        found.values["model"] = "x"  # type: ignore[index] # that is what must not be possible
