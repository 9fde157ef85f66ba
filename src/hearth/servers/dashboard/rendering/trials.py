"""Variants of a cell that were tried side by side, and the buttons that keep one of them."""

from typing import Final

from hearth.core.views.transcript import CellStanding, Entry, Tried
from hearth.core.vocabulary.commands import KeepVariant
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.drawing import Piece
from hearth.servers.dashboard.html import (
    Html,
    button,
    details,
    div,
    header,
    p,
    section,
    span,
    strong,
    summary,
)
from hearth.servers.dashboard.rendering.bounding import note
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.results import (
    CameTo,
    came_to,
    piece,
    shown_code,
    standing_mark,
)
from hearth.servers.dashboard.rendering.rich import Kept
from hearth.servers.dashboard.rendering.wording import counted, seconds, short

MOST_NAMES: Final = 20
WAITING: Final = "One of them can become the session. The interpreter is as it was before them."


def drawn_trial(entry: Entry, name: str, look: Look) -> list[Piece]:
    """All variants; of one that was kept first what it came to, and the others folded below."""
    cards = div(
        *(
            _variant(number, one, entry, f"{name}-v{number}", look)
            for number, one in enumerate(entry.variants, 1)
        ),
        class_="variants",
    )
    if not entry.kept:
        return [piece(f"{name}-trial", div(_offer(entry, look), cards))]
    told = f"{counted(len(entry.variants), 'variant')} tried, number {entry.kept} kept"
    folded = details(summary(told), cards, class_="fold", data_preserve_attr="open")
    came = came_to(CameTo.of(entry), name, Kept(look.session))
    return [*came, piece(f"{name}-trial", folded)]


def _offer(entry: Entry, look: Look) -> Html | None:
    """What can be decided about them now."""
    if look.trial is None or look.trial.cell != entry.cell:
        return None
    none = button(
        "Keep none",
        span(f" of the variants of {entry.cell}", class_="sr"),
        type="button",
        class_="btn btn-small",
        title="All of them end; the interpreter stays as it was",
        **command(look.session, KeepVariant(0)),
    )
    return div(p(WAITING, class_="muted"), span(class_="gap"), none, class_="line trial-offer")


def _variant(number: int, tried: Tried, entry: Entry, name: str, look: Look) -> Html:
    result = tried.result
    standing = _standing(tried, entry)
    came = came_to(CameTo.of(result), name, Kept(look.session)) if result is not None else []
    is_kept = number == entry.kept
    words = standing.value if standing is not None else "not run"
    return section(
        header(
            strong(f"Variant {number}"),
            standing_mark(standing) if standing is not None else span("not run", class_="muted"),
            span(seconds(result.duration), class_="muted mono took") if result else None,
            span("kept", class_="mark-kept") if is_kept else None,
            span(class_="gap"),
            _keep(number, entry, look),
            class_="line",
        ),
        shown_code(tried.code, look),
        div(
            *(one.html for one in came),
            class_="variant-out",
            tabindex="0",  # by keyboard, to be scrolled
            role="group",
            aria_label=f"output of variant {number}",
        )
        if came
        else None,
        _names(result.names) if result is not None else None,
        class_=f"variant{' is-kept' if is_kept else ''}",
        aria_label=f"variant {number}, {words}{', kept' if is_kept else ''}",
    )


def _standing(tried: Tried, entry: Entry) -> CellStanding | None:
    result = tried.result
    if result is None:
        return CellStanding.RUNNING if entry.standing is CellStanding.RUNNING else None
    if result.stopped:
        return CellStanding.CANCELLED
    return CellStanding.FINISHED if result.is_ok else CellStanding.FAILED


def _keep(number: int, entry: Entry, look: Look) -> Html | None:
    trial = look.trial
    if trial is None or trial.cell != entry.cell:
        return None
    is_gone = number in trial.gone
    return button(
        "Keep",
        span(f" variant {number}", class_="sr"),
        type="button",
        class_="btn btn-primary btn-small",
        disabled=is_gone,
        title="Its interpreter did not live on" if is_gone else "It becomes the session",
        **({} if is_gone else command(look.session, KeepVariant(number))),
    )


def _names(names: tuple[str, ...]) -> Html | None:
    if not names:
        return None
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return note(f"defines {', '.join(short(one, 60) for one in names[:MOST_NAMES])}{more}")
