"""Whatever stands in any place of any item: nothing of it is markup, and the page holds."""

import re
from typing import Final

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import BUSY, LOOK, everywhere, shown

ATTACKS: Final = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "datastar": '<div data-on-click="alert(1)" data-on:click="x" data-init="alert(1)">x</div>',
    "attributes": '" data-init="alert(1)" onclick="alert(1)" x="',
    "single quotes": "' onmouseover='alert(1)' data-on:click='hearth.act(el, evt)' '",
    "link": "[x](javascript:alert(1)) <javascript:alert(1)> [y](data:text/html,<script>1</script>)",
    "address": "javascript:alert(1)",
    "other link": "[a](vbscript:x) [b](//evil.example/x) [c](/dashboard/fork) [d](file:///etc)",
    "remote": "![x](http://evil.example/x.png) <link rel=prefetch href=//evil.example>",
    "svg": '<svg onload=alert(1)><script>alert(1)</script><image href="http://evil.example"/></svg>',
    "style": "<style>*{background:url(//evil.example)}</style><p style='position:fixed'>x</p>",
    "area": "</textarea><script>alert(1)</script>",
    "closing": "</div></div></article></pre></code></details></section><h1 id=app>x</h1>",
    "ids": '<div id="composer">x</div> <a id=i-x1-m0 href="#banner" name=app>y</a>',
    "frame": "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x></object>",
    "form": '<form action="http://evil.example"><input name=text><button formaction=x>',
    "comment": "<!-- --!> <![CDATA[ ]]> <?php ?> <!doctype html>",
    "entities": "&lt;script&gt; &#60;img&#62; &amp;lt; &NewLine; &colon;",
    "template": "<template><script>1</script></template><math><mi xlink:href='data:x'>",
    "fence": "```\n</code></pre><script>alert(1)</script>\n````\n~~~",
    "table": "|a|b|\n|-|-|\n|<script>|`</td>`|\n",
    "ansi": "\x1b[31mr\x1b[0m \x1b[2J\x1b]0;t\x07 \x1b]52;c;aGk=\x1b\\ \x9b31m \x1b[38;5;99999m",
    "half a sequence": "\x1b[31;\x1b[\x1b]8;;http://evil.example\x1b",
    "rtl": "abc \u202egnp.exe\u202c \u2066x\u2069 \u200f\u061c",
    "unseen": "a\u200bb\ufeffc\u3164d\U000e0041e\u00adf",
    "control": "".join(map(chr, range(32))) + "\x7f\x85\x9f\u2028\u2029\ufffe\uffff",
    "nul": "\x00<b>\x00",
    "surrogates": "\ud800 \udfff \udc80x",
    "marks": "͏" + "a" + "\u0301" * 500,
    "long line": "A" * 1_000_000,
    "long markup": "<b>" * 100_000,
    "long quotes": '"' * 200_000,
    "nested": "> " * 5000 + "x",
    "lists": "- " * 3000 + "x",
    "brackets": "[" * 20_000,
    "stars": "*a_" * 7000,
    "lines": "x\n" * 200_000,
    "bars": "\r\x1b[31m50%" * 30_000,
    "backspaces": "a\x08" * 30_000,
}
MOST: Final = 2_000_000
"""Characters of one item: a few pieces of 64 KB, each character at most five times as long."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_others_wrote_is_never_markup(attack: str) -> None:
    evil = ATTACKS[attack]
    for place, item in everywhere(evil).items():
        for look in (LOOK, BUSY) if len(evil) < 1000 else (LOOK,):
            html = shown(item, look)
            try:
                seen = looked_at(html)
            except (AssertionError, UnicodeEncodeError) as problem:
                raise AssertionError(f"{attack} at {place}: {problem}") from problem
            assert len(html) < MOST, f"{attack} at {place} takes {len(html)} characters"
            assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", seen.text), place


def test_the_places_that_show_text_show_it() -> None:
    """So that the corpus looks at what it says it looks at."""
    hidden = {
        "rich text/html", "rich image/svg+xml", "live image/svg+xml", "rich image/png",
        "rich image/jpeg", "live image/png", "live image/jpeg", "live text/html",
        "rich application/javascript", "live application/javascript",
        "rich application/vnd.plotly.v1+json", "live application/vnd.plotly.v1+json",
    }  # fmt: skip
    for place, item in everywhere("MARKER").items():
        if place not in hidden:
            assert "MARKER" in looked_at(shown(item)).text or "MARKER" in shown(item), place


def test_the_check_sees_what_it_looks_for() -> None:
    for html in (
        "<script>x</script>",
        '<div onclick="x"></div>',
        '<div data-on:click="alert(1)"></div>',
        '<div data-init="x"></div>',
        '<div style="x"></div>',
        '<div id="app"></div>',
        "<div>",
        "</div>",
        '<a href="javascript:x" target="_blank" rel="noopener">x</a>',
        '<img src="http://evil.example/x.png">',
        "<details></details>",
        '<iframe src="/dashboard/x"></iframe>',
        "<!-- x -->",
    ):
        with pytest.raises(AssertionError):
            looked_at(html)
    looked_at('<div id="i-x1-a" data-on:click="hearth.act(el, evt)">x</div>')
