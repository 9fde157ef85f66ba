import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.settings import keeping
from hearth.settings.keeping import Change, SettingsKeeper
from hearth.settings.layers import Entry, Layer
from hearth.settings.roots import Root
from hearth.settings.schema import DEFAULT_MODEL


def trusting(_root: Root) -> bool:
    return True


class Place:
    """A person's file, a project and whoever keeps their settings."""

    def __init__(self, folder: Path) -> None:
        self.mine = folder / "config" / "hearth.jsonc"
        self.mine.parent.mkdir()
        self.root = folder / "project"
        (self.root / ".git").mkdir(parents=True)
        self.theirs = self.root / "hearth.jsonc"
        self.told: list[Change] = []

    def keeper(
        self,
        environ: dict[str, str] | None = None,
        trusted: Callable[[Root], bool] = trusting,
    ) -> SettingsKeeper:
        keeper = SettingsKeeper(self.mine, environ or {}, trusted=trusted)
        keeper.listen(self.told.append)
        return keeper


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.promise("DL-CONF-02")
def test_the_layers_are_read_from_their_files(place: Place) -> None:
    place.mine.write_text('{"model": "mine", "maxTurns": 3}')
    place.theirs.write_text('{"model": "theirs"}')
    keeper = place.keeper({"HEARTH_MODEL": "environment"})
    (place.root / "below").mkdir()
    found = keeper.current(place.root / "below")
    assert found.sources == (str(place.mine), str(place.theirs), "environment")
    assert (found.settings.model, found.settings.max_turns) == ("environment", 3)
    found = place.keeper().current(place.root)
    assert (found.settings.model, found.sources[-1]) == ("theirs", str(place.theirs))
    place.theirs.unlink()
    found = place.keeper().current(place.root)
    assert (found.settings.model, found.sources) == ("mine", (str(place.mine),))
    place.mine.unlink()
    found = place.keeper().current(place.root)
    assert (found.settings.model, found.sources, found.warnings) == (DEFAULT_MODEL, (), ())


def test_a_snapshot_says_which_project_it_is_for_and_whether_that_is_trusted(place: Place) -> None:
    for says in (None, '{"model": "m"}'):
        if says is not None:
            place.theirs.write_text(says)
        found = place.keeper().current(place.root)
        assert (found.root, found.trusted) == (str(place.root), True)
        strange = place.keeper(trusted=lambda _: False).current(place.root)
        assert (strange.root, strange.trusted) == (str(place.root), False)
    assert (place.keeper().current().root, place.keeper().current().trusted) == ("", False)


def test_a_change_of_the_persons_file_forgets_no_trust(place: Place) -> None:
    keeper = place.keeper()
    keeper.current(place.root)
    place.mine.write_text('{"model": "m"}')
    keeper.current()
    found = keeper.current(place.root)
    assert (found.settings.model, found.root, found.trusted) == ("m", str(place.root), True)


@pytest.mark.promise("DL-CONF-12")
@pytest.mark.parametrize("broken", ['{"model": ', '{"modle": "x"}', '{"maxTurns": 0}', "\0"])
def test_a_broken_file_alone_is_skipped_and_told(place: Place, broken: str) -> None:
    place.mine.write_text('{"maxTurns": 3}')
    place.theirs.write_text(broken)
    found = place.keeper().current(place.root)
    assert found.settings.max_turns == 3
    assert found.settings.model == DEFAULT_MODEL
    assert found.sources == (str(place.mine),)
    [problem] = found.warnings
    assert (problem.source, problem.line) == (str(place.theirs), 1)
    assert problem.right
    place.mine.write_text(broken)
    place.theirs.write_text('{"model": "theirs"}')
    found = place.keeper().current(place.root)
    assert (found.settings.model, found.settings.max_turns) == ("theirs", None)
    assert [problem.source for problem in found.warnings] == [str(place.mine)]


def test_a_broken_file_on_the_way_to_the_root_is_told_too(place: Place) -> None:
    nested = place.root / "below" / "hearth.jsonc"
    nested.parent.mkdir()
    nested.write_text('{"session": {"isroot": true}}')
    found = place.keeper().current(nested.parent)
    assert [problem.source for problem in found.warnings] == [str(nested)]


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "gone", "\udcff"])
def test_for_a_folder_that_cannot_be_the_persons_settings_hold(place: Place, name: str) -> None:
    place.mine.write_text('{"model": "mine"}')
    found = place.keeper().current(place.mine.parent / name)
    assert found.settings.model == "mine"


