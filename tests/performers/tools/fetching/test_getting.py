"""A page is got from the machine that was looked at, within bounds."""

import asyncio
import gzip
import ssl
from collections.abc import Sequence

import pytest
from tests.performers.tools.fetching.serving import CERTIFICATE, LIMIT, moved, said, serving

from hearth.performers.tools.fetching import getting
from hearth.performers.tools.fetching.addresses import address_of
from hearth.performers.tools.fetching.getting import LARGEST, Getting, NotFetched


class Names:
    """Answers what it is told to, and counts."""

    def __init__(self, *machines: str) -> None:
        self.machines = machines
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.machines


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


async def test_a_page_comes_with_its_status_type_and_content() -> None:
    page = said("größe", "Text/Plain; Charset=UTF-8", "404 Not Found")
    async with serving({"/x?y=1": page}) as server:
        found = await Getting().get(address_of(server.url("/x?y=1")))
    assert (found.status, found.media_type, found.charset) == (404, "text/plain", "utf-8")
    assert found.content.decode() == "größe"
    assert not found.is_cut
    assert not found.leads_to


async def test_a_request_says_nothing_but_what_it_wants() -> None:
    async with serving({"/a%20b": said("ok")}) as server:
        await Getting().get(address_of(server.url("/a%20b#part")))
        assert server.heard[0].startswith("GET /a%20b HTTP/1.1\r\n")
        assert server.header("host") == f"127.0.0.1:{server.port}"
        assert server.header("user-agent") == "hearth"
        for secret in ("cookie", "authorization", "referer"):
            assert not server.header(secret)


@pytest.mark.parametrize(
    "machine",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "fe80::1%lo",
    ],
)
async def test_a_name_of_a_machine_that_is_not_public_is_not_fetched(machine: str) -> None:
    names = Names("8.8.8.8", machine)
    with pytest.raises(NotFetched, match="which is no public machine") as caught:
        await Getting(names).get(address_of("http://rebound.example:1/"))
    assert "rebound.example is" in str(caught.value)


async def test_a_name_is_looked_up_once_and_its_machine_is_asked_by_that_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(getting, "is_public", lambda _: True)
    names = Names("127.0.0.1")
    async with serving({"/": said("ok")}) as server:
        address = address_of(f"http://far.example:{server.port}/")
        assert (await Getting(names).get(address)).content == b"ok"
        assert server.header("host") == f"far.example:{server.port}"
    assert names.asked == [("far.example", server.port)]


async def test_if_one_machine_of_a_name_cannot_be_reached_the_next_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(getting, "is_public", lambda _: True)
    async with serving({"/": said("ok")}) as server:
        address = address_of(f"http://far.example:{server.port}/")
        found = await Getting(Names("127.0.0.2", "127.0.0.1")).get(address)
    assert found.content == b"ok"


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving({"/": said("ok")}) as server:
        assert (await Getting().get(address_of(server.url()))).content == b"ok"


async def test_a_certificate_must_be_of_the_name_although_the_number_is_connected_to() -> None:
    async with serving({"/": said("ok")}, secure=True) as server:
        mine = Getting(trusted=trusting())
        found = await mine.get(address_of(f"https://localhost:{server.port}/"))
        assert found.content == b"ok"
        for url, how in (
            (f"https://127.0.0.1:{server.port}/", mine),
            (f"https://localhost:{server.port}/", Getting()),
        ):
            with pytest.raises(NotFetched, match=r"cannot be reached.*(?i:certificate)"):
                await how.get(address_of(url))


async def test_packed_pages_are_unpacked() -> None:
    packed = said(gzip.compress(b"text " * 100), content_encoding="gzip")
    async with serving({"/": packed}) as server:
        assert (await Getting().get(address_of(server.url()))).content == b"text " * 100
        assert server.header("accept-encoding") == "gzip, deflate"


@pytest.mark.parametrize("packing", ["", "gzip"])
async def test_a_page_without_end_is_cut(packing: str) -> None:
    content = bytes(3 * LARGEST)
    body = gzip.compress(content) if packing else content
    async with serving({"/": said(body, content_encoding=packing or "identity")}) as server:
        found = await Getting().get(address_of(server.url()))
    assert found.is_cut
    assert len(found.content) == LARGEST


async def test_a_packed_page_that_ends_too_early_is_cut() -> None:
    packed = gzip.compress(bytes(range(256)) * 100)[:-20]
    async with serving({"/": said(packed, content_encoding="gzip")}) as server:
        assert (await Getting().get(address_of(server.url()))).is_cut


async def test_a_redirect_is_told_and_not_followed() -> None:
    async with serving({"/": moved("/other"), "/other": said("no")}) as server:
        found = await Getting().get(address_of(server.url()))
        assert len(server.heard) == 1
    assert (found.status, found.leads_to, found.content) == (302, "/other", b"")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "did not answer as a server does"),
        (said("x", content_encoding="br"), "sent what cannot be read: it is packed as 'br'"),
        (
            said("plain text", content_encoding="gzip"),
            "sent what cannot be read: it cannot be unpacked",
        ),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", "did not answer as a server does"),
        (b"", "did not answer as a server does"),
    ],
)
async def test_a_server_that_breaks_its_word_is_told_in_a_sentence(answer: bytes, why: str) -> None:
    async with serving({"/": answer}) as server:
        with pytest.raises(NotFetched, match=why) as caught:
            await Getting().get(address_of(server.url()))
    assert str(caught.value).endswith(".")


async def test_who_cannot_be_reached_or_is_not_known_is_told() -> None:
    async with serving() as server:
        address = address_of(server.url())
    async with asyncio.timeout(LIMIT):
        with pytest.raises(NotFetched, match=rf"127\.0\.0\.1:{server.port} cannot be reached: "):
            await Getting().get(address)
        with pytest.raises(NotFetched, match=r"nobody\.example is not known"):
            await Getting(Names()).get(address_of("https://nobody.example/"))

        async def failing(_host: str, _port: int) -> Sequence[str]:
            raise OSError("no such name")

        with pytest.raises(NotFetched, match=r"nobody\.example is not known: no such name"):
            await Getting(failing).get(address_of("https://nobody.example/"))


async def test_names_are_looked_up_as_this_machine_knows_them() -> None:
    async with asyncio.timeout(LIMIT):
        assert "127.0.0.1" in await getting.looked_up("127.0.0.1", 80)
