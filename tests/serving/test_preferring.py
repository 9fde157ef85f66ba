"""What is set about interpreters reaches them."""

import msgspec

from hearth.performers.interpreter.preferences import Preferences
from hearth.serving.preferring import preferences
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
