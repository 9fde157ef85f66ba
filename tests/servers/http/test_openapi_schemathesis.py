"""Whatever the description of the door allows, and much that it does not, over a real socket.

With a token nothing is answered by a defect, and everything as it is described; without one
nothing is answered but no, and nothing happens.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import pytest
import requests
import schemathesis
import uvloop
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import booleans
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks
from tests.servers.http.serving import PATIENCE, Served, served

from hearth.servers.http.openapi import described
from hearth.servers.http.routes import Operation
from hearth.servers.http.table import TABLE

EXAMPLES: Final = 25
HEARD: Final = (
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
)


class Running:
    """A door in a thread of its own, for clients that wait for their answers."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: uvloop.run(self._serve()), daemon=True)
        self.daemon: Served | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._end is not None
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    @property
    def served(self) -> Served:
        assert self.daemon is not None
        return self.daemon

    def events(self) -> int:
        assert self._loop is not None
        counting = asyncio.run_coroutine_threadsafe(self.served.events(), self._loop)
        return counting.result(PATIENCE)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with served(self._home) as daemon:
            await daemon.begin()
            daemon.door.guard._check_rate = lambda *_: None  # type: ignore[method-assign] # not how often
            self.daemon = daemon
            self._ready.set()
            await self._end.wait()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with pytest.MonkeyPatch.context() as patched:
        # A cell that nobody ends would be waited for.
        patched.setattr("hearth.servers.http.asked.LONGEST_WAIT", 0.2)
        patched.setattr("hearth.servers.http.creating.USUAL_WAIT", 0.2)
        patched.setattr("hearth.servers.http.agents.rewinding.USUAL_WAIT", 0.2)
        with Running(tmp_path_factory.mktemp("home")) as one:
            yield one


SCHEMA: Final = schemathesis.openapi.from_dict(described(TABLE))


def call(case: Case[Any], running: Running, headers: dict[str, str], *, streams: bool) -> Any:
    """The answer; of a stream its head alone."""
    address = running.served.address
    case.headers.pop("Authorization", None)
    case.cookies.clear()
    if not streams:
        return case.call(base_url=address, headers=headers, timeout=PATIENCE)
    asked = case.as_transport_kwargs(base_url=address, headers=headers)
    with requests.request(**asked, stream=True, timeout=PATIENCE) as answer:
        if answer.status_code != 200:
            assert answer.content  # it is read, and kept, by being looked at
        return answer


def keys() -> list[Any]:
    return [pytest.param(one, id=f"{one.method} {one.path}") for one in TABLE]


@pytest.mark.parametrize("operation", keys())
def test_with_a_token_nothing_is_a_defect(operation: Operation, running: Running) -> None:
    found = SCHEMA[operation.path][operation.method]
    for mode in GenerationMode:
        with suppress(schemathesis.errors.InvalidSchema):

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=found.as_strategy(generation_mode=mode), live=booleans())
            def try_it(case: Case[Any], live: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
                if live and "id" in case.path_parameters:
                    case.path_parameters["id"] = "session-aaaaaa"
                answer = call(case, running, running.served.bearer(), streams=operation.streams)
                assert answer.status_code < 500, answer.text
                if not operation.streams:
                    case.validate_response(answer, checks=list(HEARD))

            try_it()


@pytest.mark.parametrize("operation", keys())
def test_without_a_token_nothing_happens(operation: Operation, running: Running) -> None:
    found = SCHEMA[operation.path][operation.method]
    before = running.events()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=found.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def try_it(case: Case[Any]) -> None:
        answer = call(case, running, {}, streams=operation.streams)
        assert answer.status_code == 401
        if operation.method != "HEAD":
            assert answer.json()["error"]["code"] in {"no_token", "bad_code"}

    try_it()
    assert running.events() == before
