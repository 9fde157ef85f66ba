"""What was allowed for longer than once, and what was decided: below what is still asked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hearth.core.views.approvals import Permissions
from hearth.core.views.decisions import Decided
from hearth.core.vocabulary.permitting import Grant
from hearth.servers.dashboard.actions import post
from hearth.servers.dashboard.html import EMPTY, Html, button, code, div, joined, li, p, span, ul
from hearth.servers.dashboard.panels.parts import (
    Tone,
    author,
    badge,
    hint,
    left_out,
    part,
    path,
    trouble,
    when,
)
from hearth.servers.dashboard.panels.wording import counted, one_line
from hearth.servers.http.agents.oversight import GrantShown, GrantsListed, Oversight

REVOKE: Final = "/dashboard/revoke"
ID: Final = "p-grants"
"""Of the part that an answer to it draws anew."""
MOST_DECIDED: Final = 30
MOST_GRANTS: Final = 100
_ANSWERS: Final[dict[str, tuple[str, Tone]]] = {
    "once": ("allowed once", "good"),
    "session": ("allowed for the session", "good"),
    "always": ("allowed for always", "good"),
    "reject": ("rejected", "bad"),
    "denied": ("denied by a rule", "bad"),
}


async def lasting(agents: Oversight, now: datetime, problem: str = "") -> Html:
    """Everything that was allowed for always; `problem`: why one was not taken back."""
    try:
        listed = await agents.grants()
    except Exception as error:  # noqa: BLE001 - a broken file must not hide what is asked
        listed = GrantsListed((), f"they cannot be read: {error}")
    wrong = [trouble(one) for one in (problem, listed.problem) if one]
    # The newest are what people want to take back.
    newest = tuple(reversed(listed.grants))[:MOST_GRANTS]
    rows = ul([_grant(one, now) for one in newest], class_="p-list", role="list")
    return part(
        "Allowed for always",
        *wrong,
        rows if newest else hint("Nothing. What you answer with “always” is listed here."),
        left_out(len(newest), len(listed.grants), "grant"),
        id_=ID,
        note=counted(len(listed.grants), "grant") if listed.grants else None,
    )


def of_session(permissions: Permissions, now: datetime) -> Html:
    """What holds as long as the session lives, and what was decided in it, the newest first."""
    newest = tuple(reversed(permissions.decided))[:MOST_DECIDED]
    decided = ul([_decided(one, now) for one in newest], class_="p-list", role="list")
    return joined(
        _held(permissions.grants),
        part(
            "Decided in this session",
            decided if newest else hint("Nothing was decided here yet."),
            left_out(len(newest), len(permissions.decided), "decision"),
        ),
    )


def _held(grants: Sequence[Grant]) -> Html:
    if not grants:
        return EMPTY
    rows = [li(_allowed(one.permission, one.pattern)) for one in grants[:MOST_GRANTS]]
    return part(
        "Allowed for this session",
        ul(rows, class_="p-list", role="list"),
        left_out(MOST_GRANTS, len(grants), "grant"),
        hint("These end with the session."),
    )


def _grant(one: GrantShown, now: datetime) -> Html:
    by = one_line(one.by, 60) or "somebody"
    revoke = button(
        "Revoke",
        type_="button",
        class_="btn btn-small btn-danger",
        aria_label=f"Revoke {one_line(one.permission, 60)} {one_line(one.pattern, 80)}",
        **post(
            REVOKE,
            grant=one.id,
            confirm=f"Ask again before {one_line(one.permission, 60)} {one_line(one.pattern)}?",
        ),
    )
    return li(
        div(_allowed(one.permission, one.pattern), revoke, class_="row p-grant"),
        p("in ", path(one.root), class_="muted small"),
        p(f"by {by}, ", when(one.at, now), _for(one.why), class_="muted small"),
    )


def _for(why: str) -> str:
    return f", for: {one_line(why)}" if why else ""


def _allowed(permission: str, pattern: str) -> Html:
    return span(
        badge(permission.replace("_", " ")),
        " ",
        code(one_line(pattern, 300)),
        class_="grow p-break",
    )


def _decided(one: Decided, now: datetime) -> Html:
    words, tone = _ANSWERS.get(one.answer, (one.answer, ""))
    patterns = [_allowed(each.permission, each.pattern) for each in one.grants[:MOST_GRANTS]]
    said = p("“", one_line(one.text, 300), "”", class_="small") if one.text else EMPTY
    because = f" together with {one.because}" if one.because else ""
    return li(
        div(badge(words, tone), author(one.by), when(one.at, now), because, class_="row row-wrap"),
        p(one_line(one.what, 300), class_="p-break"),
        [div(each) for each in patterns],
        said,
    )
