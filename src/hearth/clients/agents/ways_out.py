"""What a refusal says would help, in the words of the door where somebody reads it.

The rules speak of commands; whoever sits at a prompt types something else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Iterable, Mapping
    from typing import Final

_VALUE: Final = "="
BLOCKS_AT_SHELL: Final = "`hearth events --session NAME --all` shows the blocks that there are"
AT_PROMPT: Final = {
    "fork_session with how=replay": ".branch --replay",
    "fork_session with how=new": ".branch --new",
    "choose_undo with who=everyone": ".undo on",
    "undo_cells with cell=": ".undo {}",
    "look at the conversation, which names its blocks": ".conversation and .branches name blocks",
}
"""In the REPL; a value that is left open goes where the braces are."""
AT_SHELL: Final = {
    "fork_session with how=replay": "`hearth fork --how replay`",
    "fork_session with how=new": "`hearth fork --how new`",
    "choose_undo with who=everyone": "`hearth undo --for everyone`",
    "undo_cells with cell=": "`hearth undo {}`",
    "look at the conversation, which names its blocks": BLOCKS_AT_SHELL,
}
"""On the command line."""


def ways_out(remedies: Iterable[str], words: Mapping[str, str]) -> list[str]:
    """Each of what would help, as it is said here."""
    return [_said(one, words) for one in remedies]


def _said(remedy: str, words: Mapping[str, str]) -> str:
    for command, here in words.items():
        if not remedy.startswith(command):
            continue
        rest = remedy[len(command) :]
        if not command.endswith(_VALUE):
            return here + rest
        value, space, more = rest.partition(" ")
        return f"{here.replace('{}', value)}{space}{more}"
    return remedy
