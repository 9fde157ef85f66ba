from typing import Any, get_args

import msgspec
import pytest

from hearth.core.vocabulary.prompting import Effort
from hearth.settings import schema
from hearth.settings.schema import DEFAULT_MODEL, Settings


@pytest.mark.promise("DL-CONF-06")
def test_the_model_is_the_only_setting_with_a_value_of_its_own() -> None:
    assert _set(msgspec.to_builtins(Settings())) == {"model": DEFAULT_MODEL}


def test_the_efforts_are_those_that_models_can_be_asked_for() -> None:
    assert set(get_args(schema.Effort)) == set(Effort)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Settings().model = "other"  # type: ignore[misc] # that is what must not be possible


def _set(values: dict[str, Any]) -> dict[str, Any]:
    """Without what nobody has set."""
    inside = {key: _set(one) if isinstance(one, dict) else one for key, one in values.items()}
    return {key: one for key, one in inside.items() if one not in (None, {})}
