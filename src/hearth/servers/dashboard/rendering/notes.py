"""What stands between cells and turns: errors, notices, summaries, and how a turn ended."""

from typing import Final

from hearth.core.views.timeline_items import (
    ErrorItem,
    NoticeItem,
    Placed,
    SummaryItem,
    TurnEndItem,
)
from hearth.core.vocabulary.blocks import ErrorBlock, Usage
from hearth.core.vocabulary.prompting import ContinueTurn, RegenerateTurn
from hearth.core.vocabulary.turns import TurnEnd
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import (
    Html,
    button,
    details,
    div,
    li,
    p,
    span,
    strong,
    summary,
    ul,
)
from hearth.servers.dashboard.rendering.bounding import bounded
from hearth.servers.dashboard.rendering.failing import failed
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.markdown import pieces
from hearth.servers.dashboard.rendering.outline import outlined
from hearth.servers.dashboard.rendering.terminal import stripped
from hearth.servers.dashboard.rendering.turning import kind_of, more_about, words_about
from hearth.servers.dashboard.rendering.wording import badge, counted, seconds, short, when

MOST_SAID: Final = 4000
MOST_FILES: Final = 100
_ENDS: Final = {
    TurnEnd.DONE: "done",
    TurnEnd.CANCELLED: "cancelled",
    TurnEnd.FAILED: "failed",
    TurnEnd.REFUSED: "refused by the model",
    TurnEnd.LIMIT: "stopped at its limit of steps",
    TurnEnd.CUT_OFF: "cut off: the answer became too long",
}


def drawn_error(placed: Placed, item: ErrorItem, look: Look) -> Drawn:
    """What ended a turn."""
    block = item.row.content
    message = block.message if isinstance(block, ErrorBlock) else ""
    status = block.status if isinstance(block, ErrorBlock) else None
    words, about = bounded(message, look.session, MOST_SAID)
    name = f"{item_id(placed.key)}-said"
    said = div(p(stripped(words), class_="error-said"), about, id_=name)
    return outlined(
        placed,
        "error",
        [Piece(name, said)],
        lambda inside: (
            div(
                span("✗", class_="sign", aria_hidden="true"),
                strong("The turn ended in an error"),
                span(f"status {status}", class_="mono status") if status is not None else None,
                span(class_="gap"),
                when(item.row.at, look.now),
                class_="line",
            ),
            inside,
        ),
        about="error",
    )


def drawn_notice(placed: Placed, item: NoticeItem, look: Look) -> Drawn:
    """A thin line with a few words in it."""
    name = f"{item_id(placed.key)}-said"
    failure = item.entry.failure if item.entry is not None else None
    said = words_about(item.event, item.words)
    words = span(stripped(said[:MOST_SAID]), class_="rule-words")
    author = badge(item.entry.author) if item.event is not None and item.entry else None
    made = [Piece(name, div(author, words, when(item.at, look.now), id_=name, class_="rule"))]
    more = more_about(item.event, look, is_last=placed.key == look.last_return)
    if more is not None:
        made.append(Piece(f"{name}-more", div(more, id_=f"{name}-more")))
    if failure is not None:
        failing = f"{item_id(placed.key)}-failure"
        made.append(Piece(failing, div(failed(failure, look.session), id_=failing)))
    kind = f"notice{kind_of(item.event)}"
    return outlined(placed, kind, made, lambda inside: (inside,), about="notice")


def drawn_summary(placed: Placed, item: SummaryItem, look: Look) -> Drawn:
    """Here the model was given a summary of what stands before."""
    made = item.made
    words, about = bounded(made.summary, look.session)
    tokens = f"{made.tokens_before:,} tokens before it" if made.tokens_before else ""
    return outlined(
        placed,
        "summary",
        pieces(item_id(placed.key), words),
        lambda inside: (
            details(
                summary(
                    span("From here on the model has a summary of what stands before"),
                    span(tokens, class_="muted") if tokens else None,
                    span(class_="gap"),
                    when(made.at, look.now),
                ),
                inside,
                about or None,
                _files(made.files),
                class_="fold",
                data_preserve_attr="open",
            ),
        ),
        about="summary",
    )


def _files(files: tuple[str, ...]) -> Html | None:
    if not files:
        return None
    more = len(files) - MOST_FILES
    return div(
        p("Files that were read or changed so far:", class_="muted"),
        ul(
            *(li(short(one, 300), class_="mono") for one in files[:MOST_FILES]),
            li(f"… and {more} more") if more > 0 else None,
        ),
    )


def drawn_end(placed: Placed, item: TurnEndItem, look: Look) -> Drawn:
    """A turn is over: how, and what it took."""
    name = f"{item_id(placed.key)}-said"
    words = [_ENDS[item.end], counted(item.steps, "step"), *tokens_in_words(item.usage)]
    if item.seconds is not None:
        words.append(seconds(item.seconds))
    line = span(" · ".join(words), class_="rule-words")
    # Why it failed stands in the card above.
    is_told = item.end is TurnEnd.FAILED or not item.why
    why = None if is_told else span(short(item.why, 400), class_="rule-why")
    made = [
        Piece(name, div(line, why, when(item.at, look.now), id_=name, class_="rule")),
        *_offers(f"{item_id(placed.key)}-offers", item, look),
    ]
    kind = f"end end-{item.end.value.replace('_', '-')}"
    return outlined(placed, kind, made, lambda inside: (inside,), about="end of the turn")


def tokens_in_words(usage: Usage) -> list[str]:
    """Tokens that went in and came out."""
    if not usage.input and not usage.output:
        return []
    cached = f" ({usage.cache_read:,} cached)" if usage.cache_read else ""
    return [f"{usage.input:,} tokens in{cached}", f"{usage.output:,} out"]


def _offers(name: str, item: TurnEndItem, look: Look) -> list[Piece]:
    if not look.can_talk or not look.last_turn or item.turn != look.last_turn:
        return []
    again = button(
        "Regenerate",
        type="button",
        class_="btn btn-quiet btn-small",
        title="Answer the latest prompt anew, as a branch of its own",
        **command(look.session, RegenerateTurn()),
    )
    more = button(
        "Continue",
        type="button",
        class_="btn btn-quiet btn-small",
        title="Go on where the last answer ended",
        **command(look.session, ContinueTurn()),
    )
    return [Piece(name, div(again, more, id_=name, class_="acts row row-wrap"))]
