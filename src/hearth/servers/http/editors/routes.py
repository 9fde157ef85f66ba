"""What editors expect, over HTTP."""

from starlette.routing import Route

from hearth.servers.http.agents.waiting import Waiting
from hearth.servers.http.around import Around
from hearth.servers.http.editors.asking import Asking
from hearth.servers.http.editors.choosing import Choosing, Clients
from hearth.servers.http.editors.watching import Watching
from hearth.servers.http.streams.channels import Channels


def routes(around: Around, channels: Channels, waiting: Waiting) -> list[Route]:
    """What answers the routes of `OPERATIONS`."""
    clients = Clients()
    choosing = Choosing(around.hearth, clients)
    asking = Asking(around.hearth, choosing, clients)
    watching = Watching(channels, around.attendance, choosing, clients, waiting)
    return [
        Route("/exec", asking.run, methods=["POST"]),
        Route("/cancel", asking.cancel, methods=["POST"]),
        Route("/reset", asking.reset, methods=["POST"]),
        Route("/hard-reset", asking.hard_reset, methods=["POST"]),
        Route("/diagnostics", asking.check, methods=["POST"]),
        Route("/completions", asking.complete, methods=["POST"]),
        Route("/eval", watching.evaluation),
        Route("/status", watching.status),
        Route("/diagnostics", watching.diagnostics),
        Route("/completions", watching.completions),
    ]
