"""Whether a request was meant for us."""

import pytest

from hearth.servers.http.addressed import hosts, misdirected

TCP = hosts("tcp", 37749)
UNIX = hosts("unix", None)


@pytest.mark.parametrize("host", ["127.0.0.1:37749", "localhost:37749", "[::1]:37749"])
def test_we_are_called_by_the_names_of_loopback_with_our_port(host: str) -> None:
    assert misdirected(host, None, None, TCP) is None
    assert misdirected(host.upper(), f"http://{host}", "same-origin", TCP) is None
    assert misdirected(host, None, "none", TCP) is None


@pytest.mark.parametrize("host", ["hearth", "localhost", "Hearth"])
def test_on_a_socket_we_have_a_name_without_a_port(host: str) -> None:
    assert misdirected(host, None, None, UNIX) is None
    assert misdirected("127.0.0.1:37749", None, None, UNIX) is not None


@pytest.mark.parametrize(
    "host", [None, "", "evil.example", "127.0.0.1", "127.0.0.1:1", "127.1:37749", "[::]:37749"]
)
def test_whoever_means_another_host_is_told_which_one_we_are(host: str | None) -> None:
    trouble = misdirected(host, None, None, TCP)
    assert trouble is not None
    assert (trouble.status, trouble.code) == (403, "bad_host")
    assert "127.0.0.1:37749" in trouble.hint


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://",
        "http://evil.example",
        "https://127.0.0.1:37749",
        "http://127.0.0.1:3000",
        "http://127.0.0.1:37749.evil.example",
        "http://127.0.0.1:37749/",
        "127.0.0.1:37749",
    ],
)
def test_pages_of_others_are_refused(origin: str) -> None:
    trouble = misdirected("127.0.0.1:37749", origin, None, TCP)
    assert trouble is not None
    assert (trouble.status, trouble.code) == (403, "bad_origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site"])
def test_what_a_browser_says_of_another_page_counts(site: str) -> None:
    trouble = misdirected("127.0.0.1:37749", "http://127.0.0.1:37749", site, TCP)
    assert trouble is not None
    assert trouble.code == "bad_origin"


def test_a_long_name_is_not_repeated_in_full() -> None:
    trouble = misdirected("x" * 10_000, None, None, TCP)
    assert trouble is not None
    assert len(trouble.message) < 300
