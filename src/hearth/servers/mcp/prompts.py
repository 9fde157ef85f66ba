"""Prompts for ways of working that live sessions are good for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

LONGEST: Final = 4_000
"""Characters of an argument."""
_PLACE: Final = re.compile(r"<(\w+)>")
"""Where an argument stands in a text."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: what it takes, all of it required, and what it says."""

    name: str
    title: str
    description: str
    takes: Mapping[str, str]
    """Its arguments, and what each means."""
    text: str

    def listed(self) -> dict[str, Any]:
        """As clients see it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [
                {"name": name, "description": what, "required": True}
                for name, what in self.takes.items()
            ],
        }

    def filled(self, arguments: Mapping[str, str]) -> str:
        """What is said with these arguments. ValueError."""
        for name in self.takes:
            if not arguments.get(name, "").strip():
                raise ValueError(f"the prompt {self.name} needs {name}: {self.takes[name]}")
            if len(arguments[name]) > LONGEST:
                raise ValueError(f"{name} has more than {LONGEST} characters")
        for name in arguments:
            if name not in self.takes:
                raise ValueError(f"the prompt {self.name} takes no {name}")
        # All at once: what an argument says is never taken for the place of another.
        return _PLACE.sub(lambda place: arguments[place[1]], self.text)


PROMPTS: Final = (
    Prompt(
        "explore_type",
        "Get to know a type",
        "Learn what a class or an object really offers before you use it.",
        {"type": "the class or the object, as it is named in the session"},
        """\
Get to know <type> in the live hearth session before you write code with it.

1. explore_type with it: its members and their signatures. If it is not found, take one of the \
suggestions, or import it with run_code.
2. inspect the two or three members that matter: what they take, what they give, where they are \
written.
3. Try each with the smallest cell that shows how it behaves, also with a value at the edge.
4. Say in a few sentences what it is for, how it is used, and what is surprising. Tell what you \
saw from what you assume.
""",
    ),
    Prompt(
        "refactor",
        "Refactor without changing what it does",
        "Change the shape of code in small steps, each of them held by what the code does now.",
        {"target": "what to change: a function, a class, a module", "goal": "what shall be better"},
        """\
Refactor <target> so that: <goal>. What it does stays as it is.

1. Look at it in the live session (explore_type, inspect) and at who uses it.
2. Before you change anything, write cells that pin down what it does now: usual cases, edges, \
errors. Run them and keep their results.
3. Change one thing. check_code, then run the cells of step 2: the session takes saved files by \
itself, so nothing has to be restarted. If something differs, take that one change back.
4. Repeat until the goal is reached; then remove what is no longer used.
5. Tell what changed, what holds it, and what you left as it was.
""",
    ),
    Prompt(
        "test_first",
        "Work test-first",
        "Red, green, clean up: in a live session, where each round takes seconds.",
        {"behaviour": "what shall be true in the end"},
        """\
Make this true, test-first, in the live hearth session: <behaviour>

1. Red: write the smallest test that fails because the behaviour is missing, and run it with \
run_code. See it fail for the right reason: an error of the test itself does not count.
2. Green: write the least code that makes it pass. check_code before you run it. What an earlier \
cell bound is still there, so send only what is new.
3. Clean up while it stays green: names, doubles, what turned out not to be needed.
4. Once more from 1 for the next case, until the behaviour is complete: usual, edge, error.
5. Put test and code into the project's files, and run the whole test file once.
""",
    ),
)
BY_NAME: Final[Mapping[str, Prompt]] = {one.name: one for one in PROMPTS}
