"""Gets one page from one machine: the one that was looked at, and no other.

The name is looked up once. The connection goes to what was found and checked; only the name that is
asked for, and whose certificate is wanted, is that of the URL. So nobody can answer twice.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, TypeAlias

from hearth.performers.tools.fetching.addresses import Address, Machine, is_public
from hearth.performers.tools.fetching.unpacking import ENCODINGS, CannotUnpack, Unpacking

if TYPE_CHECKING:
    import ssl

    import httpx2

Lookup: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The machines of a name. OSError if there are none."""

LARGEST: Final = 5 * 1024 * 1024
"""Bytes of a page, as they come and as they are unpacked; what is beyond is cut off."""
CONNECTING: Final = 6.0
MOST_MACHINES: Final = 3
"""So many of a name are tried, one after the other."""
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = {
    "user-agent": "hearth",
    "accept": "text/html, text/plain, application/json, */*;q=0.5",
    "accept-encoding": ENCODINGS,
    "connection": "close",
}


class NotFetched(Exception):
    """There is no page; the text says why, as a sentence."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a machine answered."""

    address: Address
    status: int
    media_type: str = ""
    """In lower case, without its parameters; "" if none was said."""
    charset: str = ""
    content: bytes = b""
    is_cut: bool = False
    leads_to: str = ""
    """Where it is instead, if it says so."""


async def looked_up(host: str, port: int) -> Sequence[str]:
    """The machines of a name, as this machine knows them. OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(where[0]) for *_, where in found]


class Getting:
    """Gets pages. One connection each; nothing of one is remembered for the next."""

    def __init__(self, lookup: Lookup = looked_up, trusted: "ssl.SSLContext | None" = None) -> None:
        """`trusted` are the certificates that count, if not those that the machine trusts."""
        self._lookup = lookup
        self._trusted = trusted
        self._preparing = asyncio.Lock()

    async def get(self, address: Address) -> Page:
        """The page, or where it leads to, which is not followed. NotFetched."""
        machines = address.machines or await self._checked(address)
        trusted = await self._prepare()
        import httpx2  # noqa: PLC0415 - prepared by now, and slow to import for who fetches nothing

        refused: Exception | None = None
        for machine in machines[:MOST_MACHINES]:
            try:
                return await _got(address, machine, trusted)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                refused = refused or error
            except CannotUnpack as error:
                raise NotFetched(f"{address.target} sent what cannot be read: {error}.") from None
            except httpx2.TimeoutException:
                raise NotFetched(f"{address.target} said nothing for too long.") from None
            except httpx2.HTTPError as error:
                raise NotFetched(
                    f"{address.target} did not answer as a server does: {_words(error)}."
                ) from None
        raise NotFetched(f"{address.target} cannot be reached: {_words(refused)}.")

    async def _checked(self, address: Address) -> tuple[Machine, ...]:
        """The machines of a name, if anybody may reach all of them."""
        try:
            found = await self._lookup(address.host, address.port)
            machines = tuple(dict.fromkeys(ip_address(one.partition("%")[0]) for one in found))
        except (OSError, ValueError, UnicodeError) as error:
            raise NotFetched(f"{address.host} is not known: {_words(error)}.") from None
        if not machines:
            raise NotFetched(f"{address.host} is not known.")
        for machine in machines:
            if not is_public(machine):
                raise NotFetched(
                    f"{address.host} is {machine}, which is no public machine: it is not fetched "
                    "by that name. If it is meant, use the number itself, which a person is asked "
                    "about."
                )
        return machines

    async def _prepare(self) -> "ssl.SSLContext":
        async with self._preparing:
            if self._trusted is None:
                # Reading certificates takes long enough to keep everybody else waiting.
                self._trusted = await asyncio.to_thread(_prepared)
            return self._trusted


def _prepared() -> "ssl.SSLContext":
    import httpx2  # noqa: PLC0415 - slow, where nobody may ever fetch anything

    # It tells every address at the level of information; what agents fetch is in the log.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    with suppress(ImportError):  # wherever it is: the client would import it in the event loop
        import_module("anyio._backends._asyncio")
    return httpx2.create_ssl_context()


async def _got(address: Address, machine: Machine, trusted: "ssl.SSLContext") -> Page:
    import httpx2  # noqa: PLC0415 - there by now

    where = f"[{machine}]" if machine.version == 6 else str(machine)
    timeout = httpx2.Timeout(20.0, connect=CONNECTING)
    request = httpx2.Request(
        "GET",
        f"{address.scheme}://{where}:{address.port}/",
        headers={"host": address.target, **_HEADERS},
        extensions={
            "timeout": timeout.as_dict(),
            "sni_hostname": address.host,
            "target": address.path.encode(),
        },
    )
    # Of a proxy nobody would know which machine it connects to, so none of the environment counts.
    async with httpx2.AsyncClient(verify=trusted, trust_env=False, http2=False) as client:
        response = await client.send(request, stream=True, auth=None, follow_redirects=False)
        try:
            return await _page(address, response)
        finally:
            await response.aclose()


async def _page(address: Address, response: "httpx2.Response") -> Page:
    status, headers = response.status_code, response.headers
    leads_to = headers.get("location", "") if status in _REDIRECTS else ""
    media_type, charset = _type(headers)
    if leads_to:
        return Page(address, status, leads_to=leads_to)
    unpacking = Unpacking(headers.get("content-encoding", ""), LARGEST)
    arrived = 0
    async for piece in response.aiter_raw():
        arrived += len(piece)
        unpacking.take(piece)
        if unpacking.is_full or arrived > LARGEST:
            break
    is_whole = unpacking.is_whole and arrived <= LARGEST
    return Page(
        address,
        status,
        media_type,
        charset,
        bytes(unpacking.content),
        is_cut=not is_whole,
    )


def _type(headers: Mapping[str, str]) -> tuple[str, str]:
    kind, *parameters = headers.get("content-type", "").lower().split(";")
    named = dict(one.partition("=")[::2] for one in parameters)
    charset = next((value for name, value in named.items() if name.strip() == "charset"), "")
    return kind.strip()[:100], charset.strip(" \"'")[:40]


def _words(error: Exception | None) -> str:
    return (str(error) or type(error).__name__).rstrip(".")[:300]
