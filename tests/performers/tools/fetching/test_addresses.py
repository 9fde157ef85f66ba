"""A URL means one machine, however it is written, and nobody is fooled about which."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.fetching.addresses import (
    LONGEST,
    NotAnAddress,
    address_of,
    is_public,
)


@pytest.mark.parametrize(
    ("url", "target", "whole"),
    [
        ("https://Example.ORG", "example.org", "https://example.org/"),
        (
            "HTTP://example.org:80/a b".replace(" ", "%20"),
            "example.org",
            "http://example.org/a%20b",
        ),
        ("http://example.org:443/", "example.org:443", "http://example.org:443/"),
        ("https://example.org:443/", "example.org", "https://example.org/"),
        ("https://example.org:8443/x#part", "example.org:8443", "https://example.org:8443/x"),
        ("https://example.org./", "example.org", "https://example.org/"),
        ("https://example.org?q=a&b=ü", "example.org", "https://example.org/?q=a&b=%C3%BC"),
        (
            "https://bücher.example/ü",
            "xn--bcher-kva.example",
            "https://xn--bcher-kva.example/%C3%BC",
        ),
        ("https://\uff11\uff12\uff17.0.0.1/", "127.0.0.1", "https://127.0.0.1/"),
        ("http://8.8.8.8:8080/", "8.8.8.8:8080", "http://8.8.8.8:8080/"),
        ("http://[2606:4700:0::1111]/", "[2606:4700::1111]", "http://[2606:4700::1111]/"),
        ("http://[::1]:99/", "[::1]:99", "http://[::1]:99/"),
    ],
)
def test_an_address_is_shown_as_what_it_is(url: str, target: str, whole: str) -> None:
    address = address_of(url)
    assert address.target == target
    assert address.url == whole
    assert address_of(whole) == address


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "localhost",
        "LOCALHOST.",
        "app.localhost",
        "0.0.0.0",  # noqa: S104 - to be refused, not bound
        "0",
        "[::]",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0xa9fea9fe",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "240.0.0.1",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
    ],
)
def test_a_machine_that_is_not_public_is_known_however_it_is_written(host: str) -> None:
    assert address_of(f"http://{host}/").is_private


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "134744072", "[2606:4700::1111]", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]"]
)
def test_a_public_machine_is_public(host: str) -> None:
    address = address_of(f"http://{host}/")
    assert address.machines
    assert not address.is_private


def test_a_name_says_nothing_of_its_machine() -> None:
    for name in (
        "example.org",
        "localhost.example.org",
        "notlocalhost",
        "printer",
        "127.0.0.1.nip.io",
    ):
        address = address_of(f"https://{name}/")
        assert address.machines == ()
        assert not address.is_private


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.org/", "must begin with https:// or http://"),
        ("file:///etc/passwd", "must begin with"),
        ("javascript:alert(1)", "must begin with"),
        ("example.org", "must begin with"),
        ("//example.org/", "must begin with"),
        ("https://", "no host"),
        ("https:///path", "no host"),
        ("https://example.org:0/", "no port"),
        ("https://example.org:99999/", "cannot be read"),
        ("https://example.org:x/", "cannot be read"),
        ("https://user@example.org/", "name or password"),
        ("https://user:secret@example.org/", "name or password"),
        ("https://example.org\\@evil.org/", "backslashes"),
        ("https://example.org/a b", "spaces"),
        ("https://example.org/\r\nX-Header: 1", "control characters"),
        ("https://exam\tple.org/", "control characters"),
        ("https://%31%32%37.0.0.1/", "is no name of a host"),
        ("https://exa$mple.org/", "is no name of a host"),
        ("https://-x.org/", "is no name of a host"),
        ("https://a..b/", "is no name of a host"),
        (f"https://{'a' * 300}.org/", "is no name of a host"),
        ("https://256.1.1.1/", "no address of a machine"),
        ("https://1.2.3.4.5/", "no address of a machine"),
        ("https://08.0.0.1/", "no address of a machine"),
        ("https://[::1%25eth0]/", "network of this machine|no address"),
        ("https://[::1/", "cannot be read"),
        ("https://[v1.x]/", "no address of a machine|cannot be read"),
        (f"https://example.org/{'a' * LONGEST}", "at most 8000"),
    ],
)
def test_what_is_no_address_is_told_in_a_sentence(url: str, why: str) -> None:
    with pytest.raises(NotAnAddress, match=why) as caught:
        address_of(url)
    assert str(caught.value).endswith(".")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("link", "whole"),
    [
        ("/other", "https://example.org:81/other"),
        ("page?x=1", "https://example.org:81/a/page?x=1"),
        ("//other.org/x", "https://other.org/x"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("?only", "https://example.org:81/a/b?only"),
    ],
)
def test_a_link_is_seen_from_the_page_it_is_on(link: str, whole: str) -> None:
    assert address_of(link, address_of("https://example.org:81/a/b")).url == whole


@given(st.text(max_size=60) | st.text("htps:/[]@.0x:%f?#1a", max_size=40).map("http://".__add__))
def test_any_text_is_an_address_or_told_to_be_none(url: str) -> None:
    try:
        address = address_of(url)
    except NotAnAddress:
        return
    assert address_of(address.url) == address
    assert address.path.isascii()


@given(st.ip_addresses(v=4))
def test_a_number_inside_of_another_is_as_public_as_it_is_itself(machine: object) -> None:
    inside = ip_address(f"::ffff:{machine}")
    assert is_public(inside) == is_public(ip_address(str(machine)))
