"""Every expression that a page may have the browser compile, and nothing else.

Datastar compiles what stands in its attributes. The policy of our pages lets only these texts
through, so they never contain anything that is filled in: what an element is about stands in plain
`data-` attributes beside them, which the functions of `hearth` (static/act.js) read.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Expression:
    """Something that the browser does when an event happens to an element."""

    source: str

    @property
    def compiled(self) -> str:
        """What the browser is asked to compile for it, to the letter.

        Datastar names `evt` for every expression, and once more for those of events.
        """
        return f"(function anonymous(el,$,__action,evt,evt\n) {{\n{self.source}\n}})"


ACT: Final = Expression("hearth.act(el, evt)")
"""What the attributes beside it say (see `actions`)."""
KEY: Final = Expression("hearth.key(el, evt)")
"""A key was pressed in a field that has keys of its own."""
TYPED: Final = Expression("hearth.typed(el, evt)")
"""What stands in a field is another text now."""

EXPRESSIONS: Final = (ACT, KEY, TYPED)
