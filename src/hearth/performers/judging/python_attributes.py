"""What code finds as an attribute of something, or under a name of it."""

from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_known import canonical, guessed
from hearth.performers.judging.python_paths import part_of
from hearth.performers.judging.python_values import (
    ANYTHING,
    CHOSEN,
    CLASS,
    UNKNOWN,
    Bound,
    Known,
    Origin,
    PathAt,
    Several,
    Unknown,
    Value,
    Values,
    joined,
    texts,
)

_MAKING: Final = words("__init__ __new__ __call__")
_CLASSES: Final = words("mro __mro__ __base__ __bases__")
_MODULES_INSIDE: Final = {
    "os": "os",
    "_os": "os",
    "sys": "sys",
    "_sys": "sys",
    "subprocess": "subprocess",
    "builtins": "builtins",
    "shutil": "shutil",
    "_shutil": "shutil",
    "posix": "os",
    "bltns": "builtins",
    **{name: name for name in ("importlib", "linecache", "marshal", "pickle", "runpy", "ctypes")},
}


def class_of(value: Value) -> Values:
    """The class of something: of what is known to do nothing it is nothing to look at."""
    return ANYTHING if isinstance(value, (Known, Several, PathAt)) else (CLASS,)


def attribute(base: Value, name: str) -> Values:  # noqa: PLR0911 - one return per kind
    """What is found as an attribute of something."""
    if name == "__class__" or (name in _MAKING and _is_made(base)):
        return class_of(base)
    match base:
        case Origin() if base == CLASS:
            return (CLASS,) if name in _MAKING or name in _CLASSES else (Bound(UNKNOWN, name),)
        case Origin(name=origin):
            return (Origin(canonical(f"{origin}.{name}")),)
        case PathAt(path=str(path), is_below=False) if (found := part_of(path, name)) is not None:
            return found
        case Bound(name=module) if (found_in := guessed(module, name)) is not None:
            return joined((Origin(canonical(found_in)),), (Bound(base, name),))
        case Unknown() | Bound() if name in _MODULES_INSIDE:
            return (Origin(_MODULES_INSIDE[name]),)
        case _:
            return (Bound(base, name),)


def _is_made(base: Value) -> bool:
    """Whether it is what a call gave, which is made anew by calling its `__init__` again."""
    return isinstance(base, Origin) and "()" in base.name and base.name != "builtins.super()"


def is_named(values: Values) -> bool:
    """Whether these are found under names, and are not what a call gave."""
    return all(isinstance(one, Origin) and "()" not in one.name for one in values)


def attribute_by(base: Value, names: Values) -> Values:
    """What `getattr` gives."""
    known = texts(names)
    if known is None:
        return (CHOSEN,)
    return joined(*(attribute(base, name) for name in known))


def looked_up(module: str, names: Values) -> Values:
    """What is found in the names of a module, or among all modules."""
    known = texts(names)
    if known is None:
        return (CHOSEN,)
    start = "" if module == "sys.modules" else f"{module}."
    return tuple(Origin(canonical(f"{start}{name}")) for name in known)


def imported(function: str, arguments: list[Values]) -> Values:
    """What a function gives that imports."""
    names = texts(arguments[0]) if arguments else None
    if names is None:
        return (CHOSEN,)
    whole = function == "importlib.import_module"
    return tuple(Origin(canonical(name if whole else name.partition(".")[0])) for name in names)
