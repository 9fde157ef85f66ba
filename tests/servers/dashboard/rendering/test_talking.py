from dataclasses import replace

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import (
    BUSY,
    LOOK,
    SHA,
    placed,
    said,
    shown,
    text,
    thought,
    writing,
)

from hearth.core.views.open_blocks import OpenKind
from hearth.core.vocabulary.content import Blob
from hearth.servers.dashboard.rendering.items import drawn

MARKDOWN = "# One\n\nSome *words*.\n\n```py\nx = 1\n```\n\nlast"


def test_a_prompt_is_shown_as_it_was_typed() -> None:
    html = shown(said("# no heading\n  *two*  blanks\n\n```py\nx = 1\n```"))
    assert "# no heading\n  *two*  blanks" in html
    assert "<h1" not in html
    assert "<em" not in html
    assert '<pre class="code" tabindex="0">' in html
    assert "person ada" in looked_at(html).text


def test_a_prompt_can_be_said_otherwise_while_the_agent_is_idle() -> None:
    html = shown(said("old <words>"))
    assert 'data-local="resend"' in html
    assert "&quot;b17&quot;" in html
    assert "old &lt;words&gt;</textarea>" in html
    assert 'data-post="/dashboard/fork"' in html
    assert 'data-local="copy" data-of="i-x1-in"' in html
    busy = shown(said("old"), BUSY)
    assert 'data-local="resend"' not in busy
    assert "/dashboard/fork" not in busy
    assert 'data-local="copy"' in busy


def test_a_prompt_that_is_not_all_here_says_why_it_cannot_be_edited() -> None:
    html = shown(said(Blob(SHA, 90_000, head="begin")))
    assert 'disabled title="It is too long to be edited here."' in html
    assert 'data-local="resend"' not in html


@pytest.mark.promise("DP-UI-05")
def test_what_was_streamed_and_what_was_sealed_are_the_same_pieces() -> None:
    live, sealed = drawn(placed(writing(MARKDOWN)), LOOK), drawn(placed(text(MARKDOWN)), LOOK)
    assert live.pieces == sealed.pieces
    assert len(live.pieces) == 4
    assert "is-open" in live.before
    assert "is-open" not in sealed.before


def test_the_frame_stays_the_same_while_a_text_grows() -> None:
    drawings = [drawn(placed(writing(MARKDOWN[:end])), LOOK) for end in range(1, len(MARKDOWN))]
    assert len({(one.before, one.after) for one in drawings}) == 1


def test_what_is_not_known_and_what_was_cut_off_is_said() -> None:
    assert "beginning of this is not known" in shown(writing("x", start=9))
    assert "cut off here" in shown(text("x", partial=True))
    assert "cut off here" not in shown(text("x"))


@pytest.mark.promise("DP-UI-01")
def test_thoughts_are_folded_where_they_were_thought() -> None:
    for item in (thought("why *not*"), writing("why *not*", kind=OpenKind.THINKING)):
        html = shown(item)
        assert "item-thinking" in html
        assert 'data-preserve-attr="open"' in html
        assert " open " not in html
        assert "<em>not</em>" in html
        assert "<details open" in shown(item, replace(LOOK, open_thinking=True))


def test_a_text_that_is_kept_apart_has_a_link() -> None:
    assert "whole (90.0 kB)" in shown(text(Blob(SHA, 90_000, head="begin")))
