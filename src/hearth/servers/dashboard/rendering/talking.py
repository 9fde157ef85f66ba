"""What people said and what models wrote or thought."""

from typing import Final

from hearth.core.views.conversation_rows import Row
from hearth.core.views.open_blocks import OpenKind
from hearth.core.views.timeline_items import Placed, SaidItem, TextItem
from hearth.core.vocabulary.blocks import TextBlock, ThinkingBlock
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import block_place
from hearth.servers.dashboard.actions import local, post
from hearth.servers.dashboard.drawing import Drawn, Piece, item_id
from hearth.servers.dashboard.html import (
    Html,
    button,
    code,
    details,
    div,
    footer,
    form,
    header,
    label,
    pre,
    span,
    summary,
    textarea,
)
from hearth.servers.dashboard.rendering.bounding import MOST, bounded, is_whole, note, text_of
from hearth.servers.dashboard.rendering.chunking import Chunk, chunks, is_fenced
from hearth.servers.dashboard.rendering.highlighting import highlighted, language
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.markdown import pieces
from hearth.servers.dashboard.rendering.outline import outlined
from hearth.servers.dashboard.rendering.visible import fit
from hearth.servers.dashboard.rendering.wording import badge, when

BEGINNING_UNKNOWN: Final = (
    "The beginning of this is not known here; it is there when it is written."
)
CUT_OFF: Final = "It was cut off here."
_TOO_LONG: Final = "It is too long to be edited here."


def drawn_said(placed: Placed, item: SaidItem, look: Look) -> Drawn:
    """A prompt, just as it was typed, with what can be done about it."""
    row = item.row
    words = row.content.text if isinstance(row.content, TextBlock) else ""
    shown, about = bounded(words, look.session)
    name = item_id(placed.key)
    return outlined(
        placed,
        "said",
        _typed(name, shown),
        lambda inside: (
            header(badge(row.author), span(class_="gap"), when(row.at, look.now), class_="line"),
            inside,
            about or None,
            _actions(name, row, words, look),
        ),
        about="prompt",
    )


def drawn_text(placed: Placed, item: TextItem, look: Look) -> Drawn:
    """What a model wrote or thought, sealed or not."""
    name = item_id(placed.key)
    words, is_thought, notes = _words(item, look)
    kind = "thinking" if is_thought else "text"
    is_open = item.row is None
    made = pieces(name, words, item.open.start if item.open is not None else 0)
    above, below = notes

    def around(inside: Html) -> tuple[Html | None, ...]:
        if not is_thought:
            return (above, inside, below)
        fold = details(
            summary(
                span("Thinking", class_="thinking-word"),
                span("…", aria_hidden="true") if is_open else None,
            ),
            above,
            inside,
            below,
            open=look.open_thinking,
            data_preserve_attr="open",
        )
        return (fold,)

    about = "thinking" if is_thought else "answer"
    return outlined(placed, f"{kind} is-open" if is_open else kind, made, around, about)


def _words(item: TextItem, look: Look) -> tuple[str, bool, tuple[Html | None, Html | None]]:
    """The text, whether it was thought, and what is to be said above and below it."""
    if item.row is not None:
        content = item.row.content
        is_thought = isinstance(content, ThinkingBlock)
        text: Text = content.text if isinstance(content, TextBlock | ThinkingBlock) else ""
        words, about = bounded(text, look.session)
        cut = note(CUT_OFF) if item.row.partial else None
        return words, is_thought, (None, Html(about + (cut or "")))
    if item.open is None:
        return "", False, (None, None)
    above = note(BEGINNING_UNKNOWN) if item.open.start else None
    return item.open.text, item.open.kind is OpenKind.THINKING, (above, None)


def _typed(name: str, words: str) -> list[Piece]:
    """What a person typed: letter for letter, but for code between marks."""
    made = []
    for number, chunk in enumerate(chunks(words)):
        called = f"{name}-m{number}"
        made.append(Piece(called, div(_typed_chunk(chunk), id_=called, class_="typed")))
    return made


def _typed_chunk(chunk: Chunk) -> Html | str:
    opens = is_fenced(chunk)
    if opens is None:
        return fit(chunk.text)
    lines = chunk.text.split("\n")[1:]
    if lines and lines[-1].strip() and not lines[-1].strip().strip(opens[1][0]):
        del lines[-1]
    return pre(code(highlighted("\n".join(lines), language(opens[2]))), class_="code", tabindex="0")


def _actions(name: str, row: Row, words: Text, look: Look) -> Html | None:
    copy = button(
        "Copy", type="button", class_="btn btn-quiet btn-small", **local("copy", of=f"{name}-in")
    )
    if not look.can_talk:
        return footer(copy, class_="acts row row-wrap")
    fork = button(
        "Fork from here",
        type="button",
        class_="btn btn-quiet btn-small",
        **post("/dashboard/fork", block=row.block),
    )
    return footer(_edit(row, words, look), fork, _rewind(row), copy, class_="acts row row-wrap")


def _rewind(row: Row) -> Html | None:
    """Back to when it was said; what was said in a session that this one came from is not here."""
    if block_place(row.block)[0]:
        return None
    return button(
        "Rewind to here",
        type="button",
        class_="btn btn-quiet btn-small",
        title="Shows first what that would change",
        **post("/dashboard/rewind", block=row.block),
    )


def _edit(row: Row, words: Text, look: Look) -> Html:
    if not is_whole(words) or len(text_of(words)) > MOST:
        return button(
            "Edit and resend",
            type="button",
            class_="btn btn-quiet btn-small",
            disabled=True,
            title=_TOO_LONG,
        )
    return details(
        summary("Edit and resend", class_="btn btn-quiet btn-small"),
        form(
            label(
                span("Say instead", class_="sr"),
                textarea(fit(text_of(words)), name="text", rows="4", spellcheck="true"),
            ),
            button("Send", type="submit", class_="btn btn-primary btn-small"),
            class_="stack",
            **local("resend", on="submit", block=row.block, session=look.session),
        ),
        class_="edits",
        data_preserve_attr="open",
    )
