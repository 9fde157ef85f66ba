"""The document around everything that is drawn: the fixed ids that patches are for."""

from collections.abc import Iterable

from hearth.servers.dashboard.actions import local, post
from hearth.servers.dashboard.assets import Assets
from hearth.servers.dashboard.composing.dialogs import dialogs
from hearth.servers.dashboard.html import (
    Html,
    a,
    aside,
    button,
    div,
    h2,
    header,
    joined,
    main,
    nav,
    span,
    text,
)
from hearth.servers.dashboard.panels.panel import Looking, Panel


def document(assets: Assets, title: str, theme: str, inside: Html, **body: str) -> Html:
    """A whole page. `body`: what its scripts must know, as `data-` attributes of the body."""
    shade = f' data-theme="{text(theme)}"' if theme in {"light", "dark"} else ""
    about = "".join(
        f' data-{name.replace("_", "-")}="{text(value)}"' for name, value in body.items()
    )
    app, datastar = assets.app, assets.datastar
    icon = assets.icons["icon-idle.svg"].path
    return Html(
        f'<!doctype html><html lang="en"{shade}><head><meta charset="utf-8">'
        f"<title>{text(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" id="icon" href="{icon}">'
        f'<link rel="stylesheet" href="{assets.style.path}">'
        f'<script src="{app.path}" integrity="{app.integrity}" defer></script>'
        f'<script type="module" src="{datastar.path}" integrity="{datastar.integrity}"></script>'
        f'</head><body data-build="{assets.build}" data-line="{assets.line.path}"'
        f' data-line-hash="{assets.line.integrity}"{about}>'
        f"{inside}</body></html>"
    )


def session_page(  # noqa: PLR0913 - each is a part of the page, by keyword
    *,
    sidebar: Html,
    head: Html,
    timeline: Html,
    queue: Html,
    composer: Html,
    panel: Html,
    state: Html,
) -> Html:
    """The page of one session."""
    return _around(
        sidebar,
        main(
            head,
            div(timeline, id_="scroll", tabindex=0, aria_label="Timeline"),
            button(
                span("↓", aria_hidden="true"),
                span("Latest", id_="latest-words"),
                id_="latest",
                class_="btn latest",
                type_="button",
                hidden=True,
                **local("latest"),
            ),
            queue,
            composer,
            id_="main",
        ),
        panel,
        state,
    )


def home_page(sidebar: Html, home: Html, panel: Html, state: Html) -> Html:
    """The page of all sessions."""
    return _around(sidebar, main(div(home, id_="scroll", tabindex=0), id_="main"), panel, state)


def _around(sidebar: Html, middle: Html, panel: Html, state: Html) -> Html:
    return joined(
        a("To the timeline", href="#scroll", class_="skip"),
        div(id_="banner", role="alert", class_="conn-banner", hidden=True, data_ignore_morph=True),
        div(sidebar, middle, panel, id_="app"),
        state,
        div(id_="toasts", aria_live="polite", data_ignore_morph=True),
        div(id_="go", hidden=True),
        dialogs(),
    )


async def panel_aside(panels: Iterable[Panel], panel: Panel | None, looking: Looking) -> Html:
    """`aside#panel`: the panel that is open, and the names of the others.

    On the page of all sessions one that is about a session stays closed.
    """
    if panel is not None and panel.needs_session and looking.session is None:
        panel = None
    is_shown = panel is not None
    tabs = [
        button(
            one.title,
            type_="button",
            role="tab",
            id_=f"tab-{one.name}",
            class_="btn btn-quiet btn-small",
            aria_selected="true" if one is panel else "false",
            aria_controls="panel-in",
            **post("/dashboard/panel", panel=one.name),
        )
        for one in panels
        if looking.session is not None or not one.needs_session
    ]
    if panel is None:
        content = Html("")
    else:
        content = await panel.show(looking)
    return aside(
        header(
            nav(tabs, role="tablist", class_="panel-tabs", aria_label="Panels"),
            button(
                "\N{MULTIPLICATION SIGN}",
                type_="button",
                class_="btn btn-quiet btn-small",
                aria_label="Close the panel",
                **post("/dashboard/panel", panel=""),
            )
            if is_shown
            else None,
            class_="panel-head row",
        ),
        div(
            h2(panel.title, class_="sr") if panel is not None else None,
            content,
            id_="panel-in",
            role="tabpanel" if is_shown else None,
            aria_labelledby=f"tab-{panel.name}" if panel is not None else None,
            tabindex=0 if is_shown else None,
        ),
        id_="panel",
        aria_label="Panel",
        data_panel=panel.name if panel is not None else "",
    )
