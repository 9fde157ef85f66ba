"""What there is in a module or a type: of live ones as they are, of others as their source says."""

import difflib
import inspect
import itertools
import linecache
import re
import sys
import types
from collections.abc import Iterable
from typing import Any

from . import describing, reading, signatures
from .reading import Member
from .resolving import Resolved, attribute, resolve

MOST_MEMBERS = 500
MOST_SUGGESTIONS = 5
_FUNCTIONS = (types.FunctionType, types.MethodType)


def explore_module(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """A module by its dotted name, or by the name that the session has for it."""
    name = str(args.get("name", "")).strip()
    loaded: Any = sys.modules.get(name)
    if loaded is None:
        found = resolve(dict(shell.user_ns), name)
        if found is not None and describing.is_a(found.value, types.ModuleType):
            loaded = found.value
    if describing.is_a(loaded, types.ModuleType):
        return {
            "found": True,
            "name": describing.module_name(loaded) or name,
            "doc": describing.documentation(loaded),
            "file": _text(describing.static(loaded, "__file__")),
            "members": _told(_module_members(loaded)),
        }
    source = reading.read_module(name) if re.fullmatch(r"\w+(\.\w+)*", name) else None
    if source is None:
        known = reading.top_level() | {one for one in tuple(sys.modules) if "._" not in one}
        return _unknown(name, known)
    return {
        "found": True,
        "name": name,
        "doc": source.doc,
        "file": source.file,
        "members": _told(source.members),
    }


def explore_type(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """A class, or the class of an object, by an expression of names and attributes."""
    name = str(args.get("name", "")).strip()
    namespace = dict(shell.user_ns)
    found = resolve(namespace, name) if re.fullmatch(r"[\w.]+", name) else None
    if found is None:
        owner, _, last = name.rpartition(".")
        inside = resolve(namespace, owner) if owner else None
        if inside is not None:
            return _unknown(last, attribute_names(inside.looked_at), f"{owner}.")
        own = {one for one in namespace if describing.is_a(one, str) and not one.startswith("_")}
        return _unknown(name, own | set(describing.BUILTINS))
    value = found.looked_at
    kind = value if describing.is_a(value, type) else type(value)
    file, line = place(shell, value if describing.is_a(value, _FUNCTIONS) else kind)
    return {
        "found": True,
        "name": name,
        "kind": describing.kind(value),
        "type": describing.type_name(kind),
        "signature": signatures.signature(kind if describing.is_a(value, type) else value),
        "doc": describing.documentation(value),
        "bases": [describing.type_name(one) for one in _mro(kind, "__bases__")],
        "mro": [describing.type_name(one) for one in _mro(kind, "__mro__")],
        "file": file,
        "line": line,
        "members": _told(_type_members(kind, value)),
    }


def attribute_names(value: Any) -> set[str]:
    """The attributes of a value as they are stored; its `__dir__` is not asked."""
    if describing.is_a(value, types.ModuleType):
        return _strings(types.ModuleType.__getattribute__(value, "__dict__"))
    if describing.is_a(value, type):
        return _class_names(value)
    return _strings(describing.instance_dict(value)) | _class_names(type(value))


def place(shell: Any, value: Any) -> tuple[str, int]:
    """The file or cell in which something was defined, and its line (0: unknown)."""
    value = inspect.unwrap(value) if describing.is_a(value, types.FunctionType) else value
    if describing.is_a(value, types.MethodType):
        value = value.__func__
    if describing.is_a(value, types.FunctionType):
        return shown_file(shell, value.__code__.co_filename), value.__code__.co_firstlineno
    if describing.is_a(value, types.ModuleType):
        return _text(describing.static(value, "__file__")), 0
    if describing.is_a(value, type):
        return _class_place(shell, value)
    return "", 0


def shown_file(shell: Any, file: str) -> str:
    """A file's path, or `cell 3` for the code of a cell."""
    cells: Any = getattr(getattr(shell, "compile", None), "_filename_map", None)
    number = cells.get(file) if describing.is_a(cells, dict) else None
    return file if number is None else f"cell {number}"


def _class_place(shell: Any, kind: type) -> tuple[str, int]:
    """Where a class statement stands: beside its methods, or in the module that it names."""
    codes = [one.__code__ for one in _values(kind) if describing.is_a(one, types.FunctionType)]
    module = sys.modules.get(_text(describing.static(kind, "__module__")))
    home = _text(describing.static(module, "__file__")) if module is not None else ""
    files = [code.co_filename for code in codes if not home or code.co_filename == home]
    file = files[0] if files else home
    line = describing.static(kind, "__firstlineno__", 0)
    if not file or (describing.is_a(line, int) and line):
        return shown_file(shell, file), line if describing.is_a(line, int) else 0
    head = re.compile(rf"\s*class\s+{re.escape(kind.__name__)}\b")
    lines = linecache.getlines(file)
    found = [number for number, text in enumerate(lines, 1) if head.match(text)]
    first = min((code.co_firstlineno for code in codes if code.co_filename == file), default=0)
    before = [number for number in found if not first or number <= first]
    return shown_file(shell, file), (before or found or [0])[-1 if first else 0]


def _module_members(module: types.ModuleType) -> list[Member]:
    stored = dict(types.ModuleType.__getattribute__(module, "__dict__"))
    name = describing.module_name(module)
    declared: Any = stored.get("__all__")
    if describing.is_a(declared, (list, tuple)):
        names = [
            one for one in declared[:MOST_MEMBERS] if describing.is_a(one, str) and one in stored
        ]
    else:
        names = [one for one, value in stored.items() if _is_of(name, str(one), value)]
    path = stored.get("__path__")
    folders = (
        [one for one in itertools.islice(path, 50) if describing.is_a(one, str)] if path else []
    )
    inside = {one for one in reading.submodules(folders) if not one.startswith("_")}
    return [_member(one, stored[one]) for one in names] + [
        Member(one, "module") for one in sorted(inside - set(names))
    ]


def _is_of(module: str, name: str, value: Any) -> bool:
    """Whether a name is a module's own, and not merely imported by it."""
    if name.startswith("_"):
        return False
    if describing.is_a(value, types.ModuleType):
        return describing.module_name(value).startswith(f"{module}.")
    if describing.is_a(value, (type, types.FunctionType)):
        home = describing.static(value, "__module__")
        if describing.is_a(value, types.FunctionType):
            home = value.__module__
        roots = {module.partition(".")[0].lstrip("_"), "builtins"}
        return describing.is_a(home, str) and home.partition(".")[0].lstrip("_") in roots
    return True


def _type_members(kind: type, value: Any) -> list[Member]:
    names = sorted(one for one in attribute_names(value) if not one.startswith("_"))
    owner = Resolved(kind)
    found = []
    for name in names[:MOST_MEMBERS]:
        stored = describing.static(kind, name, describing.MISSING)
        if stored is describing.MISSING:
            found.append(Member(name, "variable", "", ""))
            continue
        bound = attribute(owner, name)
        shown = stored if bound is None or bound.is_computed else bound.value
        member = _member(name, shown)
        is_method = describing.is_a(stored, (types.FunctionType, types.MethodDescriptorType))
        found.append(member._replace(kind="method") if is_method else member)
    return found


def _member(name: str, value: Any) -> Member:
    kind = describing.kind(value)
    known = kind in {"function", "method", "class", "module", "property"}
    doc = describing.first_line(describing.documentation(value)) if known else ""
    return Member(name, kind, signatures.signature(value), doc)


def _told(members: Iterable[Member]) -> list[dict[str, str]]:
    return [one.told() for one in itertools.islice(members, MOST_MEMBERS)]


def _unknown(name: str, known: Iterable[str], before: str = "") -> dict[str, Any]:
    close = difflib.get_close_matches(name, sorted(known)[:20_000], MOST_SUGGESTIONS)
    return {
        "found": False,
        "name": before + name,
        "members": [],
        "suggestions": [before + one for one in close],
    }


def _class_names(kind: type) -> set[str]:
    names: set[str] = set()
    for one in _mro(kind, "__mro__"):
        names |= _strings(type.__getattribute__(one, "__dict__"))
    return names


def _mro(kind: type, name: str) -> tuple[type, ...]:
    found = type.__getattribute__(kind, name)
    return tuple(one for one in found[:100] if describing.is_a(one, type))


def _values(kind: type) -> list[Any]:
    return list(dict(type.__getattribute__(kind, "__dict__")).values())


def _strings(stored: Any) -> set[str]:
    return {one for one in tuple(stored) if describing.is_a(one, str)}


def _text(value: Any) -> str:
    return value if describing.is_a(value, str) else ""
