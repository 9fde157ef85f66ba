"""What can be said about a value without running anything that its author wrote.

Previews, types and sizes are asked for while a cell runs, from another thread: no
property, no `__repr__`, no `__getattr__` of the user's is called, and nothing large is walked.
"""

import builtins
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

LONGEST_LINE = 300
LONGEST_DOC = 4000
SHOWN = 5
"""How many elements of a container a preview shows."""

MISSING: Any = inspect.Parameter.empty
"""Stands for a value that is not there."""

# Their arrays and tables tell their shape cheaply, and their Python code is not the user's.
_TRUSTED = frozenset({"numpy", "pandas", "polars", "pyarrow", "scipy", "torch", "xarray"})
# Small values whose repr is written in the standard library.
_PLAIN = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid", "zoneinfo"})
_ATOMS = (bool, float, complex, range, type(None), type(Ellipsis), type(NotImplemented))
FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
)
_WRITTEN_IN_C = (types.WrapperDescriptorType, types.MethodDescriptorType)
_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def is_a(value: Any, kinds: Any) -> bool:
    """Like `isinstance`, which would ask a `__class__` that the user may have written."""
    return issubclass(type(value), kinds)


def cut(text: str, limit: int = LONGEST_LINE) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def type_name(kind: type) -> str:
    """A class by its qualified name; builtins and what cells define by their plain one."""
    name = _own(kind, "__qualname__")
    module = _own(kind, "__module__")
    if not is_a(name, str):
        return "?"
    if not is_a(module, str) or module in {"builtins", "__main__"}:
        return cut(name)
    return cut(f"{module}.{name}")


def type_text(value: Any) -> str:
    """The type of a value; of a module, which one it is."""
    if is_a(value, types.ModuleType):
        return cut(f"module {module_name(value)}".strip())
    return type_name(type(value))


def module_name(module: types.ModuleType) -> str:
    """What a module is called, as it was imported."""
    name = types.ModuleType.__getattribute__(module, "__dict__").get("__name__")
    return name if is_a(name, str) else ""


def kind(value: Any) -> str:  # noqa: PLR0911  one return per kind
    """What a completion calls it (hearth's CompletionKind)."""
    if is_a(value, types.ModuleType):
        return "module"
    if is_a(value, type):
        return "class"
    if is_a(value, property) or special(value, "__set__") is not None:
        return "property"
    if is_a(value, (types.MethodType, types.MethodDescriptorType, classmethod)):
        return "method"
    if is_a(value, types.BuiltinMethodType):
        of_module = value.__self__ is None or is_a(value.__self__, types.ModuleType)
        return "function" if of_module else "method"
    if is_a(value, (*FUNCTIONS, staticmethod)):
        return "function"
    return "variable"


def documentation(value: Any) -> str:
    """Its docstring, without its indentation."""
    if is_a(value, (classmethod, staticmethod)):
        value = value.__func__
    if is_a(value, types.MethodType):
        value = value.__func__
    if is_a(value, types.ModuleType):
        text = types.ModuleType.__getattribute__(value, "__dict__").get("__doc__")
    elif is_a(value, type):
        text = _own(value, "__doc__") if value is not type else type.__doc__
    elif is_a(value, (*FUNCTIONS, property)):
        text = value.__doc__
    else:
        text = static(type(value), "__doc__")
    if not is_a(text, str):
        return ""
    return cut(inspect.cleandoc(text[: 2 * LONGEST_DOC]), LONGEST_DOC)


def first_line(text: str) -> str:
    """The first line of a docstring."""
    return cut(text.strip().partition("\n")[0].strip())


def preview(value: Any, limit: int = 120) -> str:
    """A short text for the value: itself where its repr is known to be harmless, else its type."""
    try:
        return cut(_preview(value, limit, 2).replace("\n", "\\n"), limit)
    except Exception:  # noqa: BLE001  it changed while it was read; what is known is its type
        return cut(f"<{type_text(value)}>", limit)


def length(value: Any) -> int | None:
    """How many elements it has, where that can be asked without running the user's code."""
    return _asked(len, value, "__len__")


def size(value: Any) -> int:
    """How many bytes it takes by itself; for arrays and tables with their data."""
    try:
        if is_trusted(value):
            held = getattr(value, "nbytes", None)
            if held is None and hasattr(value, "memory_usage"):
                held = value.memory_usage(deep=False)
                held = held if is_a(held, int) else held.sum()
            if held is not None:
                return int(held)
        asked = _asked(sys.getsizeof, value, "__sizeof__")
        return object.__sizeof__(value) if asked is None else asked
    except Exception:  # noqa: BLE001  a size that cannot be told is no reason to tell nothing
        return 0


def shape(value: Any) -> str:
    """The shape of an array or a table, else nothing."""
    try:
        found = getattr(value, "shape", None) if is_trusted(value) else None
        return cut(str(tuple(found)), 100) if found is not None else ""
    except Exception:  # noqa: BLE001  a lazy table may refuse
        return ""


def is_trusted(value: Any) -> bool:
    """Whether its class comes from a library whose attributes are cheap and harmless."""
    return _comes_from(type(value), _TRUSTED)


