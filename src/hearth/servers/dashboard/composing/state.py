"""What the icon and the title of a page are to say of its session."""

from typing import Final

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.servers.dashboard.composing.standings import Kind, short, standings
from hearth.servers.dashboard.html import Html, div

ICONS: Final[dict[Kind, str]] = {
    "needs": "needs",
    "bad": "bad",
    "running": "running",
    "ready": "idle",
    "off": "idle",
}
"""The pictures `icon-….svg`, by what is going on."""


def state(status: Status, talk: Talk, needs: int) -> Html:
    """`div#state`, which nobody sees. `needs`: how much waits for a person, in all sessions."""
    now = standings(status, talk)[0]
    counted = f"({needs}) " if needs else ""
    name = short(status.name, 60) or status.session
    return div(
        id_="state",
        hidden=True,
        data_state=ICONS["needs" if needs else now.kind],
        data_needs=needs,
        data_title=f"{counted}{name}: {short(now.said, 60)} · hearth",
    )
