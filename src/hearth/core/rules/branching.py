"""What follows from the search for a block: the conversation goes on from there, or stays."""

from msgspec.structs import replace

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import Lookup
from hearth.core.rules.turning import begin_with_queue
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    NoticeBlock,
    NoticeKind,
    Role,
    TextBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.ids import block_id, block_place
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.origin import SYSTEM


def decide_branch(then: Consequences, report: m.BranchFound | m.BranchMissing) -> None:
    """The consequences of a search, for whoever still waits for it."""
    lookup = _lookup(then, report.question)
    if lookup is None:
        return
    if isinstance(report, m.BranchMissing):
        _missing(then, lookup, report.why)
    else:
        _found(then, lookup, report)


def ends_an_edit(notice: t.BlockSealed, parent: t.BlockSealed) -> bool:
    """Whether this is the block that an edit which keeps the rest ends with.

    It follows from the edited block, sealed right before it, and stands behind what was kept.
    """
    follows = block_place(notice.block)[1] == block_place(parent.block)[1] + 1
    is_edited = notice.parent == parent.block and parent.replaces is not None
    return isinstance(notice.content, NoticeBlock) and follows and is_edited


def _lookup(then: Consequences, question: str) -> Lookup | None:
    return next((one for one in then.state.talk.lookups if one.cause == question), None)


def _missing(then: Consequences, lookup: Lookup, why: str) -> None:
    then.happen_for(t.LookupFailed(lookup.block, why), lookup.cause, lookup.origin)
    begin_with_queue(then)


def _found(then: Consequences, lookup: Lookup, report: m.BranchFound) -> None:
    since = then.state.version + 1
    if lookup.source:
        forked = t.ConversationForked(
            source=lookup.source,
            block=report.sealed.block,
            line=replace(report.line, since=since),
            model=report.model,
            effort=report.effort,
        )
        then.happen_for(forked, lookup.cause, lookup.origin)
    elif lookup.text is None:
        line = replace(report.line, since=since)
        switched = t.BranchSwitched(line, "branch", report.model, report.effort)
        then.happen_for(switched, lookup.cause, lookup.origin)
    else:
        _edited(then, lookup, report, since)
    begin_with_queue(then)


def _edited(then: Consequences, lookup: Lookup, report: m.BranchFound, since: int) -> None:
    """A branch in which the block says something else, with or without what came after it."""
    old, text = report.sealed, lookup.text or ""
    if lookup.keep_rest and not report.after and old.block != then.state.talk.line.leaf:
        why = "it is not on the present branch, so nothing of that can be kept behind it"
        _missing(then, lookup, why)
        return
    match old.content:
        case TextBlock():
            content: TextBlock | ToolResultBlock = TextBlock(text)
        case ToolResultBlock():
            content = ToolResultBlock(old.content.call, old.content.name, text)
        case _:
            _missing(then, lookup, "only what was said, and results of tools, can be edited")
            return
    # The new block has its place behind the switch; what is kept stands behind it on the line.
    new = then.state.version + 2
    line, present = replace(report.before, since=since), then.state.talk.line
    if lookup.keep_rest:
        instead = {old.block: block_id(new)}
        line = Line(
            segments=(*report.before.segments, Segment(new, new), *report.after),
            since=new + 1,
            leaf=instead.get(present.leaf, present.leaf),
            prompt=instead.get(present.prompt, present.prompt),
        )
    switched = t.BranchSwitched(line, "edit", report.model, report.effort)
    then.happen_for(switched, lookup.cause, lookup.origin)
    sealed = t.BlockSealed(
        block=block_id(new),
        turn=old.turn,
        step=old.step,
        role=old.role,
        content=content,
        parent=report.before.leaf,
        replaces=old.block,
    )
    then.happen_for(sealed, lookup.cause, lookup.origin)
    if lookup.keep_rest and old.block != present.leaf:
        _end_of_its_own(then, lookup, sealed)


def _end_of_its_own(then: Consequences, lookup: Lookup, edited: t.BlockSealed) -> None:
    """End the line of an edit with a block that no other line has, so that it can be named.

    In the tree it follows from the edited block: what was kept still ends the branch it is of.
    """
    text = f"{edited.replaces} was edited; what came after it was kept"
    notice = t.BlockSealed(
        block=block_id(then.state.version + 1),
        turn=edited.turn,
        step=0,
        role=Role.SYSTEM,
        content=NoticeBlock(NoticeKind.NOTICE, text),
        parent=edited.block,
    )
    then.happen_for(notice, lookup.cause, SYSTEM)
