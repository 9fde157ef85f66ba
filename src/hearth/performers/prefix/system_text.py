"""What a model is told before anything is said: always the same text for the same settings.

Nothing in it depends on the time, the machine or the environment: a provider's cache holds it.
"""

from collections.abc import Collection, Sequence
from typing import Final

from hearth.settings.agents import AgentSettings
from hearth.settings.instructions import InstructionFile

_BASE: Final = """\
You are an agent in hearth, where people and agents share live sessions. This session has one \
live Python interpreter, which you and the people here use together, and a log in which everything \
that happens is kept and read along.

- `run_code` runs Python in that interpreter. Names stay from one call to the next, yours and \
those of the people here: build on what is there instead of computing it again, and leave names \
alone that are not yours unless you are asked to change them.
- Look before you act: read a file before you change it.
- `inspect` tells what a name or an expression is.
- `check_code` finds mistakes without running anything.
- Take small steps, look at what each one gave, and go by that. Never make up a result; if \
something failed, say so and what you make of it.
- What a person writes while you work reaches you at your next step. Take it up.
- A long result is shown by its head and tail, with the file that holds the whole of it: read \
there what you need.
- Some calls wait until a person has allowed them. What is refused is not to be got round: say \
what you need it for, or go on without it.
- Ask before you do what cannot be undone and was not asked for.

When you are done, say what you did, what came of it and what is left. Be brief and exact."""

MOST_NAMES: Final = 200
_LONGEST_NAME: Final = 200


def base_text(switched_off: Collection[str] = ()) -> str:
    """What every agent is told by hearth itself; nothing about tools that it does not have."""
    lines = _BASE.splitlines()
    return "\n".join(one for one in lines if not any(f"`{tool}`" in one for tool in switched_off))


def system_text(
    settings: AgentSettings,
    files: Sequence[InstructionFile],
    switched_off: Collection[str] = (),
) -> str:
    """What holds for as long as nobody changes settings or instructions."""
    base = settings.system_prompt or base_text(switched_off)
    told = (f"Instructions of this project, from {one.path}:\n\n{one.text}" for one in files)
    return joined(base, *told, *settings.instructions)


def manifest(names: Sequence[str]) -> str:
    """The names that live in the interpreter, so that a model knows them again; "" for none."""
    if not names:
        return ""
    lines = [f"- {' '.join(name.split())[:_LONGEST_NAME]}" for name in sorted(names)[:MOST_NAMES]]
    more = len(names) - len(lines)
    rest = [f"- and {more} more"] if more > 0 else []
    whole = "\n".join(("These names live in the interpreter now:", *lines, *rest))
    return whole.encode("utf-8", "replace").decode()  # code can give names half a character


def joined(*parts: str) -> str:
    """Parts with an empty line between them; those that say nothing are left out."""
    return "\n\n".join(said for part in parts if (said := part.strip()))
