"""Whether something of Python's own library computes and only computes.

What is not listed needs permission, because nobody has looked at what it does: also each name that
begins with an underscore, and each module of which nothing is listed. What opens, writes, runs or
talks, but is judged by what it is given, is in `python_effects`.
"""

import importlib
import sys
from functools import cache
from typing import Final

from hearth.performers.judging.python_effects import EFFECTS, words
from hearth.performers.judging.python_listed import PARTS, WHOLE

_TAME: Final = words(
    "ast base64 collections concurrent concurrent.futures csv dataclasses email email.header "
    "email.message email.mime email.mime.multipart email.mime.text email.parser email.policy "
    "email.utils enum functools getpass html html.parser http http.cookies json json.decoder "
    "json.encoder locale os.path pathlib plistlib pprint quopri re sysconfig tomllib typing "
    "urllib.error urllib.parse warnings weakref xml.sax.saxutils zoneinfo"
)
"""Of what is in these and not listed nothing does harm but what is found through them."""
_CHEAP: Final = WHOLE - {"this"}
_UPPER: Final = "A-Z"
"""Stands in a list for all names that begin with a capital letter."""
_FAILURES: Final = ("Error", "Exception", "Warning", "Expired")
_ABOUT: Final = words(
    "__all__ __dict__ __doc__ __file__ __name__ __package__ __path__ __version__ __stderr__ "
    "__stdin__ __stdout__"
)
"""What every module has that says something about it."""
_TUPLES: Final = words("_asdict _fields _field_defaults _make _mapping _replace")
"""Of what begins with an underscore, what is meant for everybody."""
_LIKE_THEIR_MODULE: Final = frozenset({("datetime", "time"), ("collections", "abc")})
_DEEPEST: Final = 4


def module_in(parts: list[str]) -> int:
    """How many parts of a dotted name are the name of a module that is known here; 0: none."""
    for length in range(min(_DEEPEST, len(parts)), 0, -1):
        name = ".".join(parts[:length])
        if name in PARTS or name in WHOLE:
            return length
    return 0


def inner_module(parts: list[str]) -> tuple[str, ...] | None:
    """What a name really is that is found through a module which only imports it; None: its own."""
    length = module_in(parts)
    if not length or length >= len(parts):
        return None
    module, name = ".".join(parts[:length]), parts[length]
    inner = name.lstrip("_")
    if inner not in sys.stdlib_module_names or (module, name) in _LIKE_THEIR_MODULE:
        return None
    if name == parts[length - 1] or name in PARTS.get(module, ()) or f"{module}.{name}" in EFFECTS:
        return None
    return (inner, *parts[length + 1 :])


def is_listed(parts: list[str]) -> bool:
    """Whether a name of Python's own library is known to do nothing that needs permission."""
    length = module_in(parts)
    if not length:
        return False
    if length == len(parts):
        return True
    module, name = ".".join(parts[:length]), parts[length].partition("(")[0]
    if any(_is_private(part) for part in parts[length:]):
        return False
    if name.startswith("__") or name in _ABOUT:
        return name in _ABOUT or module == "builtins"
    if module in WHOLE or name.isupper() or name.endswith(_FAILURES):
        return True
    listed = PARTS[module]
    return name in listed or (_UPPER in listed and name[:1].isupper())


def is_partly_known(module: str) -> bool:
    """Whether there is more in a module than what is harmless, of its own."""
    return module in PARTS and module not in _TAME


def is_tame(module: str) -> bool:
    """Whether what is in a module of Python's own does no harm under any name."""
    return module in _TAME


@cache
def has(module: str, name: str) -> bool:
    """Whether a module that is known here has something of this name."""
    if module not in PARTS and module not in _CHEAP:
        return False
    # Only modules of the list above, which do nothing when they are imported.
    return hasattr(importlib.import_module(module), name)


def _is_private(part: str) -> bool:
    name = part.partition("(")[0]
    return name.startswith("_") and not name.startswith("__") and name not in _TUPLES
