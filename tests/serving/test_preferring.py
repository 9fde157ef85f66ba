"""What is set about interpreters reaches them."""

from pathlib import Path

import msgspec

from hearth.performers.interpreter.preferences import Preferences
from hearth.serving.preferring import preferences, preferred
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.roots import find_root
from hearth.settings.schema import InterpreterSettings


def test_without_settings_everything_is_as_it_is() -> None:
    assert preferences(InterpreterSettings()) == Preferences()


def test_every_preference_can_be_set() -> None:
    assert set(InterpreterSettings.__struct_fields__) == set(Preferences.__struct_fields__)
    said = dict.fromkeys(Preferences.__struct_fields__, 7)
    set_ = preferences(msgspec.structs.replace(InterpreterSettings(), **said))
    assert msgspec.structs.asdict(set_) == said


def test_no_limit_is_a_limit_that_is_not_there() -> None:
    said = preferences(InterpreterSettings(memory="unlimited", processes="unlimited"))
    assert said.memory is None
    assert said.processes is None
    assert said.output == Preferences().output


def test_no_spare_at_all_is_a_choice() -> None:
    assert preferences(InterpreterSettings(spares=0)).spares == 0


def test_a_project_is_as_strict_as_it_wants_and_never_laxer(tmp_path: Path) -> None:
    mine, shop = tmp_path / "hearth.jsonc", tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    mine.write_text('{"interpreter": {"processes": 50, "memory": "1 GiB"}}')
    (shop / "hearth.jsonc").write_text('{"interpreter": {"processes": 7, "memory": "9 GiB"}}')
    prefers = preferred(SettingsKeeper(mine, {}, trusted=lambda _: True))
    assert (prefers(None).processes, prefers(None).memory) == (50, 1 << 30)
    there = prefers(find_root(shop))
    assert (there.processes, there.memory) == (7, 1 << 30)
    assert there.output == Preferences().output
