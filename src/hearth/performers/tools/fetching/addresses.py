"""Addresses of pages: what a URL means, and which machines are nobody's business.

A machine can be written in many ways (`2130706433`, `0x7f.1` and `[::ffff:127.0.0.1]` are all this
one): here each becomes what it is before anybody judges it.
"""

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, TypeAlias
from urllib.parse import quote, urljoin, urlsplit

Machine: TypeAlias = IPv4Address | IPv6Address

LONGEST: Final = 8_000
PORTS: Final = {"http": 80, "https": 443}
LOCALHOST: Final = "localhost"

_UNFIT: Final = re.compile("[\x00-\x20\x7f-\xa0\\\\\u2028\u2029]")
_NAME: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_][a-z0-9_-]*)*")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_IN_PATH: Final = "/%:@!$&'()*+,;=~-._"
_HERE: Final = (IPv4Address("127.0.0.1"), IPv6Address("::1"))
# What the standard library, depending on its version, takes for public.
_CLOSED: Final = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("168.63.129.16/32"),  # where a cloud keeps what its machines are told
    IPv6Network("fec0::/10"),
)
_CARRIES_IPV4: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))


class NotAnAddress(ValueError):
    """Nothing can be fetched from there; the text says why, as a sentence."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a page is."""

    scheme: str
    host: str
    """In lower case and ASCII: a name, or a number in its usual form, without brackets."""
    port: int
    path: str
    """With the query, as it is sent."""
    machines: tuple[Machine, ...] = ()
    """Which they are, if the address says so itself; a name must be looked up."""

    @property
    def target(self) -> str:
        """What is allowed: the host, with the port unless it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.target}{self.path}"

    @property
    def is_private(self) -> bool:
        """Whether the address itself says that it is not public."""
        return not all(map(is_public, self.machines))


def address_of(url: str, base: Address | None = None) -> Address:
    """What a URL means; one that says not everything is seen from `base`. NotAnAddress."""
    if len(url) > LONGEST:
        raise NotAnAddress(f"The URL has {len(url)} characters; at most {LONGEST} are taken.")
    if _UNFIT.search(url):
        raise NotAnAddress("The URL has spaces, control characters or backslashes in it.")
    try:
        parts = urlsplit(urljoin(base.url, url) if base is not None else url)
        name, port = parts.hostname, parts.port
    except ValueError as error:
        raise NotAnAddress(f"The URL cannot be read: {error}.") from None
    if parts.scheme not in PORTS:
        raise NotAnAddress("The URL must begin with https:// or http://.")
    if "@" in parts.netloc:
        raise NotAnAddress("The URL has a name or password before the host, which is not sent.")
    if not name or port == 0:
        raise NotAnAddress("The URL has no host, or no port, that one could connect to.")
    host, machines = _host(name, is_number="[" in parts.netloc)
    path = quote(parts.path, safe=_IN_PATH) or "/"
    if parts.query:
        path += f"?{quote(parts.query, safe=f'{_IN_PATH}?')}"
    return Address(parts.scheme, host, port or PORTS[parts.scheme], path, machines)


def is_public(machine: Machine) -> bool:
    """Whether anybody may reach it: no machine of a house, of a cloud's inside, or this one."""
    return all(
        one.is_global
        and not one.is_multicast
        and not one.is_reserved
        and not any(one in closed for closed in _CLOSED if closed.version == one.version)
        for one in _meant(machine)
    )


def _meant(machine: Machine) -> Iterator[Machine]:
    """The machine, or those that an address of the new kind stands for or leads to."""
    if isinstance(machine, IPv4Address):
        yield machine
        return
    if machine.ipv4_mapped is not None:
        yield machine.ipv4_mapped
        return
    for carrier in _CARRIES_IPV4:
        if machine in carrier:
            yield IPv4Address(machine.packed[-4:])
            return
    yield machine
    if machine.sixtofour is not None:
        yield machine.sixtofour
    if machine.teredo is not None:
        yield from machine.teredo


def _host(name: str, *, is_number: bool) -> tuple[str, tuple[Machine, ...]]:
    """The host as it is called, and its machines, if it says which; a number was in brackets."""
    if is_number:
        try:
            machine = IPv6Address(name)
        except ValueError:
            raise NotAnAddress(f"{name[:100]} is no address of a machine.") from None
        if machine.scope_id is not None:
            raise NotAnAddress("The URL names a network of this machine, which is not taken.")
        return str(machine), (machine,)
    host = _in_ascii(name).removesuffix(".")
    if not _NAME.fullmatch(host):
        raise NotAnAddress(f"{name[:100]} is no name of a host.")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            found = IPv4Address(socket.inet_aton(host))
        except OSError:
            raise NotAnAddress(f"{name[:100]} is no address of a machine.") from None
        return str(found), (found,)
    is_here = host == LOCALHOST or host.endswith(f".{LOCALHOST}")
    return host, _HERE if is_here else ()


def _in_ascii(name: str) -> str:
    if name.isascii():
        return name.lower()
    try:
        # Longer ones are no names, and take this long to find out.
        return name[:254].encode("idna").decode().lower()
    except UnicodeError:
        raise NotAnAddress(f"{name[:100]} is no name of a host.") from None
