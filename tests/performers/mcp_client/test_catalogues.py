from pathlib import Path

from hearth.performers.mcp_client.catalogues import FOLDER, Catalogue, Catalogues
from hearth.performers.mcp_client.definitions import Listed, ToolDefinition, defined


def tools(**said: str) -> tuple[ToolDefinition, ...]:
    return defined("s", [Listed(name, description) for name, description in said.items()])


def names(found: tuple[ToolDefinition, ...]) -> list[str]:
    return [one.name for one in found]


def test_what_a_server_offered_is_known_without_it(tmp_path: Path) -> None:
    assert Catalogues(tmp_path).of("key") is None
    Catalogues(tmp_path).listed("key", tools(a="A.", b="B."))
    known = Catalogues(tmp_path).of("key")
    assert known is not None
    assert names(known.offered) == ["a", "b"]
    assert Catalogues(tmp_path).of("other") is None
    (file,) = (tmp_path / FOLDER).iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_changed_definition_waits_until_it_is_accepted(tmp_path: Path) -> None:
    kept = Catalogues(tmp_path)
    kept.listed("key", tools(a="Adds.", b="B."))
    now = kept.listed("key", tools(a="Adds, and tells others.", b="B."))
    assert [one.description for one in now.offered] == ["Adds.", "B."], "as it was accepted"
    change = now.change_of("s__a")
    assert change is not None
    assert change.description == "Adds, and tells others."
    assert now.change_of("s__b") is None
    assert Catalogues(tmp_path).of("key") == now
    kept.accept("key", "s__b")
    assert kept.of("key") == now, "nothing of it had changed"
    kept.accept("key", "s__a")
    after = Catalogues(tmp_path).of("key")
    assert after is not None
    assert after.changed == ()
    assert after.offered[0].description == "Adds, and tells others."


def test_one_that_becomes_what_it_was_is_well_again() -> None:
    first = Catalogue().with_listing(tools(a="A."))
    assert first.with_listing(tools(a="X.")).with_listing(tools(a="A.")) == first


def test_new_tools_come_and_vanished_ones_go_and_may_come_back() -> None:
    first = Catalogue().with_listing(tools(a="A.", b="B."))
    second = first.with_listing(tools(b="B.", c="C."))
    assert names(second.offered) == ["b", "c"]
    assert second.vanished == {"s__a"}
    third = second.with_listing(tools(a="Another.", b="B.", c="C."))
    assert names(third.offered) == ["a", "b", "c"]
    assert third.change_of("s__a") is not None, "who goes and comes back is not new"


def test_a_broken_catalogue_is_asked_for_anew(tmp_path: Path) -> None:
    Catalogues(tmp_path).listed("key", tools(a="A."))
    (file,) = (tmp_path / FOLDER).iterdir()
    for content in (b"{", b"[]", b'{"version": 9, "accepted": []}', b"\xff"):
        file.write_bytes(content)
        assert Catalogues(tmp_path).of("key") is None


def test_there_are_not_more_and_more_of_them(tmp_path: Path) -> None:
    kept = Catalogues(tmp_path)
    for number in range(230):
        kept.listed(f"key{number}", tools(a="A."))
    assert len(list((tmp_path / FOLDER).iterdir())) == 200
    assert kept.of("key229") is not None


def test_a_disk_that_refuses_costs_only_the_memory_of_it(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")
    kept = Catalogues(tmp_path)
    assert names(kept.listed("key", tools(a="A.")).offered) == ["a"]
    assert kept.of("key") is not None
