import builtins
import importlib

import pytest

from hearth.performers.judging.python_effects import EFFECTS, Kind, words

_HERE = ("os", "shutil", "subprocess", "builtins", "gzip", "glob", "importlib", "timeit", "pickle")


@pytest.mark.parametrize("name", [one for one in EFFECTS if one.partition(".")[0] in _HERE])
def test_everything_in_the_table_exists_under_that_name(name: str) -> None:
    module, _, rest = name.partition(".")
    found: object = builtins if module == "builtins" else importlib.import_module(module)
    for part in rest.split("."):
        if not hasattr(found, part):
            found = importlib.import_module(f"{module}.{part}")
        else:
            found = getattr(found, part)

    assert found is not None


def test_what_cannot_be_seen_through_says_why() -> None:
    for name, effects in EFFECTS.items():
        assert effects, name
        assert all(effect.why for effect in effects if effect.kind is Kind.OPAQUE), name


def test_words_are_the_words_of_a_text() -> None:
    assert words("a b\n c") == {"a", "b", "c"}