@pytest.mark.promise("DP-CONF-16")
def test_a_valid_change_holds_at_once_and_is_told(place: Place) -> None:
    place.mine.write_text('{"model": "one"}')
    keeper = place.keeper()
    before = keeper.current()
    place.mine.write_text('{"model": "two", "maxTurns": 4}')
    change = keeper.reload()
    assert change == Change((str(place.mine),), ("maxTurns", "model"), ())
    assert place.told == [change]
    assert keeper.current().settings.model == "two"
    assert before.settings.model == "one", "who holds a snapshot sees no change"
    assert keeper.reload() is None
    assert len(place.told) == 1


@pytest.mark.promise("DP-CONF-16")
def test_an_invalid_change_keeps_what_held_and_is_told(place: Place) -> None:
    place.mine.write_text('{"model": "one"}')
    keeper = place.keeper()
    place.mine.write_text('{"model": ""}')
    change = keeper.reload()
    assert change is not None
    assert change.changed == ()
    [problem] = change.problems
    assert problem.startswith(f"{place.mine}:1: model: ")
    assert "still holds" in problem
    assert keeper.current().settings.model == "one"
    assert keeper.reload() is None, "it is told once"
    place.mine.write_text('{"model": "one"}')
    assert keeper.reload() == Change((str(place.mine),), (), ()), "all is well again"


def test_a_change_that_somebody_meets_by_asking_is_told_as_well(place: Place) -> None:
    keeper = place.keeper()
    keeper.current(place.root)
    place.theirs.write_text('{"model": "theirs"}')
    assert keeper.current(place.root).settings.model == "theirs"
    assert [change.changed for change in place.told] == [("model",)]
    assert keeper.reload() is None


def test_a_change_of_the_persons_file_reaches_every_project(place: Place) -> None:
    place.theirs.write_text('{"maxTurns": 3}')
    keeper = place.keeper()
    keeper.current(place.root)
    place.mine.write_text('{"model": "mine"}')
    keeper.reload()
    found = keeper.current(place.root)
    assert (found.settings.model, found.settings.max_turns) == ("mine", 3)
    assert len(place.told) == 1


def test_a_project_counts_in_full_once_it_is_trusted(place: Place) -> None:
    trusted = threading.Event()
    place.theirs.write_text('{"model": "{env:SECRET}", "session": {"sessionName": "shop"}}')
    keeper = place.keeper({"SECRET": "s"}, lambda _root: trusted.is_set())
    before = keeper.current(place.root)
    assert before.settings.model == DEFAULT_MODEL
    assert before.settings.session.session_name == "shop"
    assert len(before.warnings) == 1
    assert before.said["model"][-1].entry.value == "{env:SECRET}", "it learns nothing of mine"
    trusted.set()
    found = keeper.current(place.root)
    assert (found.settings.model, found.warnings) == ("s", ())
    assert [change.changed for change in place.told] == [("model",)]


def test_what_is_kept_of_a_broken_project_is_as_trusted_as_it_was(place: Place) -> None:
    place.theirs.write_text('{"model": "theirs"}')
    good = place.theirs.read_bytes()
    keeper = place.keeper(trusted=lambda _root: place.theirs.read_bytes() == good)
    assert keeper.current(place.root).settings.model == "theirs"
    place.theirs.write_text('{"model": ')
    assert keeper.current(place.root).settings.model == "theirs"
    place.theirs.write_text('{"model": "evil"}')
    assert keeper.current(place.root).settings.model == DEFAULT_MODEL


@pytest.mark.promise("DL-CONF-14")
def test_a_managed_layer_lies_over_all_others(place: Place) -> None:
    managed = Layer("managed", {"model": Entry("managed", "managed")})
    place.mine.write_text('{"model": "mine"}')
    keeper = SettingsKeeper(place.mine, {"HEARTH_MODEL": "e"}, managed=managed)
    found = keeper.current()
    assert found.settings.model == "managed"
    assert found.sources == (str(place.mine), "environment", "managed")


