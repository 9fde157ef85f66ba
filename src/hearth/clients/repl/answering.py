"""Carries out the commands by which people answer agents, and see what they may do."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from hearth.clients.agents.deciding import Decision
from hearth.clients.agents.task_text import checklist
from hearth.clients.repl.consenting import AskingConsent, answer_of, asked_for, deciding
from hearth.clients.repl.conversing import Conversing, note, refuse, say, submit, view_of, warn
from hearth.clients.repl.deed_noticing import how_answered, requested
from hearth.clients.repl.listing import columns
from hearth.clients.repl.painting import ago, author
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.styling import styled
from hearth.core.views.approvals import Approvals, Permissions
from hearth.core.views.decisions import Decided
from hearth.core.views.talk import Approval
from hearth.core.views.tasks import Tasks
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.refusals import Refused

_APPROVAL: Final = re.compile(r"a\d+")
_ANSWERS: Final = frozenset({"once", "session", "always"})
MOST_DECIDED: Final = 20


async def _approvals(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "approvals", Approvals)
    if isinstance(view, Refused):
        await refuse(talk, view)
        return
    here, paint = talk.attached.session, talk.around.paint
    lines = [
        requested(row.approval, row.approval.agent, paint, how_answered(row.approval))
        for row in view.rows
        if row.session == here
    ]
    now = datetime.now(UTC)
    elsewhere = [
        (
            f"{row.session}/{row.approval.approval}",
            clean(row.name, colour=False),
            ago(row.approval.at, now),
            " ".join(clean(row.approval.why, colour=False).split())[:100],
        )
        for row in view.rows
        if row.session != here
    ]
    if elsewhere:
        lines.append(
            f"{paint.dim('elsewhere; `hearth approvals` shows more')}\n{columns(elsewhere)}"
        )
    await say(talk, "\n".join(lines) or "nothing waits for a person")


async def _approve(talk: Conversing, said: str) -> None:
    which, words = _split(said)
    answer = words.pop(0) if words and words[0] in _ANSWERS else "once"
    asked = await _meant(talk, which)
    if asked is None:
        return
    question = deciding(asked)
    if answer == "once":
        await _answer(talk, Decision(question.asked, answer, " ".join(words)))
    elif not question.asked.offers:
        await warn(
            talk, f"{asked.approval} can only be allowed once", f"say .approve {asked.approval}"
        )
    elif answer == "session":
        await _answer(talk, Decision(question.asked, answer, " ".join(words)))
    elif not talk.may_ask:
        name = f"{talk.attached.session}/{asked.approval}"
        hint = f"say it there: `hearth approve {name} --always`"
        await warn(talk, "for always must be confirmed at a terminal", hint)
    else:
        shown = question.hear(f"always {' '.join(words)}".strip())
        if not isinstance(shown, Decision):
            await note(talk, styled(shown, talk.around.paint))
        talk.attached.consent.add(AskingConsent(question), first=True)


async def _reject(talk: Conversing, said: str) -> None:
    which, words = _split(said)
    asked = await _meant(talk, which)
    if asked is not None:
        await _answer(talk, Decision(asked_for(asked), ApprovalAnswer.REJECT, " ".join(words)))


async def _answer(talk: Conversing, decision: Decision) -> None:
    await submit(talk, answer_of(decision))


async def _permissions(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "permissions", Permissions)
    if isinstance(view, Refused):
        await refuse(talk, view)
        return
    lines = []
    if view.grants:
        rows = [(one.permission, f'"{clean(one.pattern, colour=False)}"') for one in view.grants]
        lines.append(f"allowed as long as this session lives\n{_indented(columns(rows))}")
    if view.asked:
        names = ", ".join(one.approval for one in view.asked)
        lines.append(f"waits for an answer: {names}; .approvals shows it")
    if view.decided:
        now = datetime.now(UTC)
        table = [_decided(one, now) for one in view.decided[-MOST_DECIDED:]]
        lines.append(f"decided\n{_indented(columns(table))}")
    hint = "`hearth permissions list` shows the rules, and what is allowed for always"
    await say(talk, "\n".join([*lines, talk.around.paint.dim(hint)]))


async def _tasks(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "tasks", Tasks)
    if isinstance(view, Refused):
        await refuse(talk, view)
        return
    rows = [msgspec.to_builtins(one) for one in view.rows]
    await say(talk, styled(checklist(rows, view.done), talk.around.paint, ""))


CONSENTS: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {
    "approvals": _approvals,
    "approve": _approve,
    "reject": _reject,
    "permissions": _permissions,
    "tasks": _tasks,
}


def _split(said: str) -> tuple[str, list[str]]:
    """Which approval is named, if one is, and the words behind it."""
    words = said.split()
    if words and _APPROVAL.fullmatch(words[0]):
        return words[0], words[1:]
    return "", words


async def _meant(talk: Conversing, which: str) -> Approval | None:
    """The approval that is meant; None, and that is said, if it cannot be told."""
    waiting: Sequence[Approval] = talk.attached.now.talk.approvals
    found = [one for one in waiting if which in {"", one.approval}]
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.approval for one in waiting)
    if not waiting:
        what = f"{which} does not wait for an answer" if which else ""
        said = what or "the agent does not ask for anything"
        await warn(talk, said, ".permissions says what was decided")
    elif which:
        await warn(talk, f"{which} does not wait for an answer", f"{names} waits")
    else:
        hint = f"say which: {names}; .approvals shows them"
        await warn(talk, f"{len(waiting)} things wait for an answer", hint)
    return None


def _decided(one: Decided, now: datetime) -> tuple[str, ...]:
    who = "a rule" if one.answer == "denied" else author(one.by)
    notes = [f"with {one.because}"] if one.because else []
    notes += [f'"{grant.pattern}"' for grant in one.grants]
    what = " ".join(clean(one.what, colour=False).split())[:80]
    said = clean(", ".join(notes), colour=False)
    return (one.approval, ago(one.at, now), one.answer, f"by {who}", what, said)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
