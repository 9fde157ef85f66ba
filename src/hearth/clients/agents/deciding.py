"""A person decides about what an agent asks for: what a line that they type means.

Only a clear yes is one. For always, what is stored is shown word for word and confirmed by `yes`.
"""

from __future__ import annotations

from hearth.clients.agents.approval_text import ALL, described, is_folded, stored
from hearth.clients.agents.lines import DIM, PLAIN, WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.agents.asked_for import AskedFor
    from hearth.clients.agents.lines import Line

_ANSWERS: Final = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "session": "session",
    "a": "always",
    "always": "always",
    "n": "reject",
    "no": "reject",
}
_WHOLE: Final = frozenset({"v", "view", "all"})
CONFIRMED: Final = "yes"
NOT_STORED: Final = "nothing is stored"


class Decision:
    """What is answered."""

    __slots__ = ("answer", "approval", "patterns", "text")

    def __init__(self, asked: AskedFor, answer: str, text: str = "") -> None:
        self.approval = asked.approval
        self.answer = answer
        self.text = text
        """What the agent is told along with it."""
        self.patterns = asked.patterns if answer in {"session", "always"} else []

    def command(self) -> dict[str, object]:
        """As the daemon takes it."""
        made: dict[str, object] = {
            "type": "answer_approval",
            "approval": self.approval,
            "answer": self.answer,
        }
        if self.text:
            made["text"] = self.text
        if self.patterns:
            made["patterns"] = self.patterns
        return made


class Deciding:
    """One approval that is put to a person, until a line of theirs answers it."""

    def __init__(self, asked: AskedFor, how: str = ALL) -> None:
        """`how` one sees what is too long to be shown here, after all that is was."""
        self.asked = asked
        self._how = how
        self._confirming: str | None = None
        """What the agent is told along with an always that is not confirmed yet."""

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed."""
        if self._confirming is not None:
            return "Type yes to store it: "
        if not self.asked.tool:
            return f"{self.asked.approval}: let it go on? [y]es, [n]o and why: "
        keys = ["[y] once"]
        if self.asked.offers:
            keys += ["[s] this session", "[a] always"]
        keys.append("[n] no, and why")
        if is_folded(self.asked):
            keys.append("[v] all")
        return f"{self.asked.approval}: allow it? {'  '.join(keys)}: "

    def hear(self, typed: str) -> Decision | list[Line]:
        """What this line decides; or lines to show before it is asked again."""
        if self._confirming is not None:
            return self._confirmed(typed.strip())
        words = typed.strip()
        first, _, rest = words.partition(" ")
        sign = first.rstrip(",.;:!").lower()
        if sign in _WHOLE and not rest:
            return described(self.asked, how=self._how, is_whole=True)
        answer = _ANSWERS.get(sign)
        if answer is None or not self._is_clear(answer, first, rest):
            return self._help(words)
        if answer in {"session", "always"} and not self.asked.offers:
            return [(WARNING, "this can only be allowed once")]
        if answer == "always":
            self._confirming = rest.strip()
            return [(DIM, "for always, in every session of this project"), *self._stored()]
        return Decision(self.asked, answer, rest.strip())

    def _is_clear(self, answer: str, first: str, rest: str) -> bool:
        """`y = 3` and `n = 3` are code that was meant for another prompt, and no answers."""
        if answer == "reject":
            return not rest.startswith("=")
        return not rest or len(first) > 1

    def _confirmed(self, typed: str) -> Decision | list[Line]:
        text, self._confirming = self._confirming or "", None
        if typed.lower() == CONFIRMED:
            return Decision(self.asked, "always", text)
        return [(DIM, NOT_STORED)]

    def _stored(self) -> list[Line]:
        return [(PLAIN, f"  {one}") for one in stored(self.asked)]

    def _help(self, typed: str) -> list[Line]:
        if not typed:
            return [(DIM, "nothing is answered yet")]
        lines = [(WARNING, "that is no answer")]
        lines.append((DIM, "y allows it once; `y, TEXT` also tells the agent something"))
        if self.asked.offers:
            lines.append((DIM, "s allows it and what is like it in this session, a for always"))
        lines.append((DIM, "n TEXT does not allow it, nor what else this session asks for now"))
        return lines
