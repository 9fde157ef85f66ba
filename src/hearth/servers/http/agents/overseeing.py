"""What agents may do, asked and taken back; and how servers are."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from hearth.servers.http.agents.oversight import Oversight, ToExplain
from hearth.servers.http.answers import Trouble, answer
from hearth.servers.http.asked import Declined, body_of, directory_of, person_of
from hearth.servers.http.routing import Endpoint, Key


class Overseeing:
    """The routes about what is in no log."""

    def __init__(self, oversight: Oversight) -> None:
        self._oversight = oversight

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/grants"): self.grants,
            ("DELETE", "/grants/{grant}"): self.revoke,
            ("POST", "/permissions/explain"): self.explain,
            ("GET", "/language-servers"): self.servers,
            ("GET", "/language-servers/diagnostics"): self.found,
            ("GET", "/mcp-servers"): self.mcp_servers,
        }

    async def grants(self, _: Request) -> Response:
        """What was allowed for always."""
        return answer(await self._oversight.grants())

    async def revoke(self, request: Request) -> Response:
        """Take a grant back."""
        by = person_of(request)
        grant = request.path_params["grant"]
        try:
            is_revoked = await self._oversight.revoke(grant, by)
        except OSError as error:
            what = f"it could not be taken back: {error.strerror or 'the file cannot be written'}"
            hint = "mend grants.json in hearth's home, and try again"
            raise Declined(Trouble(503, "store_unavailable", what, hint)) from error
        if not is_revoked:
            what = f"there is no grant {grant[:64]!r}"
            raise Declined(Trouble(404, "unknown_grant", what, "GET /grants lists them"))
        return Response(status_code=204)

    async def explain(self, request: Request) -> Response:
        """What would be said to a command. Nothing is run."""
        return answer(await self._oversight.explain(await body_of(request, ToExplain)))

    async def servers(self, _: Request) -> Response:
        """The language servers that were needed."""
        return answer(self._oversight.servers())

    async def found(self, request: Request) -> Response:
        """What they found in the project of a directory."""
        return answer(await self._oversight.found(directory_of(request)))

    async def mcp_servers(self, request: Request) -> Response:
        """The MCP servers of others in a directory."""
        return answer(await self._oversight.mcp_servers(directory_of(request)))
