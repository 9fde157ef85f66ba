from hearth.performers.interpreter.preferences import Preferences
from hearth.settings.keys import KEYS
from hearth.settings.limits import BUILT_IN, amount
from hearth.settings.schema import InterpreterSettings


def test_what_is_built_in_is_what_interpreters_do_when_nobody_says_otherwise() -> None:
    names = InterpreterSettings.__struct_fields__
    assert names == Preferences.__struct_fields__
    keys = [f"interpreter.{name}" for name in InterpreterSettings.__struct_encode_fields__]
    assert list(BUILT_IN) == keys
    defaults = Preferences()
    assert list(BUILT_IN.values()) == [getattr(defaults, name) for name in names]
    assert set(keys) <= set(KEYS)


def test_no_limit_is_more_than_any() -> None:
    assert amount("unlimited") > amount(10**30) > amount(2.5)
