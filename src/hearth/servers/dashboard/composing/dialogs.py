"""The dialogs that every page has, empty: what stands in them comes when they are opened."""

from hearth.servers.dashboard.actions import local
from hearth.servers.dashboard.html import (
    Html,
    button,
    dialog,
    div,
    form,
    h2,
    input_,
    joined,
    label,
    p,
)


def dialogs() -> Html:
    """`dialog#palette`, `#keys`, `#ask` and `#dialog`. The scripts fill and open them."""
    return joined(_palette(), _keys(), _ask(), _any())


def _palette() -> Html:
    return dialog(
        label("Find an action, a session or a panel", for_="palette-text", class_="sr"),
        input_(
            id_="palette-text",
            type_="text",
            class_="palette-text",
            placeholder="Do, or go to …",
            role="combobox",
            aria_autocomplete="list",
            aria_controls="palette-list",
            aria_expanded="true",
            autocomplete="off",
            spellcheck="false",
            maxlength=200,
        ),
        div(id_="palette-list", class_="palette-list", role="listbox", aria_label="Found"),
        p("Nothing is called so.", id_="palette-none", class_="muted palette-none", hidden=True),
        id_="palette",
        class_="palette",
        aria_label="Palette",
        data_ignore_morph=True,
    )


def _keys() -> Html:
    return dialog(
        _head("keys", "Keys"),
        div(id_="keys-in", class_="keys-in"),
        id_="keys",
        aria_labelledby="keys-title",
        data_ignore_morph=True,
    )


def _ask() -> Html:
    return dialog(
        form(
            h2("Are you sure?", id_="ask-title"),
            p(id_="ask-words", class_="ask-words"),
            div(
                button("No", value="no", class_="btn", formmethod="dialog"),
                button("Yes", value="yes", class_="btn btn-primary", formmethod="dialog"),
                class_="dialog-foot",
            ),
            method="dialog",
        ),
        id_="ask",
        role="alertdialog",
        aria_labelledby="ask-title",
        aria_describedby="ask-words",
        data_ignore_morph=True,
    )


def _any() -> Html:
    return dialog(
        _close("dialog"),
        div(id_="dialog-in"),
        id_="dialog",
        class_="dialog",
        aria_label="Details",
    )


def _head(dialog_id: str, title: str) -> Html:
    return div(h2(title, id_=f"{dialog_id}-title"), _close(dialog_id), class_="dialog-head")


def _close(dialog_id: str) -> Html:
    return button(
        "✕",
        type_="button",
        class_="btn btn-quiet dialog-close",
        aria_label="Close",
        **local("close", of=dialog_id),
    )
