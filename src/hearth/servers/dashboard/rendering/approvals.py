"""What an agent wants a person's word about: exactly what, what for, and what would follow."""

from datetime import datetime
from typing import Final

import msgspec

from hearth.core.views.talk import Approval
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import Judged
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.html import (
    Html,
    button,
    code,
    details,
    div,
    form,
    header,
    input_,
    label,
    li,
    p,
    section,
    span,
    strong,
    summary,
    ul,
)
from hearth.servers.dashboard.rendering.arguments import deed
from hearth.servers.dashboard.rendering.visible import one_line, visible
from hearth.servers.dashboard.rendering.wording import short, when

ONLY_ONCE: Final = "Only once: it cannot be told what else would be allowed with it."
MOST_NEEDS: Final = 50
MOST_OFFERS: Final = 50
_LONGEST: Final = 4000
_LONGER: Final = {
    ApprovalAnswer.SESSION: ("This session", "in this session, as long as it lives"),
    ApprovalAnswer.ALWAYS: ("Always", "in every session of this project, until it is revoked"),
}


def approval_card(
    session: SessionId,
    approval: Approval,
    *,
    context_line: str = "",
    now: datetime | None = None,
) -> Html:
    """Everything a person must know to answer, and the four answers. It has no ids.

    `context_line`: where this is, for whoever sees it among those of other sessions.
    """
    who = short(approval.agent, 80) or "The agent"
    tool = strong(short(approval.name, 100))
    wants = (f"{who} wants to use ", tool) if approval.name else (f"{who} waits for you",)
    return section(
        header(
            span("?", class_="sign", aria_hidden="true"),
            span(*wants),
            span(class_="gap"),
            when(approval.at, now) if approval.at and now else None,
            class_="line",
        ),
        p(short(context_line, 300), class_="muted") if context_line else None,
        deed(approval.details, session) if approval.details else None,
        _needs(approval.judged) if approval.judged else p(visible(approval.why[:_LONGEST])),
        _offered(approval) if approval.name else None,
        _answers(session, approval),
        class_="approval card",
        aria_label=f"approval {approval.approval}",
        data_approval=approval.approval,
    )


def _needs(judged: tuple[Judged, ...]) -> Html:
    more = len(judged) - MOST_NEEDS
    return div(
        p("Needs", class_="muted"),
        ul(
            *map(_need, judged[:MOST_NEEDS]),
            li(f"… and {more} more") if more > 0 else None,
            class_="needs",
        ),
    )


def _need(one: Judged) -> Html:
    need = one.need
    by = f"by {one_line(one.by[:_LONGEST])}" if one.by else ""
    why = ", ".join(part for part in (visible(need.why[:_LONGEST]), by) if part)
    real = need.resolved if need.resolved not in {"", need.target} else ""
    return li(
        span(short(need.permission, 60), class_="permission mono"),
        " ",
        code(one_line(need.target[:_LONGEST])),
        span(" is really ", code(one_line(real[:_LONGEST]))) if real else None,
        span(f" {why}", class_="muted") if why else None,
    )


def _offered(approval: Approval) -> Html:
    """What could be allowed for longer than once, word for word."""
    if not approval.offers:
        return p(ONLY_ONCE, class_="muted")
    return div(
        p("For longer it would allow", class_="muted"),
        ul(
            *(
                li(
                    span(short(one.permission, 60), class_="permission mono"),
                    " ",
                    code(one_line(one.pattern[:_LONGEST])),
                )
                for one in approval.offers[:MOST_OFFERS]
            ),
            class_="needs offers",
        ),
    )


def _answers(session: SessionId, approval: Approval) -> Html:
    once = AnswerApproval(approval.approval, ApprovalAnswer.ONCE)
    reject = AnswerApproval(approval.approval, ApprovalAnswer.REJECT)
    return div(
        button(
            "Once" if approval.name else "Go on",
            type="button",
            class_="btn btn-primary",
            **command(session, once, wait=True),
        ),
        *(_longer(session, approval, answer) for answer in _LONGER if approval.name),
        button(
            "Reject", type="button", class_="btn btn-danger", **command(session, reject, wait=True)
        ),
        details(
            summary("Reject and say why", class_="btn btn-quiet"),
            form(
                label(
                    span("What the agent is told", class_="muted"),
                    input_(name="text", maxlength="4000", autocomplete="off"),
                    class_="field",
                ),
                button("Reject", type="submit", class_="btn btn-danger btn-small"),
                class_="row",
                **command(session, reject, on="submit", fills="text", wait=True),
            ),
            class_="reasons",
            data_preserve_attr="open",
        ),
        class_="answers row row-wrap",
    )


def _longer(session: SessionId, approval: Approval, answer: ApprovalAnswer) -> Html:
    words, scope = _LONGER[answer]
    patterns = tuple(one.pattern for one in approval.offers)
    if not can_be_offered(approval):
        return button(
            words,
            span(f" is not possible. {ONLY_ONCE}", class_="sr"),
            type="button",
            class_="btn",
            disabled=True,
            title=ONLY_ONCE,
        )
    said = AnswerApproval(approval.approval, answer, patterns=patterns)
    return button(
        words,
        type="button",
        class_="btn",
        title=f"Allow what is listed {scope}",
        **command(session, said, wait=True),
    )


def can_be_offered(approval: Approval) -> bool:
    """Whether it can be allowed for longer: all of what that means is listed and can be sent."""
    if not approval.offers or len(approval.offers) > MOST_OFFERS:
        return False
    if any(len(one.pattern) > _LONGEST for one in approval.offers):
        return False
    try:
        msgspec.json.encode([one.pattern for one in approval.offers])
    except (UnicodeEncodeError, ValueError):
        return False  # no text that could be sent back as it is
    return True
