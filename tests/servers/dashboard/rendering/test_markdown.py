import pytest
from tests.servers.dashboard.rendering.checked import looked_at

from hearth.servers.dashboard.rendering.chunking import Chunk
from hearth.servers.dashboard.rendering.markdown import as_block, pieces, rendered

TEXT = "# One\n\nSome *words*.\n\n```py\nx = 1\n```\n\n- a\n- b\n\nlast words"


def test_markdown_is_markup() -> None:
    html = as_block(
        "## A\n\n**b** ~~c~~ `d`\n\n|x|y|\n|-|-|\n|1|2|\n\n3. e\n\n```py\ndef f(): ...\n```"
    )
    for part in ("<h2>A</h2>", "<strong>b</strong>", "<s>c</s>", "<code>d</code>", "<td>1</td>"):
        assert part in html
    assert '<ol start="3">' in html
    assert '<span class="hk">def </span>' in html
    looked_at(html)


def test_a_link_opens_elsewhere_and_tells_nobody_where_it_was() -> None:
    html = as_block("[x](https://example.org/a?b=1&c) <mailto:a@b.c>")
    assert '<a href="https://example.org/a?b=1&amp;c" target="_blank"' in html
    assert html.count('rel="noopener noreferrer nofollow"') == 2


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x",
        "JaVaScRiPt:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///x",
        "//evil",
        "/a",
        "#b",
    ],
)
def test_a_link_leads_to_the_web_or_nowhere(address: str) -> None:
    html = as_block(f"[x](<{address}>)")
    assert "href" not in html
    assert "x" in html


def test_a_picture_is_its_name_and_its_address_as_text() -> None:
    html = as_block("![a *cat*](https://example.org/x.png)")
    assert "<img" not in html
    assert "a cat (https://example.org/x.png)" in html


def test_html_is_text() -> None:
    html = as_block('<b id="x" data-init="y">z</b>\n\n<script>1</script>')
    assert "&lt;b id=" in html
    assert "&lt;script&gt;" in html


def test_each_chunk_is_a_piece_with_its_number() -> None:
    made = pieces("i-a", TEXT)
    assert [one.id for one in made] == [f"i-a-m{number}" for number in range(5)]
    assert all(one.html.startswith(f'<div id="{one.id}" class="md">') for one in made)


def test_a_text_that_grows_sends_only_its_last_pieces() -> None:
    for end in range(len(TEXT)):
        before, after = pieces("i-a", TEXT[:end]), pieces("i-a", TEXT)
        kept = max(0, len(before) - 2)
        assert before[:kept] == after[:kept]


def test_what_was_drawn_once_is_not_drawn_again() -> None:
    rendered.cache_clear()
    text = "words and *more* words\n\n" * 400
    pieces("i-a", text)
    missed = rendered.cache_info().misses
    pieces("i-a", text + "end")
    assert rendered.cache_info().misses <= missed + 1
    assert missed <= 2


def test_of_a_very_long_text_the_end_is_shown_and_stays_for_a_while() -> None:
    text = "".join(f"part {number}\n\n" for number in range(20_000))
    made, later = pieces("i-a", text), pieces("i-a", f"{text}more")
    assert sum(len(one.html) for one in made) < 600_000
    assert made[0].id == "i-a-cut"
    assert "part 19999" in made[-1].html
    assert made[:-1] == later[: len(made) - 1]


def test_an_open_fence_is_code_already() -> None:
    assert "<pre" in rendered(Chunk("```py\nx = 1", is_open=True))
