"""Which variables may be set without changing what runs."""

import re
from typing import Final

_PLAIN: Final = re.compile(r"[a-z_][a-z0-9_]*\Z")
_MEANT_FOR_PROGRAMS: Final = re.compile(
    r"_\Z|.*_proxy\Z|npm_|pip_|cargo_|git_|ld_|dyld_|bash_|histchars\Z|auto_resume\Z|path\Z|"
    r"fpath\Z|cdpath\Z|prompt\Z|module_path\Z|manpath\Z|argv\Z|status\Z"
)
_LOCALE: Final = re.compile(r"(?:C|POSIX|(?:C|[a-z]{2}_[A-Z]{2})\.(?:UTF-?8|utf-?8))\Z")
"""In all of these a byte that is ASCII means that character. In others it may be half of one."""
_ZONE: Final = re.compile(r"[A-Za-z]+(?:/[A-Za-z_]+)?(?:[+-]?[0-9]{1,2})?\Z")
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_.,=-]*\Z")

_HARMLESS: Final = {
    **dict.fromkeys(
        ["LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME"],
        _LOCALE,
    ),
    "TZ": _ZONE,
    **dict.fromkeys(
        [
            "CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES", "NODE_ENV", "DEBUG",
            "RUST_BACKTRACE", "RUST_LOG", "LOG_LEVEL", "VERBOSE", "PYTHONDONTWRITEBYTECODE",
            "PYTHONUNBUFFERED", "PYTHONHASHSEED", "DJANGO_DEBUG", "GREP_COLORS", "BLOCK_SIZE",
        ],
        _SIMPLE,
    ),
}  # fmt: skip


def is_of_locale(name: str) -> bool:
    """Whether it says in which encoding the shell reads."""
    return name in {"LANG", "LANGUAGE"} or name.startswith("LC_")


def is_harmless_name(name: str) -> bool:
    """Whether no program that is known looks at a variable of this name."""
    return _PLAIN.match(name) is not None and _MEANT_FOR_PROGRAMS.match(name) is None


def is_harmless(name: str, value: str | None) -> bool:
    """Whether setting it to this changes nothing of what runs; None: nobody knows to what."""
    if is_harmless_name(name):
        return True
    pattern = _HARMLESS.get(name)
    return pattern is not None and value is not None and pattern.match(value) is not None
