"""Which model a session is talked with, how to change it, and how full its window is."""

from typing import Final

from hearth.core.views.talk import Talk
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.prompting import Effort, SetModel
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.composing.standings import short
from hearth.servers.dashboard.expressions import Expression
from hearth.servers.dashboard.html import (
    Attribute,
    Html,
    bdi,
    button,
    details,
    div,
    element,
    form,
    input_,
    label,
    option,
    p,
    select,
    span,
    summary,
)

MOST_MODELS: Final = 200
"""Names that are proposed."""

_EFFORTS: Final = {
    Effort.NONE: "none",
    Effort.LOW: "low",
    Effort.MEDIUM: "medium",
    Effort.HIGH: "high",
    Effort.MAX: "as much as it can",
}


def model(session: SessionId, talk: Talk, models: tuple[str, ...] = ()) -> Html:
    """The model and the context's use; opened, the forms in which another is chosen."""
    name = short(talk.model, 120)
    shown = name.partition(":")[2] or name or "usual model"
    return details(
        summary(
            span("Model", class_="sr"),
            bdi(shown, class_="cut"),
            span(f"· {talk.effort}", class_="muted") if talk.effort is not None else None,
            _use(talk),
            class_="btn btn-small head-model",
            title=f"Model: {name or 'the one that the settings name'}\n{_used(talk)}".rstrip(),
        ),
        div(
            _named(session, talk, models),
            _effort(session, talk),
            p(_used(talk), class_="muted small") if _used(talk) else None,
            class_="menu-in stack",
        ),
        id_="head-model",
        class_="menu",
        data_preserve_attr="open",
    )


def _named(session: SessionId, talk: Talk, models: tuple[str, ...]) -> Html:
    return form(
        div(
            label("Model", for_="model-name"),
            input_(
                id_="model-name",
                name="model",
                value=talk.model,
                list_="model-names",
                placeholder="provider:model",
                required=True,
                maxlength=300,
                autocomplete="off",
                spellcheck="false",
            ),
            element(
                "datalist",
                [option(value=one) for one in models[:MOST_MODELS]],
                {"id": "model-names"},
            ),
            class_="field grow",
        ),
        button("Use", type_="submit", class_="btn", aria_label="Use this model"),
        class_="row row-end",
        **command(session, SetModel("x"), on="submit", fills="model"),
    )


def _effort(session: SessionId, talk: Talk) -> Html:
    unset = None
    if talk.effort is None:
        unset = option("as the settings say", value="", selected=True, disabled=True)
    return form(
        div(
            label("How much it thinks", for_="model-effort"),
            select(
                unset,
                (
                    option(words, value=one.value, selected=one is talk.effort)
                    for one, words in _EFFORTS.items()
                ),
                id_="model-effort",
                name="effort",
                required=True,
            ),
            class_="field grow",
        ),
        button("Set", type_="submit", class_="btn", aria_label="Set how much it thinks"),
        class_="row row-end",
        **command(session, SetModel(effort=Effort.MAX), on="submit", fills="effort"),
    )


def _use(talk: Talk) -> Html | None:
    if talk.window <= 0:
        return None
    used = min(talk.used, talk.window)
    attributes: dict[str, Attribute | Expression] = {
        "min": 0,
        "max": talk.window,
        "value": used,
        "high": talk.window * 4 // 5,
        "aria-hidden": "true",  # the words beside it say the same
        "class": "head-meter",
    }
    percent = f"{100 * talk.used / talk.window:.0f} %" if talk.used else ""
    return span(
        element("meter", (), attributes),
        span(percent, class_="muted head-percent"),
        class_="head-use row",
    )


def _used(talk: Talk) -> str:
    if talk.window <= 0:
        return ""
    if not talk.used:
        return f"Context: {_tokens(talk.window)} tokens fit"
    percent = 100 * talk.used / talk.window
    of = f"{_tokens(talk.used)} of {_tokens(talk.window)}"
    return f"Context: {of} tokens used ({percent:.0f} %)"


def _tokens(count: int) -> str:
    if count < 1000:
        return str(count)
    if count < 1_000_000:
        return f"{count / 1000:.0f}k" if count >= 10_000 else f"{count / 1000:.1f}k"
    return f"{count / 1_000_000:.1f}M"
