"""`git config` where it only shows settings, and only those that are no secrets.

Beside those of the repository it shows a person's own, which lie outside of the project and may
hold tokens: in headers, and in addresses that stand for others.
"""

from typing import Final

from hearth.performers.judging.shell.options import given, table
from hearth.performers.judging.shell.proving import Unproven
from hearth.performers.judging.shell.repository_settings import is_known

_LISTS: Final = frozenset({"--list", "-l", "list", "--get-regexp"})
_GETS: Final = frozenset({"--get", "--get-all", "get"})
_LOCAL: Final = "--local"
_SHOWN: Final = table("z", "--local --null --show-origin --show-scope --name-only --includes")


def check_config(texts: tuple[str, ...]) -> None:
    """Raises Unproven, unless it shows what is in the repository, or plain settings by name."""
    is_local = _LOCAL in texts
    texts = tuple(text for text in texts if text != _LOCAL)
    if len(texts) == 1 and is_known(texts[0]):
        return  # a name alone is asked for
    if not texts or texts[0] not in _LISTS | _GETS:
        raise Unproven("git config is not known to only look")
    found = given(texts[1:], _SHOWN)
    if is_local:
        return
    if texts[0] in _LISTS:
        raise Unproven("git config shows a person's own settings; with --local it does not")
    if not found.operands or not is_known(found.operands[0]):
        raise Unproven("it is not known that this setting is no secret")
