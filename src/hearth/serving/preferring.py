"""What a person set about interpreters, as the interpreters read it."""

from typing import Any

from hearth.performers.interpreter.planning import Prefers
from hearth.performers.interpreter.preferences import Preferences
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.roots import Root
from hearth.settings.schema import InterpreterSettings

UNLIMITED = "unlimited"


def preferences(said: InterpreterSettings) -> Preferences:
    """Whatever was set; the rest is as it is without settings."""
    chosen: dict[str, Any] = {
        name: None if value == UNLIMITED else value
        for name in Preferences.__struct_fields__
        if (value := getattr(said, name)) is not None
    }
    return Preferences(**chosen)


def preferred(keeper: SettingsKeeper) -> Prefers:
    """How interpreters are run in a project: as the person set it, or stricter; as of now."""

    def prefers(root: Root | None) -> Preferences:
        snapshot = keeper.current(root.path if root is not None else None)
        return preferences(snapshot.settings.interpreter)

    return prefers
