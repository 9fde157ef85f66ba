"""Answers of the sidebar's routes: markup, of which each element takes the place of its like."""

from typing import Final

from starlette.responses import Response

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, div
from hearth.servers.dashboard.sidebar.pieces import place_of

HTML: Final = "text/html"


def markup(*elements: Html) -> Response:
    """Elements for the page."""
    return Response("".join(elements), 200, media_type=HTML)


def go_to(session: SessionId) -> Html:
    """Make the tab go to a session."""
    return div(id_="go", hidden=True, data_to=place_of(session))


def leave(session: SessionId) -> Html:
    """Make the tab go to all sessions, if it is this one that it shows."""
    return div(id_="go", hidden=True, data_left=session)
