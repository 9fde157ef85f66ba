"""Which operation a request means, and what answers it."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from hearth.servers.http.routes import Operation

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Key: TypeAlias = tuple[str, str]
"""A method and a path as the table of routes has them."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a request means."""

    operation: Operation
    app: ASGIApp
    params: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WrongMethod:
    """The path is there, the method is not; these are."""

    allowed: str


class Routing:
    """The table of routes with what answers each of them."""

    def __init__(self, operations: Iterable[Operation], apps: Mapping[Key, ASGIApp]) -> None:
        self._plain: dict[str, dict[str, tuple[Operation, ASGIApp]]] = {}
        self._patterns: dict[str, tuple[re.Pattern[str], dict[str, tuple[Operation, ASGIApp]]]] = {}
        self.operations = tuple(operations)
        listed = {(one.method, one.path) for one in self.operations}
        if listed != set(apps):
            odd = sorted(f"{method} {path}" for method, path in listed ^ set(apps))
            raise AssertionError(f"only in the table of routes, or only served: {', '.join(odd)}")
        for one in self.operations:
            self._add(one, apps[one.method, one.path])

    def find(self, method: str, path: str) -> Found | WrongMethod | None:
        """What this request means; None if nothing has this path."""
        methods = self._plain.get(path)
        params: Mapping[str, str] = {}
        if methods is None:
            for pattern, candidates in self._patterns.values():
                if (match := pattern.match(path)) is not None:
                    methods, params = candidates, match.groupdict()
                    break
            else:
                return None
        found = methods.get(method)
        return WrongMethod(", ".join(sorted(methods))) if found is None else Found(*found, params)

    def _add(self, operation: Operation, app: ASGIApp) -> None:
        if "{" in operation.path:
            pattern, _, _ = compile_path(operation.path)
            _, methods = self._patterns.setdefault(operation.path, (pattern, {}))
        else:
            methods = self._plain.setdefault(operation.path, {})
        methods[operation.method] = operation, app
        if operation.method == "GET" and not operation.streams and not operation.open:
            # Elsewhere the mere question would begin a stream, or spend a code.
            methods["HEAD"] = operation, app


def app_of(endpoint: Endpoint) -> ASGIApp:
    """An endpoint as an application."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        response = await endpoint(Request(scope, receive))
        await response(scope, receive, send)

    return app


def apps_of(routes: Iterable[BaseRoute]) -> dict[Key, ASGIApp]:
    """Routes that another part of the door brings, by their keys."""
    return {
        (method, route.path): route.app
        for route in routes
        if isinstance(route, Route)
        for method in (route.methods or ())
        if method != "HEAD"
    }
