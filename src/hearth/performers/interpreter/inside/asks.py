"""Finds who answers a `hearth_request`. The answerers are imported when first asked."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any, Final

_MODULES: Final = ("asking", "exploring", "preparing", "reloading", "fingerprinting")

Ask = Callable[[Any, dict[str, Any]], Any]

_found: dict[str, Ask] = {}


def answerer(name: str) -> Ask:
    """The function that answers; raises LookupError if nobody does."""
    if not _found:
        for module in _MODULES:
            _found.update(_asks_of(module))
    try:
        return _found[name]
    except KeyError:
        raise LookupError(f"nobody answers {name!r}; asked may be: {', '.join(_found)}") from None


def _asks_of(module: str) -> dict[str, Ask]:
    try:
        found: dict[str, Ask] = importlib.import_module(f".{module}", __package__).ASKS
    except (ImportError, AttributeError):
        # One that is broken or missing costs its own questions only; the others are answered.
        return {}
    return found


def _call(ask: Ask, subject: Any, args: dict[str, Any]) -> Any:
    """A frame of its own: an interrupt that finds it on the stack ends the question."""
    return ask(subject, args)


ASKING: Final = _call.__code__


async def answer(ask: Ask, subject: Any, args: Any) -> dict[str, Any]:
    """The content of the reply; whatever goes wrong is in it."""
    try:
        found = _call(ask, subject, args if isinstance(args, dict) else {})
        if inspect.isawaitable(found):
            found = await found
    except (Exception, KeyboardInterrupt) as broken:  # noqa: BLE001 - an error is an answer too
        return {"status": "error", "ename": type(broken).__name__, "evalue": str(broken)}
    return {"status": "ok", "answer": found}


_last_told: dict[str, Any] = {}


def take_saved(shell: Any) -> dict[str, Any] | None:
    """Load anew what was saved since the last cell, and tell it; None if nothing was."""
    try:
        reloading: Any = importlib.import_module(".reloading", __package__)
        taken: dict[str, Any] | None = reloading.take_saved(shell)
    except Exception:  # noqa: BLE001 - a cell runs also with what was loaded before
        return None
    return taken


def surroundings(shell: Any, code: str) -> dict[str, Any]:
    """The parts of the environment that the code uses; the whole environment if it changed."""
    told: dict[str, Any] = {"uses": {}, "environment": None}
    try:
        fingerprinting: Any = importlib.import_module(".fingerprinting", __package__)
        told["uses"] = fingerprinting.uses(shell, code)
        environment = fingerprinting.environment(shell, {})
    except Exception:  # noqa: BLE001 - a cell's reply does not depend on it
        return told
    if environment != _last_told:
        _last_told.clear()
        _last_told.update(environment)
        told["environment"] = environment
    return told
