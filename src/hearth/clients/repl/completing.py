"""Completion out of the live session, without ever making anybody wait for it."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import Final, NamedTuple

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from hearth.clients.repl.commands import (
    ALL,
    NONE,
    SCOPES,
    SERVERS,
    WAYS,
    WHOSE,
    completed,
    is_command,
)
from hearth.clients.repl.messages import is_message
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.trial import is_trial, piece_at
from hearth.core.vocabulary.content import Completion as Proposal
from hearth.core.vocabulary.content import CompletionKind
from hearth.core.vocabulary.prompting import Effort

FULL: Final = 400
"""An answer with so many proposals may be cut: it does not answer for longer words."""
LONGEST_DETAIL: Final = 60

_CALLED: Final = {CompletionKind.FUNCTION, CompletionKind.METHOD, CompletionKind.CLASS}
_WORD: Final = re.compile(r"\w*\Z")
_ASKS_BY_ITSELF: Final = re.compile(r"(?:\.|\.\w+|[^\W\d]\w+)\Z")

_SETTINGS: Final = (
    "model ",
    *(f"effort {one}" for one in Effort),
    *(f"{SERVERS} {one}" for one in (ALL, NONE)),
)

Ask = Callable[[str, int], Awaitable[Sequence[Proposal]]]


class _Known(NamedTuple):
    """The newest answer: it holds on while the same word is typed."""

    before: str
    word: str
    proposals: Sequence[Proposal]
    epoch: object


class SessionCompleter(Completer):
    """Asks the session once per word; what is typed after that only narrows the answer."""

    def __init__(
        self,
        ask: Ask,
        sessions: Callable[[], Iterable[str]],
        epoch: Callable[[], object],
        queued: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """`epoch` answers something else once an earlier answer no longer holds."""
        self._queued = queued
        self._ask = ask
        self._epoch = epoch
        self._sessions = sessions
        self._known: _Known | None = None

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Only commands are completed without waiting."""
        del complete_event
        return self._commands(document.text_before_cursor)

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """What could stand at the cursor; nothing if the session cannot say."""
        before = document.text_before_cursor
        if is_message(document.text):
            return  # nobody but the person knows what they want to say
        if _is_line(before):
            for one in self._commands(before):
                yield one
            return
        if complete_event.text_inserted and _ASKS_BY_ITSELF.search(before) is None:
            return
        proposals = self._narrowed(before)
        if proposals is None:
            proposals = await self._asked(document)
        for proposal in proposals:
            yield shown(proposal, before)

    def knows(self, before: str) -> bool:
        """Whether there is an answer already: nobody need be asked."""
        return _is_line(before) or is_message(before) or self._narrowed(before) is not None

    def _narrowed(self, before: str) -> Sequence[Proposal] | None:
        """What the newest answer says of the word as it is by now."""
        known, word = self._known, _word(before)
        if (
            known is None
            or known.before != before[: len(before) - len(word)]
            or known.epoch != self._epoch()
            or not word.startswith(known.word)
        ):
            return None
        return [one for one in known.proposals if _fits(one.label, word)]

    async def _asked(self, document: Document) -> Sequence[Proposal]:
        before, epoch = document.text_before_cursor, self._epoch()
        code, cursor = document.text, document.cursor_position
        if is_trial(code):
            code, cursor = piece_at(code, cursor)
        found = await self._ask(code, cursor)
        if found and len(found) < FULL:
            word = _word(before)
            stem = before[: len(before) - len(word)]
            self._known = _Known(stem, word, found, epoch)
        return found

    def _commands(self, before: str) -> Iterable[Completion]:
        name, space, rest = before.lstrip().partition(" ")
        if not space:
            typed = len(name) - 1
            return [Completion(one, -typed, display_meta=says) for one, says in completed(name)]
        found: Iterable[str] = ()
        match name[1:]:
            case "switch" | "session" | "compare":
                found = self._sessions()
            case "unqueue":
                found = self._queued()
            case "set":
                found = _SETTINGS
            case "undo":
                found = WHOSE
            case "branch":
                found = WAYS
            case "rewind":
                block, space, last = rest.rpartition(" ")
                found = () if block in SCOPES else SCOPES if space else (*SCOPES, "back", "undo")
                rest = last
            case _:
                pass
        return [Completion(one, -len(rest)) for one in found if one.startswith(rest)]


def shown(proposal: Proposal, before: str) -> Completion:
    """A proposal as the menu shows it: what it inserts, its kind, and more about it."""
    label = clean(proposal.label, colour=False)
    detail = clean(proposal.detail, colour=False).replace("\n", " ")
    if proposal.kind in _CALLED:
        # Of what is called, its signature says more than its type.
        detail = detail[detail.index("(") :] if "(" in detail else ""
    meta = f"{proposal.kind.value} {detail[:LONGEST_DETAIL]}".rstrip()
    return Completion(label, -_replaced(proposal.label, before), display_meta=meta)


def _is_line(before: str) -> bool:
    """Whether it is a command that is typed, and not code behind one that tries it."""
    is_code = is_trial(before) and " " in before.lstrip()
    return is_command(before) and "\n" not in before and not is_code


def _replaced(label: str, before: str) -> int:
    """How many characters before the cursor the label stands for."""
    word = _word(before)
    if _fits(label, word) and (word or label[:1].isalnum() or label[:1] == "_"):
        return len(word)
    # A path or a magic: the longest end of what was typed with which it begins.
    line = before.rsplit("\n", 1)[-1]
    for length in range(min(len(label), len(line)), 0, -1):
        if label.lower().startswith(line[-length:].lower()):
            return length
    return len(word)


def _fits(label: str, word: str) -> bool:
    return label.lower().startswith(word.lower())


def _word(before: str) -> str:
    found = _WORD.search(before)
    return found[0] if found is not None else ""
