import importlib
import sys
from types import ModuleType

import pytest

from hearth.performers.judging.python_listed import PARTS, WHOLE


@pytest.mark.parametrize("module", sorted(WHOLE - {"this"}))
def test_modules_that_are_listed_as_a_whole_hold_nothing_of_others(module: str) -> None:
    known = {*WHOLE, *PARTS} | {f"_{name}" for name in WHOLE} | {"_blake2", "_hashlib"}
    found = importlib.import_module(module)
    for name in dir(found):
        value = getattr(found, name)
        if name.startswith("_") or module == "builtins":
            continue
        if isinstance(value, ModuleType):
            assert name in sys.stdlib_module_names, name
        elif callable(value) and isinstance(value.__module__, str):
            assert value.__module__ in known | {"_thread", "_functools"}, name


@pytest.mark.parametrize("module", sorted(PARTS))
def test_nothing_is_listed_that_is_not_there(module: str) -> None:
    later = {"override", "get_original_bases", "ps1", "ps2", "A-Z"}
    found = importlib.import_module(module)
    missing = {name for name in PARTS[module] - later if not hasattr(found, name)}
    assert not {name for name in missing if not name.startswith("last_")}


@pytest.mark.parametrize("module", sorted(PARTS))
def test_what_is_named_like_a_constant_or_a_failure_does_nothing(module: str) -> None:
    harmless = {"AST", "IO", "UID", "XMLID", "TracebackException"}
    found = importlib.import_module(module)
    for name in dir(found):
        value = getattr(found, name)
        if name.startswith(("_", "W", "S_IS", "IS")) or name in harmless | PARTS[module]:
            continue
        if name.isupper():
            assert isinstance(value, int) or not callable(value), name
        elif name.endswith(("Error", "Exception", "Warning", "Expired")):
            assert isinstance(value, type)
            assert issubclass(value, BaseException)
