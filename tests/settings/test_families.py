import pytest

from hearth.settings.families import FAMILIES, family_of, inside, is_group, naming


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("permissions.read", ("permissions", "*")),
        ("permissions.*", ("permissions", "*")),
        ("permissions.web_?", ("permissions", "*")),
        ("agents.a-*.permissions.read", ("agents", "*", "permissions", "*")),
        ("tools.run_shell", ("tools", "*")),
        ("languageServers.ty", ("languageServers", "*")),
        ("mcpServers.git-hub", ("mcpServers", "*")),
        ("agents.a-*.mcpServers", ("agents", "*", "mcpServers")),
    ],
)
def test_a_name_belongs_to_one_family(name: str, parts: tuple[str, ...]) -> None:
    found = family_of(name)
    assert found is not None
    assert found.parts == parts


@pytest.mark.parametrize(
    "name",
    [
        "permissions",
        "permissions.",
        "permissions.a.b",
        "permissions.a b",
        f"permissions.{'a' * 101}",
        "permissions.ünder",
        "permissions.a\n",
        "tools.*",
        "mcpServers.a_b",
        f"mcpServers.{'a' * 41}",
        "agents.a.read",
        "agents.a.tools.b",
        "model",
        "",
    ],
)
def test_other_names_belong_to_none(name: str) -> None:
    assert family_of(name) is None


def test_objects_of_families_are_known_with_what_stands_in_them() -> None:
    assert is_group("agents")
    assert is_group("agents.x")
    assert not is_group("agents.x.other")
    assert not is_group("agents.x y")
    assert inside("") == (
        "permissions",
        "agents",
        "tools",
        "languageServers",
        "mcpServers",
        "agents",
    )
    assert inside("agents.x") == ("permissions", "mcpServers")
    assert inside("agents") == ()
    named = naming("agents")
    assert named is not None
    assert named.named.startswith("a name of")
    assert naming("agents.x") is None
    assert naming("") is None


def test_every_family_says_what_it_means_and_what_is_right() -> None:
    for family in FAMILIES:
        assert family.description.endswith(".")
        assert family.right
        assert not family.right.endswith(".")
