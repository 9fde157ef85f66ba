"""A page for people is read as text that says the same."""

import time

import pytest

from hearth.performers.tools.fetching.readable import MOST, readable

URL = "https://example.org/docs/page"


def text(page: str) -> str:
    found, is_cut = readable(page, URL)
    assert not is_cut
    return found


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>one\n  two</p><p>three</p>", "one two\n\nthree"),
        ("<h1>A</h1><h3>B <em>c</em></h3>x", "# A\n\n### B c\n\nx"),
        ("<h2><div>A</div></h2>x", "## A\n\nx"),
        ("a<b>b</b> <i>c</i>", "ab c"),
        ("a <b> b </b> c", "a b c"),
        ("one<br>two<br/><br>three", "one\ntwo\nthree"),
        ("<ul><li>a</li><li><p>b</p></li></ul>c", "- a\n- b\n\nc"),
        ("<ol><li>a<ul><li>x</ul><li>b</ol>", "1. a\n  - x\n2. b"),
        ("<li>alone", "- alone"),
        ("<li><li>b", "- \n- b"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("run <code>x  = 1</code> now", "run `x = 1` now"),
        (
            "<pre><code>def f():\n    return 1\n</code></pre>x",
            "```\ndef f():\n    return 1\n```\n\nx",
        ),
        ("<pre>a<br>b</pre>", "```\na\nb\n```"),
        ("<table><tr><th>A<th>B</tr><tr><td>1<td>2</table>", "A | B\n1 | 2"),
        ("<img alt='a cat'><img src=x>", "[image: a cat]"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("a&nbsp;b &copy; 1 &lt; 2", "a b © 1 < 2"),
        ("<script>x</script><style>y</style><noscript>z</noscript>", "z"),
        ("<title> The\n page </title><p>x", "Title: The page\n\nx"),
        ("<title>A</title><svg><title>B</title></svg><title>C</title>x", "Title: A\n\nx"),
        ("<dl><dt>a<dd>b</dl>", "a\nb"),
        ("", ""),
    ],
)
def test_elements_become_what_they_mean(page: str, expected: str) -> None:
    assert text(page).replace(" \n", "\n") == expected.replace(" \n", "\n")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("see <a href='/x'>this</a>.", "see [this](https://example.org/x)."),
        ("<a href=other?a=1&amp;b=2> t </a>", "[t](https://example.org/docs/other?a=1&b=2)"),
        ("<a href=//b.org/>t</a>", "[t](https://b.org/)"),
        ("<a href='mailto:a@b.org'>t</a>", "[t](mailto:a@b.org)"),
        ("<a href='/a b(1)'>t</a>", "[t](https://example.org/a%20b(1%29)"),
        ("<a href='javascript:x'>t</a>", "t"),
        ("<a href='data:text/html,x'>t</a>", "t"),
        ("<a href='#part'>t</a>", "t"),
        ("<a>t</a>", "t"),
        ("<a href='http://[bad'>t</a>", "t"),
        ("a <a href=/x></a>b", "a b"),
        (
            "<a href=/x>one<a href=/y>two",
            "[one](https://example.org/x)[two](https://example.org/y)",
        ),
        ("<a href=/x><img alt=logo></a>", "[[image: logo]](https://example.org/x)"),
    ],
)
def test_links_are_whole_and_only_such_as_can_be_followed(page: str, expected: str) -> None:
    assert text(page) == expected


@pytest.mark.parametrize(
    "bad", ["<b>", "<ul><li>", "<a href=x>y", "<pre>", "<td>x", "<img alt=x>", "<h1>", "<title>x"]
)
def test_a_small_page_becomes_no_endless_text(bad: str) -> None:
    page = bad * (3_000_000 // len(bad))
    before = time.thread_time()
    found, _ = readable(page, URL)
    assert len(found) <= MOST + 1000
    assert time.thread_time() - before < 15, "seconds; it takes about one"


def test_what_is_too_long_is_cut_and_said_to_be() -> None:
    found, is_cut = readable("<p>" + "word " * 300_000, URL)
    assert is_cut
    assert len(found) == MOST
