import gc
from types import SimpleNamespace
from typing import Any

from tests.performers.interpreter.inside import trapped

from hearth.performers.interpreter.inside.patching import Patch
from hearth.performers.interpreter.inside.strays import (
    correct,
    many_young,
    namespaces,
    rebind,
    sweep,
)


def patched(*old: type, into: dict[str, Any] | None = None) -> tuple[Patch, list[type]]:
    """A patch in which new classes were made for old ones."""
    before: dict[str, Any] = {one.__name__: one for one in old}
    new = [type(one.__name__, (), {"__module__": __name__}) for one in old]
    namespace: dict[str, Any] = {**(into or {}), **{one.__name__: one for one in new}}
    patch = Patch(namespace, before, {}, __name__)
    patch.apply()
    return patch, new


class Old:
    pass


class Other:
    pass


def test_what_an_older_registry_holds_is_found() -> None:
    registry: dict[str, Any] = {"a": {"deep": []}, "set": set()}
    gc.collect()
    patch, (new,) = patched(Old)
    registry["class"] = new
    registry["a"]["deep"].append(new)
    registry["set"].add(new)
    registry["instance"] = new()
    registry["derived"] = type("Derived", (new,), {})

    def closure() -> type:
        return new

    gc.collect()  # now none of it is young any more
    sweep(patch)
    assert registry["class"] is Old
    assert registry["a"]["deep"] == [Old]
    assert registry["set"] == {Old}
    assert type(registry["instance"]) is Old
    assert registry["derived"].__bases__ == (Old,)
    assert closure() is Old
    assert patch.fresh == []


def test_the_inside_of_a_class_is_not_changed_behind_its_back() -> None:
    patch, (new,) = patched(Old)
    holder = type("Holder", (), {"held": new})
    gc.collect()
    sweep(patch)
    assert holder.held is new  # type: ignore[attr-defined]  # it was given right above


def test_keys_of_a_map_are_corrected_with_their_values() -> None:
    patch, (new, other) = patched(Old, Other)
    table: dict[Any, Any] = {new: other}
    sweep(patch)
    assert table == {Old: Other}


def test_no_code_of_those_who_hold_something_is_run() -> None:
    value = trapped.trapped()
    patch, (new,) = patched(Old, into={"value": value})
    object.__getattribute__(value, "__dict__")["held"] = new
    gc.collect()
    correct(patch, [value, [value], object.__getattribute__(value, "__dict__")])
    assert trapped.touched == []
    assert object.__getattribute__(value, "__dict__")["held"] is Old


def test_the_thresholds_of_the_collector_come_back() -> None:
    before = gc.get_threshold()
    with many_young():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before


def test_a_collector_that_is_off_stays_off() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with many_young():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_names_of_what_was_replaced_get_the_new_one() -> None:
    shell = SimpleNamespace(user_ns={"a": Old, "b": [Old], "c": Other})
    spaces = namespaces(shell, ["no_such_module_x"])
    assert len(spaces) == 1
    rebind([(Old, Other)], spaces)
    assert shell.user_ns == {"a": Other, "b": [Old], "c": Other}
