"""What is put to the person at the prompt, one after the other, until they have decided."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.agents.deciding import Deciding, Decision
from hearth.clients.agents.lines import DIM, WARNING
from hearth.clients.repl.host import Question
from hearth.core.views.talk import Approval
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import ApprovalId, CellId
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer
from hearth.core.vocabulary.turns import ApprovalRequested

if TYPE_CHECKING:  # it is there for the checker alone
    from hearth.clients.agents.lines import Line

TOO_SOON = 0.5
"""Seconds: what is entered that soon was typed before the question could be read."""


class Heard(NamedTuple):
    """What came of a line that was typed."""

    lines: "Sequence[Line]" = ()
    """To be shown."""
    command: Command | None = None
    is_over: bool = False
    """Whether there is nothing more to be decided."""


class Asking(Protocol):
    """Something that a person is to decide."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def prompt(self) -> str:
        """What stands before what is typed."""

    def hear(self, typed: str) -> Heard:
        """What a line means."""


class AskingConsent:
    """Whether an agent may do what it asks for."""

    def __init__(self, deciding: Deciding) -> None:
        self._deciding = deciding

    @property
    def name(self) -> str:
        """The approval."""
        return self._deciding.asked.approval

    @property
    def prompt(self) -> str:
        """The keys."""
        return self._deciding.prompt

    def hear(self, typed: str) -> Heard:
        """An answer, or something to be read first. Nothing at all is for later."""
        if not typed.strip() and self._deciding.prompt.startswith(self.name):
            later = f"{self.name} waits; .approve {self.name} or .reject {self.name} answers it"
            return Heard([(DIM, later)], is_over=True)
        found = self._deciding.hear(typed)
        if isinstance(found, Decision):
            return Heard(command=answer_of(found), is_over=True)
        return Heard(found)


class AskingRewind:
    """Whether something is to be taken back, and what."""

    def __init__(self, to: str, prompt: str, ways: Mapping[str, Command]) -> None:
        """`ways` are the commands, by what is typed for them."""
        self.name = f"rewind {to}"
        self.prompt = prompt
        self._ways = ways

    def hear(self, typed: str) -> Heard:
        """Only what is clearly said is done."""
        command = self._ways.get(typed.strip().lower())
        if command is not None:
            return Heard(command=command, is_over=True)
        return Heard([(DIM, "nothing was changed")], is_over=True)


class Consenting:
    """Everything that is to be decided at this prompt, the oldest first."""

    def __init__(self, ask: Callable[[Question | None], None]) -> None:
        """`ask` puts a question to the person, or takes it back."""
        self._ask = ask
        self._waiting: dict[str, Asking] = {}
        self._asked = ""
        self._is_held = False

    def add(self, asking: Asking, *, first: bool = False) -> None:
        """Have something decided, before all else if it is `first`."""
        others = {name: one for name, one in self._waiting.items() if name != asking.name}
        mine = {asking.name: asking}
        self._waiting = {**mine, **others} if first else {**others, **mine}
        if first:
            self._asked = ""
        self._put()

    def drop(self, name: str) -> None:
        """It need not be decided any more."""
        if self._waiting.pop(name, None) is not None:
            self._put()

    def drop_consents(self) -> None:
        """Somebody said no: to all that agents wait for here."""
        self._waiting = {
            name: one for name, one in self._waiting.items() if not isinstance(one, AskingConsent)
        }
        self._put()

    def clear(self) -> None:
        """Nothing need be decided any more."""
        self._waiting.clear()
        self._put()

    def hold(self, *, is_held: bool) -> None:
        """While somebody else asks at this prompt, nothing is put to the person here."""
        self._is_held = is_held
        self._asked = ""
        self._put()

    def hear(self, name: str, typed: str | None, after: float) -> Heard | None:
        """What a line means that was typed so many seconds after the question; None: nothing."""
        asking = self._waiting.get(name)
        if asking is None:
            return None
        self._asked = ""
        if after < TOO_SOON and typed:
            heard = Heard([(WARNING, "that came too soon to have been read; say it again")])
        else:
            heard = asking.hear(typed or "")
        if heard.is_over:
            del self._waiting[name]
        return heard

    def again(self, name: str) -> None:
        """It was put, and something else came of it: it is put again."""
        if self._asked == name:
            self._asked = ""

    def put_next(self) -> None:
        """Ask what is not asked yet: what came of the last line is shown by now."""
        self._put()

    def _put(self) -> None:
        if self._is_held:
            return
        asking = next(iter(self._waiting.values()), None)
        if asking is None:
            if self._asked:
                self._asked = ""
                self._ask(None)
        elif self._asked != asking.name:
            self._asked = asking.name
            self._ask(Question(CellId(""), asking.prompt, password=False, about=asking.name))


def asked_for(said: Approval | ApprovalRequested, agent: str = "") -> AskedFor:
    """What an agent asks for, as all clients tell it."""
    return AskedFor(msgspec.to_builtins(said), agent)


def deciding(said: Approval | ApprovalRequested, agent: str = "") -> Deciding:
    """What a person is to decide here, where what is very long is not fetched for a question."""
    asked = asked_for(said, agent)
    return Deciding(asked, how=f".show {asked.approval} shows all")


def is_no(command: Command | None) -> bool:
    """Whether it says no to all that is asked for at that moment."""
    return isinstance(command, AnswerApproval) and command.answer is ApprovalAnswer.REJECT


def answer_of(decision: Decision) -> AnswerApproval:
    """The command of a decision."""
    return AnswerApproval(
        ApprovalId(decision.approval),
        ApprovalAnswer(decision.answer),
        decision.text,
        tuple(decision.patterns),
    )