def static(value: Any, name: str, default: Any = None) -> Any:
    """An attribute as it is stored; what would compute it is given back, not called.

    `inspect.getattr_static` does the same, but hashes classes, which a metaclass may do itself.
    """
    of_class = special(value, name, MISSING)
    if is_a(value, type):
        own = _in_class(value, name)
        return _first(own, of_class, default)
    if of_class is not MISSING and special(of_class, "__set__") is not None:
        return of_class
    return _first(instance_dict(value).get(name, MISSING), of_class, default)


def instance_dict(value: Any) -> dict[str, Any]:
    """What an instance stores itself; empty when it has no dictionary, or computes it."""
    kept = special(value, "__dict__")
    if not is_a(kept, (types.GetSetDescriptorType, types.MemberDescriptorType)):
        return {}
    stored = kept.__get__(value)
    return stored if type(stored) is dict else {}


def special(value: Any, name: str, default: Any = None) -> Any:
    """A method that Python looks for in the class alone, as it is stored."""
    return _first(_in_class(type(value), name), default)


def _in_class(kind: type, name: str) -> Any:
    for one in type.__getattribute__(kind, "__mro__"):
        stored = type.__getattribute__(one, "__dict__")
        if name in stored:
            return stored[name]
    return MISSING


def _first(*values: Any) -> Any:
    return next((one for one in values if one is not MISSING), MISSING)


def _own(kind: type, name: str) -> Any:
    """An attribute that every class has, past a metaclass that would compute it."""
    try:
        return type.__getattribute__(kind, name)
    except Exception:  # noqa: BLE001  a class may have spoilt it
        return None


def _asked(question: Callable[[Any], int], value: Any, method: str) -> int | None:
    """The answer, unless Python code of the user's would give it."""
    answering = special(value, method)
    if not is_a(answering, _WRITTEN_IN_C) and (answering is None or not is_trusted(value)):
        return None
    try:
        return int(question(value))
    except Exception:  # noqa: BLE001  what cannot be told is left out
        return None


def _comes_from(kind: type, roots: Iterable[str]) -> bool:
    module = _own(kind, "__module__")
    name = _own(kind, "__qualname__")
    if not is_a(module, str) or module.partition(".")[0] not in roots:
        return False
    # Anyone may write these names into a class; only the library's own stand in its module.
    home = sys.modules.get(module)
    return is_a(home, types.ModuleType) and vars(home).get(str(name)) is kind


def _preview(  # noqa: C901, PLR0911  one return per kind of value
    value: Any, limit: int, depth: int
) -> str:
    exact = type(value)
    if exact is str:
        return repr(value[: limit + 1])
    if exact is bytes or exact is bytearray:
        return repr(value[: limit + 1])
    if exact is int:
        return repr(value) if value.bit_length() < 1000 else f"<int of {value.bit_length()} bits>"
    if any(exact is one for one in _ATOMS):
        return repr(value)
    # By identity: a class may have a metaclass that compares and hashes in its own way.
    if any(exact is one for one in _BRACKETS):
        return _elements(value, depth)
    if is_a(value, types.ModuleType):
        return f"<module {module_name(value)}>"
    if is_a(value, type):
        return f"<class {type_name(value)}>"
    if is_a(value, FUNCTIONS):
        return f"<{type_name(exact)} {getattr(value, '__name__', '?')}>"
    if is_trusted(value):
        return _table(value)
    if _comes_from(exact, _PLAIN):
        return repr(value)
    count = length(value)
    return f"<{type_name(exact)}>" if count is None else f"<{type_name(exact)} of {count}>"


def _elements(value: Any, depth: int) -> str:
    brackets = _BRACKETS[type(value)]
    if not value:
        return f"{type(value).__name__}()" if is_a(value, (set, frozenset)) else brackets
    if depth == 0:
        return f"{brackets[0]}…{brackets[1]}"
    if is_a(value, dict):
        some: list[tuple[Any, Any]] = list(itertools.islice(value.items(), SHOWN))
        texts = [f"{_preview(k, 40, 0)}: {_preview(v, 40, depth - 1)}" for k, v in some]
    else:
        texts = [_preview(one, 40, depth - 1) for one in itertools.islice(value, SHOWN)]
    texts = [cut(text, 40) for text in texts]
    if len(value) > SHOWN:
        texts.append("…")
    elif is_a(value, tuple) and len(value) == 1:
        texts.append("")
    return brackets[0] + ", ".join(texts).rstrip() + brackets[1]


def _table(value: Any) -> str:
    """An array or a table by its outline; a scalar of such a library by its value."""
    name = type_name(type(value))
    outline = shape(value)
    if outline == "()" and hasattr(value, "item"):
        return f"<{name} {_preview(value.item(), 60, 0)}>"
    dtype = getattr(value, "dtype", None)
    columns = getattr(value, "columns", None)
    parts = [name, outline, "" if dtype is None else str(dtype)]
    if columns is not None:
        some = [str(one)[:30] for one in itertools.islice(columns, SHOWN) if type(one) is str]
        parts.append(", ".join(some) + (", …" if len(columns) > SHOWN else ""))
    return "<" + " ".join(part for part in parts if part) + ">"


BUILTINS: dict[str, Any] = vars(builtins)
