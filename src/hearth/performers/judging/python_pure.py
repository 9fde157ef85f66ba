"""Whether code surely changes no file: then nothing needs to be kept before it runs."""

import ast
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_values import Bound, Known, Origin, PathAt, Value

_PURE_MODULES: Final = words(
    "math cmath statistics itertools functools operator collections json re string textwrap "
    "datetime time calendar random decimal fractions numbers enum dataclasses typing copy "
    "pprint heapq bisect hashlib base64 binascii struct unicodedata difflib platform "
    "types abc numpy os sys pathlib glob csv io ast keyword zlib colorsys html secrets "
    "subprocess shutil tempfile contextlib inspect importlib logging uuid zoneinfo"
)
"""Importing them changes nothing."""
_PURE_CALLS: Final = words(
    "math cmath statistics itertools operator collections json re string textwrap datetime "
    "decimal fractions copy pprint heapq bisect base64 binascii struct unicodedata difflib "
    "calendar keyword colorsys html ast time random hashlib"
)
_IMPURE_BUILTINS: Final = words(
    "exec eval compile open __import__ breakpoint setattr delattr input getattr vars globals"
)
_PURE_METHODS: Final = words(
    "append extend insert pop remove clear copy count index reverse sort keys values items get "
    "setdefault update add discard union intersection difference join split rsplit splitlines "
    "strip lstrip rstrip lower upper title capitalize startswith endswith find rfind format "
    "encode decode isdigit isalpha zfill ljust rjust center partition rpartition head tail "
    "describe info mean median std var min max sum groupby agg sort_values reset_index "
    "value_counts unique nunique isna notna fillna dropna astype round read readline readlines "
    "close strftime isoformat total_seconds most_common group groups group_by search match"
)
_READING_PATHS: Final = words(
    "exists is_file is_dir stat read_text read_bytes resolve absolute joinpath with_name "
    "with_suffix relative_to iterdir glob rglob as_posix is_absolute match is_symlink"
)
_DEFINED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def only_computes(code: Code, folding: Folding) -> bool:
    """Whether every import and call in it is known to change no file.

    Functions of its own count by what is in them.
    """
    own = {spot.node.name for spot in code.spots if isinstance(spot.node, _DEFINED)}
    for spot in code.spots:
        match spot.node:
            case ast.Import(names=names):
                if any(one.name.partition(".")[0] not in _PURE_MODULES for one in names):
                    return False
            case ast.ImportFrom(module=module, level=level):
                if level or (module or "").partition(".")[0] not in _PURE_MODULES:
                    return False
            case ast.Call(func=ast.Name(id=name)) if name in own:
                continue
            case ast.Call(func=func):
                if not all(map(_is_pure, folding.values(func))):
                    return False
            case _:
                continue
    return True


def _is_pure(callee: Value) -> bool:  # noqa: PLR0911 - one return per case
    match callee:
        case Origin(name=name):
            first, _, rest = name.partition(".")
            if first == "builtins":
                return rest not in _IMPURE_BUILTINS or rest == "open"
            if first in _PURE_CALLS or name.startswith(("os.path.", "pathlib.Path")):
                return True
            return name in {"os.getcwd", "os.listdir", "os.getenv", "os.environ.get", "glob.glob"}
        case Bound(base=Known()):
            return True
        case Bound(base=PathAt(), name=name):
            return name in _READING_PATHS
        case Bound(name=name):
            return name in _PURE_METHODS
        case _:
            return False