def test_the_environment_is_the_one_that_was_given(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_MODEL", "of the process")
    assert place.keeper().current().settings.model == DEFAULT_MODEL


def test_whoever_ends_listening_is_told_no_more_and_who_fails_harms_nobody(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    keeper = SettingsKeeper(place.mine, {})
    heard: list[Change] = []

    def failing(_change: Change) -> None:
        raise RuntimeError("deaf")

    keeper.listen(failing)
    end = keeper.listen(heard.append)
    place.mine.write_text('{"model": "a"}')
    keeper.reload()
    assert len(heard) == 1
    assert "could not be told" in caplog.text
    end()
    end()
    place.mine.write_text('{"model": "b"}')
    keeper.reload()
    assert len(heard) == 1


def test_the_files_that_matter_are_known_and_bounded(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_ROOTS", 2)
    keeper = place.keeper()
    for name in ("a", "b", "c"):
        (place.root / name / ".git").mkdir(parents=True)
        keeper.current(place.root / name)
    assert keeper.files() == (
        place.mine,
        place.root / "b" / "hearth.jsonc",
        place.root / "c" / "hearth.jsonc",
    )


def test_a_root_that_is_none_any_more_is_forgotten(place: Place) -> None:
    keeper = place.keeper()
    inner = place.root / "inner"
    (inner / ".git").mkdir(parents=True)
    keeper.current(inner)
    (inner / ".git").rmdir()
    keeper.reload()
    assert keeper.files() == (place.mine, place.theirs)


@pytest.mark.promise("DP-CONF-16")
def test_no_reader_ever_sees_half_a_change(place: Place) -> None:
    place.mine.write_text('{"model": "0", "systemPrompt": "0"}')
    keeper = SettingsKeeper(place.mine, {})
    stop = threading.Event()
    halves: list[tuple[str, str | None]] = []

    def read() -> None:
        while not stop.is_set():
            found = keeper.current().settings
            if found.model != found.system_prompt:
                halves.append((found.model, found.system_prompt))

    readers = [threading.Thread(target=read, daemon=True) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(100):
        # As editors and hearth itself write: whole files, put in place at once.
        new = place.mine.with_suffix(".new")
        new.write_text(f'{{"model": "{number}", "systemPrompt": "{number}"}}')
        new.replace(place.mine)
        keeper.reload()
    stop.set()
    for reader in readers:
        reader.join(30)
    assert not any(reader.is_alive() for reader in readers)
    assert not halves
    assert keeper.current().settings.model == "99"


def test_changed_rules_are_told_also_where_another_file_has_the_last_word(place: Place) -> None:
    place.mine.write_text('{"permissions": {"read": {"a": "ask", "b": "deny"}}}')
    place.theirs.write_text('{"permissions": {"read": "allow"}}')
    keeper = place.keeper()
    keeper.current(place.root)
    place.mine.write_text('{"permissions": {"read": {"b": "deny", "a": "ask"}}}')
    change = keeper.reload()
    assert change is not None
    assert change.changed == ("permissions.read",)
    assert keeper.reload() is None


def test_a_file_of_which_nothing_is_known_is_named(place: Place) -> None:
    place.mine.write_text("{")
    place.theirs.write_text("{}")
    keeper = place.keeper()
    assert keeper.current(place.root).unread == (str(place.mine),)
    place.mine.write_text("{}")
    assert keeper.current(place.root).unread == ()
    place.mine.write_text("{")
    assert keeper.current(place.root).unread == (), "what it said before still holds"
    place.theirs.write_text("{")
    assert place.keeper().current(place.root).unread == (str(place.mine), str(place.theirs))


def test_trust_decides_what_of_the_environment_an_unchanged_file_is_given(place: Place) -> None:
    place.theirs.write_text('{"session": {"sessionName": "n"}, "model": "{env:A}"}')
    is_trusted = [False]
    keeper = place.keeper({"A": "secret"}, trusted=lambda _: is_trusted[0])
    assert keeper.current(place.root).settings.model == DEFAULT_MODEL
    is_trusted[0] = True
    assert keeper.current(place.root).settings.model == "secret"
    is_trusted[0] = False
    before = keeper.current(place.root)
    assert before.settings.model == DEFAULT_MODEL
    assert "secret" not in str(before.said)
