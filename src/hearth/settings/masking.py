"""What nobody but its owner may know is replaced wherever settings are shown."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from hearth.core.rules.secrecy import is_secret

MASKED: Final = "********"
_IN_ADDRESS: Final = re.compile(
    r"([?&][^=&]*(?:pass|key|token|secret)[^=&]*=)[^&#]*", re.IGNORECASE
)
_REFERENCES_ONLY: Final = re.compile(r"([A-Za-z]+ )?(\$\{[A-Za-z_][A-Za-z0-9_]*\})+")


def masked_address(text: str) -> str:
    """An address without its password: all else helps whoever looks for a mistake."""
    scheme, _, rest = text.partition("://")
    # What stands before the last @ may be all password: whoever does not escape it has any sign
    # in it.
    person, at, place = rest.rpartition("@")
    name, colon, _ = person.partition(":")
    who = f"{name}:{MASKED}@" if colon else f"{person}{at}"
    return f"{scheme}://{who}{_IN_ADDRESS.sub(_without_secret, place)}"


def masked_variables(values: Mapping[str, str]) -> dict[str, str]:
    """Variables, or headers, without the values of those that are secrets.

    A reference to the environment, like `${TOKEN}`, is none: it says where the secret is.
    """
    return {
        name: MASKED if is_secret(name, value) and not _is_reference(value) else value
        for name, value in values.items()
    }


def masked_arguments(arguments: Iterable[str]) -> Iterator[str]:
    """The arguments of a program, without what looks like a secret or follows `--token`."""
    before = ""
    for one in arguments:
        flag, equals, value = one.partition("=")
        if before and not one.startswith("-"):
            yield one if _is_reference(one) else MASKED
        elif flag.startswith("-") and equals and is_secret(flag.lstrip("-"), value):
            yield one if _is_reference(value) else f"{flag}={MASKED}"
        elif "://" in one:
            yield masked_address(one)
        else:
            yield MASKED if is_secret("", one) else one
        before = one if one.startswith("--") and not equals and is_secret(one[2:], "") else ""


def masked_server(said: Mapping[str, Any]) -> dict[str, Any]:
    """How a server of others is started or reached, as it is written, without secrets."""
    found = dict(said)
    for key, mask in _MASKS.items():
        if key in found:
            found[key] = mask(found[key])
    return found


_MASKS: Final[Mapping[str, Any]] = {
    "env": masked_variables,
    "headers": masked_variables,
    "args": lambda said: list(masked_arguments(said)),
    "url": masked_address,
}


def _is_reference(value: str) -> bool:
    return _REFERENCES_ONLY.fullmatch(value) is not None


def _without_secret(found: re.Match[str]) -> str:
    return f"{found[1]}{MASKED}"
