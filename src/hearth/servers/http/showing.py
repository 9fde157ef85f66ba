"""The door's own page: everything there is to try, and the description that it reads."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.servers.http.answers import Trouble
from hearth.servers.http.asked import Declined
from hearth.servers.http.openapi import document
from hearth.servers.http.routing import Endpoint, Key

KINDS: Final[Mapping[str, str]] = {
    "style.css": "text/css; charset=utf-8",
    "docs.js": "text/javascript; charset=utf-8",
}
"""The files that pages may ask for, and nothing else."""

SEALED: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
"""Only our own files run, nothing is ever made HTML of, and no other page sees into ours."""


class Showing:
    """Pages."""

    def __init__(self) -> None:
        folder = files("hearth.servers.http") / "pages"
        self._files = {name: (folder / name).read_bytes() for name in ("docs.html", *KINDS)}

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/"): self.home,
            ("GET", "/docs"): self.docs,
            ("GET", "/pages/{file}"): self.file,
            ("GET", "/openapi.json"): self.openapi,
        }

    async def home(self, _: Request) -> Response:
        """The dashboard is where people begin."""
        return Response(status_code=303, headers={"Location": "/dashboard"})

    async def docs(self, _: Request) -> Response:
        """Everything there is, to try it."""
        return Response(self._files["docs.html"], 200, SEALED, media_type="text/html")

    async def file(self, request: Request) -> Response:
        """What the pages are made of."""
        name = request.path_params["file"]
        if name not in KINDS:
            raise Declined(Trouble(404, "not_found", "the pages have no such file"))
        return Response(self._files[name], 200, SEALED, media_type=KINDS[name])

    async def openapi(self, _: Request) -> Response:
        """The description."""
        return Response(document(), 200, media_type="application/json")
