"""The forks around a session as a small tree: go there, compare, keep one, branch here."""

import asyncio
from datetime import datetime
from typing import Final

from hearth.core.views.session_tree import Branch, BranchTree, branch_tree
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow
from hearth.servers.dashboard.actions import post
from hearth.servers.dashboard.html import (
    EMPTY,
    Html,
    button,
    div,
    joined,
    li,
    ol,
    span,
    strong,
)
from hearth.servers.dashboard.panels.comparing import Side, compared_with
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    badge,
    choice,
    hint,
    left_out,
    link,
    part,
    when,
)
from hearth.servers.dashboard.panels.variables import Variables
from hearth.servers.dashboard.panels.wording import counted, one_line
from hearth.servers.dashboard.shapes import KEEP
from hearth.servers.http.seeing import seen

NAME: Final = "branches"
DEEPEST: Final = 8
"""Steps by which a fork of forks is moved to the right; deeper ones stand below each other."""
_HOW: Final = {
    ForkHow.COPY: "live copy",
    ForkHow.REPLAY: "replayed",
    ForkHow.NEW: "empty interpreter",
}
_STATES: Final = {
    PhaseName.UNINITIALIZED: "no interpreter",
    PhaseName.WARMING_UP: "warming up",
    PhaseName.READY: "ready",
    PhaseName.EVALUATING: "running",
    PhaseName.FAULTED: "faulted",
}


class BranchPanel:
    """Draws the tree, and what the session it is looked at from holds otherwise than another."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables

    async def show(self, looking: Looking, session: SessionId, now: datetime) -> Html:
        """The tree, and below it the comparison that was chosen."""
        listed, _ = await seen(looking.around.hearth, "sessions", Sessions)
        tree = branch_tree(listed.rows, session)
        everything = branch_tree(listed.rows, session, len(listed.rows) + 1).branches
        running = tuple(one for one in everything if not one.stopped)
        other = next(
            (one for one in tree.branches if one.session == looking.wanted.get("with")), None
        )
        compared = EMPTY
        if other is not None and not other.is_here:
            compared = await self._compared(looking, session, other, now)
        return joined(_tree(tree, running, other, now), compared)

    async def _compared(
        self, looking: Looking, session: SessionId, other: Branch, now: datetime
    ) -> Html:
        sides = await asyncio.gather(
            self._side(looking, session, "This session"),
            self._side(looking, other.session, called(other)),
        )
        return compared_with(called(other), sides, {"with": other.session}, now)

    async def _side(self, looking: Looking, session: SessionId, name: str) -> Side:
        status, _ = await seen(looking.around.hearth, "status", Status, session)
        again = looking.wanted.get("again", "")
        known = await self._variables.look(looking.around.hearth, status, again)
        return Side(name, status, known)


def called(branch: Branch) -> str:
    """The name of a branch, as people know it."""
    return one_line(branch.name, 60) or branch.session


def _tree(
    tree: BranchTree, running: tuple[Branch, ...], other: Branch | None, now: datetime
) -> Html:
    alone = len(tree.branches) < 2
    return part(
        "Branches",
        div(
            button(
                "Branch here",
                type_="button",
                class_="btn btn-small btn-primary",
                title="Another session goes on from here, with a live copy of the interpreter",
                **post("/dashboard/fork"),
            ),
            class_="row",
        ),
        hint("Nothing was forked from this session, nor it from another.")
        if alone
        else ol(
            [_row(one, running, other, now) for one in tree.branches],
            class_="p-tree",
            role="list",
        ),
        left_out(len(tree.branches), len(tree.branches) + tree.left_out, "branch", "branches"),
        note=None if alone else counted(len(tree.branches), "branch", "branches"),
    )


def _row(one: Branch, running: tuple[Branch, ...], other: Branch | None, now: datetime) -> Html:
    state = "stopped" if one.stopped else _STATES[one.state]
    name = called(one)
    return li(
        span("└ ", class_="muted", aria_hidden="true") if one.depth else None,
        strong(name, aria_current="true") if one.is_here else link(one.session, one.name),
        " ",
        joined(badge("this one", "info"), " ") if one.is_here else EMPTY,
        badge(state),
        span(f" {_HOW[one.how]}" if one.how is not None else "", class_="muted small"),
        span(" ", when(one.last_activity, now), class_="muted small")
        if one.last_activity
        else None,
        div(_acts(one, running, other), class_="row row-wrap p-tree-acts"),
        id_=f"branch-{one.session}",  # else what is pressed may become another's when it is redrawn
        class_=f"p-branch p-depth-{min(one.depth, DEEPEST)}",
    )


def _acts(one: Branch, running: tuple[Branch, ...], other: Branch | None) -> Html:
    name = called(one)
    others = [each for each in running if each.session != one.session]
    is_on = other is not None and other.session == one.session
    compare = choice(
        joined("Compare", span(f" with {name}", class_="sr")),
        NAME,
        {"with": one.session},
        is_on=is_on,
        about="Which variables differ",
    )
    ends = counted(len(others), "other branch", "other branches")
    keep = button(
        "Keep",
        span(f" {name}, and end the others", class_="sr"),
        type_="button",
        class_="btn btn-small",
        title=f"Ends the interpreters of {ends}; what was said and run stays",
        **post(
            KEEP,
            confirm=f"Keep “{name}” and end {ends} ({_named(others)})? "
            "Their variables are lost; what was said and run stays.",
            keep=one.session,
        ),
    )
    # What has ended keeps nothing, and the others would end for it.
    can_keep = others and not one.stopped
    return joined(EMPTY if one.is_here else compare, keep if can_keep else EMPTY)


def _named(branches: list[Branch]) -> str:
    names = ", ".join(f"“{called(one)}”" for one in branches[:5])
    return names if len(branches) <= 5 else f"{names} and {len(branches) - 5} more"
