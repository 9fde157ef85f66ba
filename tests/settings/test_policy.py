import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.checking import Value
from hearth.settings.keys import KEYS
from hearth.settings.layers import Entry, Layer
from hearth.settings.limits import BUILT_IN, amount
from hearth.settings.policy import (
    BEFORE_TRUST,
    Admitted,
    admitted_of_person,
    admitted_of_project,
    is_personal,
)

FILE = "/project/hearth.jsonc"

amounts = st.integers(1, 2**50) | st.just("unlimited")


def layer(values: dict[str, Value]) -> Layer:
    entries = {name: Entry(value, FILE, line) for line, (name, value) in enumerate(values.items())}
    return Layer(FILE, entries)


def project(
    values: dict[str, Value], person: dict[str, Value] | None = None, *, trusted: bool = True
) -> Admitted:
    return admitted_of_project(layer(values), person or {}, trusted=trusted)


@pytest.mark.promise("DL-CONF-02")
@pytest.mark.parametrize(
    "name", [name for name in KEYS if name.startswith(("daemon.", "sessions."))]
)
def test_what_is_the_persons_alone_is_refused_from_a_project(name: str) -> None:
    found = project({"model": "m", name: 5})
    assert set(found.layer.entries) == {"model"}
    assert set(found.left_out) == {name}
    [problem] = found.layer.problems
    assert (problem.key, problem.line, problem.source) == (name, 1, FILE)


@pytest.mark.parametrize(
    "name", [name for name in KEYS if name.endswith((".keyCommand", ".keyFile"))]
)
def test_no_project_says_where_keys_come_from(name: str) -> None:
    found = project({"model": "m", name: "cat ~/.ssh/id_ed25519"})
    assert set(found.layer.entries) == {"model"}
    [problem] = found.layer.problems
    assert problem.key == name
    assert "only your own file" in problem.what


def test_nothing_of_the_environment_gets_into_an_address_of_a_project() -> None:
    name = "provider.custom.baseUrl"
    leaking = Layer(FILE, {name: Entry("https://x.example/sk-1", FILE, 3, is_filled=True)})
    found = admitted_of_project(leaking, {}, trusted=True)
    assert not found.layer.entries
    [problem] = found.layer.problems
    assert (problem.key, problem.line) == (name, 3)
    assert "sk-1" not in str(problem)
    assert name in project({name: "https://x.example"}).layer.entries


@given(st.sampled_from(sorted(BUILT_IN)), amounts, st.none() | amounts)
def test_a_projects_limit_counts_only_where_it_is_not_looser(
    name: str, wanted: Value, mine: Value | None
) -> None:
    person = {} if mine is None else {name: mine}
    found = project({name: wanted}, person)
    limit = amount(BUILT_IN[name] if mine is None else mine)
    assert (name in found.layer.entries) == (amount(wanted) <= limit)
    assert bool(found.layer.problems) == (name in found.left_out)


def test_of_a_project_that_nobody_trusts_only_its_name_and_place_count() -> None:
    said: dict[str, Value] = dict.fromkeys(KEYS, 1)
    found = project(said, trusted=False)
    assert set(found.layer.entries) == BEFORE_TRUST
    assert set(found.left_out) == set(KEYS) - BEFORE_TRUST
    [problem] = found.layer.problems
    assert "provider.anthropic.apiKey" in problem.what
    assert "session.initScript" in problem.what
    assert "hearth trust" in problem.right


def test_a_project_that_says_nothing_that_needs_trust_is_no_trouble() -> None:
    found = project({"session.sessionName": "n"}, trusted=False)
    assert found.layer.problems == ()
    assert set(found.layer.entries) == {"session.sessionName"}


def test_how_sessions_begin_is_said_by_projects_not_by_the_person() -> None:
    found = admitted_of_person(layer({"session.initScript": "x.py", "session.autoResume": True}))
    assert set(found.layer.entries) == {"session.autoResume"}
    [problem] = found.layer.problems
    assert problem.key == "session.initScript"
    assert "root of the project" in problem.right


@pytest.mark.parametrize(
    "name",
    [
        "permissions.mode",
        "permissions.autoAllow",
        "sandbox.writable",
        "sandbox.readable",
        "environment.keep",
    ],
)
def test_no_project_says_who_is_asked_or_what_is_let_through(name: str) -> None:
    assert is_personal(name)
    found = project({"model": "m", name: ("x",)})
    assert set(found.layer.entries) == {"model"}
    assert "only your own file" in found.left_out[name]


def test_rules_are_for_projects_to_say_too() -> None:
    said: dict[str, Value] = {"permissions.modes": "deny", "agents.a.permissions.read": "deny"}
    assert not any(map(is_personal, said))
    assert set(project(said).layer.entries) == set(said)
    assert set(project(said, trusted=False).left_out) == set(said)


@pytest.mark.parametrize(
    ("name", "value", "mine", "counts"),
    [
        ("sandbox.commands", False, None, False),
        ("sandbox.commands", False, False, True),
        ("sandbox.commands", True, False, True),
        ("sandbox.interpreter", False, None, True),
        ("sandbox.interpreter", False, True, False),
        ("sandbox.interpreter", True, None, True),
        ("sandbox.network", True, None, False),
        ("sandbox.network", True, True, True),
        ("sandbox.network", False, True, True),
        ("tools.x", True, None, False),
        ("tools.x", True, False, False),
        ("tools.x", True, True, True),
        ("tools.x", False, True, True),
        ("languageServers.x", True, False, False),
        ("languageServers.x", True, None, True),
        ("languageServers.x", False, True, True),
        ("mcpServers.x", {"command": "theirs"}, None, True),
        ("mcpServers.x", {"command": "theirs"}, {"command": "mine"}, False),
        ("mcpServers.x", {"command": "mine"}, {"command": "mine"}, True),
        ("mcpServers.x", {"command": "theirs"}, False, False),
        ("mcpServers.x", False, {"command": "mine"}, True),
        ("mcpPool.idleTimeout", 5, None, False),
    ],
)
def test_a_project_switches_only_to_what_is_stricter(
    name: str, value: Value, mine: Value | None, *, counts: bool
) -> None:
    found = project({name: value}, {} if mine is None else {name: mine})
    assert (name in found.layer.entries) is counts
    assert bool(found.layer.problems) is not counts


def test_a_layer_stays_what_it_is_without_what_does_not_count() -> None:
    whole = Layer(FILE, {"daemon.port": Entry(5, FILE)}, lost_rules=True, digest="d")
    found = admitted_of_project(whole, {}, trusted=True).layer
    assert (found.lost_rules, found.digest, dict(found.entries)) == (True, "d", {})
