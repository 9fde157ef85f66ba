import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from tests.performers.tools.staging import SESSION, Pretended

from hearth.core.rules.tooling import DECLARED
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.tool import Scene

SCENE = Scene(SESSION, "/x")


def declared(registry: Registry, scene: Scene = SCENE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(registry.offered(scene).declarations)
    return found


def test_the_sessions_own_tools_are_always_declared() -> None:
    assert [one["name"] for one in declared(Registry())] == [
        "check_code",
        "compact_conversation",
        "inspect",
        "keep_variant",
        "run_code",
        "tasks",
        "try_code",
        "undo_code",
    ]
    assert Registry().offered(SCENE).read_only == ("check_code", "inspect")
    assert Registry().tool("run_code", SCENE) is None, "others carry it out"


@pytest.mark.promise("DP-WIRE-06")
def test_tools_are_declared_in_the_same_bytes_in_whatever_order_they_come() -> None:
    one = Pretended("b", input_schema={"type": "object", "properties": {"y": {}, "x": {}}})
    same = Pretended("b", input_schema={"properties": {"x": {}, "y": {}}, "type": "object"})
    other = Pretended("z", read_only=True)
    registries = (Registry([one, other]), Registry([other, same]))
    first, second = (registry.offered(SCENE).declarations for registry in registries)
    assert first == second
    names = [tool["name"] for tool in json.loads(first)]
    assert names == sorted(names)
    assert list(json.loads(first)[0]) == ["name", "description", "input_schema"]
    assert ": " not in first.partition("description")[0], "compact"


def test_what_is_not_offered_here_is_not_declared() -> None:
    registry = Registry([Pretended("b", read_only=True, offers=lambda scene: bool(scene.root))])
    assert "b" not in registry.offered(SCENE).names
    inside = Scene(SESSION, "/x", "/x")
    assert registry.offered(inside).names[0] == "b"
    assert registry.offered(inside).read_only == ("b", "check_code", "inspect")


def test_every_declaration_is_a_schema_of_an_object() -> None:
    for one in declared(Registry()):
        Draft202012Validator.check_schema(one["input_schema"])
        assert one["input_schema"]["type"] == "object"
        assert one["description"]


@pytest.mark.parametrize(
    "tools",
    [
        [Pretended("a"), Pretended("a")],
        [Pretended(DECLARED[0].name)],
        [Pretended("with space")],
        [Pretended("")],
        [Pretended("x" * 65)],
    ],
)
def test_names_that_models_could_not_tell_apart_are_a_defect(tools: list[Pretended]) -> None:
    with pytest.raises(ValueError, match="name"):
        Registry(tools)


def test_what_may_be_called_is_what_is_offered() -> None:
    tools = [Pretended("one"), Pretended("two", offers=lambda _: False)]
    registry = Registry(tools, lambda _scene, name: name == "inspect")
    scene = Scene(SESSION, "/")
    for name in ("one", "two", "inspect", "run_code", "nothing"):
        assert registry.may_be_called(name, scene) == (name in registry.offered(scene).names)
    assert registry.may_be_called("one", scene)
    assert not registry.may_be_called("inspect", scene)


class Elsewhere:
    """Tools that there are in projects only."""

    def __init__(self, *tools: Pretended) -> None:
        self._tools = tools

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        return (f"looked at {scene.root}",)

    def tools(self, scene: Scene) -> tuple[Pretended, ...]:
        return self._tools[:-1] if scene.root else ()

    def tool(self, name: str, scene: Scene) -> Pretended | None:
        found = (one for one in self._tools if one.name == name)
        return next(found, None) if scene.root else None


async def test_a_source_has_tools_in_some_places_and_not_all_are_told() -> None:
    a, b, untold = Pretended("s__a"), Pretended("s__b"), Pretended("s__untold")
    registry = Registry([], lambda _scene, name: name == "s__b", [Elsewhere(a, b, untold)])
    inside = Scene(SESSION, "/x", "/x")
    assert await registry.prepare(inside) == ("looked at /x",)
    assert "s__a" in registry.offered(inside).names
    assert "s__b" not in registry.offered(inside).names, "it is switched off"
    assert "s__untold" not in registry.offered(inside).names
    assert registry.tool("s__untold", inside) is untold
    assert registry.may_be_called("s__untold", inside)
    assert not registry.may_be_called("s__b", inside)
    assert not registry.may_be_called("s__none", inside)
    assert "s__a" not in registry.offered(SCENE).names
    assert not registry.may_be_called("s__a", SCENE)


def test_no_source_takes_the_place_of_a_tool_of_ours_or_has_an_unfit_name() -> None:
    mine = Pretended("mine")
    others = Elsewhere(Pretended("mine"), Pretended("run_code"), Pretended("a b"), Pretended("z"))
    registry = Registry([mine], sources=[others])
    inside = Scene(SESSION, "/x", "/x")
    names = registry.offered(inside).names
    assert names.count("mine") == names.count("run_code") == 1
    assert "a b" not in names
    assert registry.tool("mine", inside) is mine
    assert registry.tool("run_code", inside) is None
