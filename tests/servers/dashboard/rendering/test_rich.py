import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import SESSION, SHA

from hearth.core.vocabulary.content import Blob, RichData
from hearth.servers.dashboard.rendering.rich import Kept, plain, pretty, rich, value

SEALED = Kept(SESSION, "7/c3")
LIVE = Kept(SESSION)
TABLE = "<table>" + "<tr><td>1</td></tr>" * 3 + "</table>"


def _html(bundle: dict[str, str | Blob], kept: Kept = SEALED) -> str:
    html = rich(RichData(bundle), 2, kept)
    assert html is not None
    looked_at(html)
    return html


def test_html_is_shown_in_a_frame_of_its_own() -> None:
    html = _html({"text/html": TABLE, "text/plain": "a b"})
    assert f'<iframe sandbox loading="lazy" src="/dashboard/s/{SESSION}/frame/7/c3/2"' in html
    assert "frame-s" in html
    assert "<table" not in html
    assert "frame-l" in _html({"text/html": TABLE * 20})


def test_while_it_runs_html_is_text_with_a_remark() -> None:
    html = _html({"text/html": TABLE, "text/plain": "a b"}, LIVE)
    assert "iframe" not in html
    assert "a b" in html
    assert "when the cell has ended" in html


def test_a_small_picture_is_in_the_page_and_a_large_one_has_an_address() -> None:
    assert "data:image/png;base64,AAAA" in _html({"image/png": "AAAA", "text/html": "x"})
    large = _html({"image/png": "A" * 400_000, "text/plain": "<Figure>"})
    assert f'src="/dashboard/s/{SESSION}/output/7/c3/2"' in large
    assert "&lt;Figure&gt;" in large
    assert "/output/" in _html({"image/jpeg": Blob(SHA, 9)})
    assert "<img" not in _html({"image/png": Blob(SHA, 9)}, LIVE)


def test_a_drawing_is_never_part_of_the_page() -> None:
    html = _html({"image/svg+xml": "<svg onload=x></svg>"})
    assert "<svg" not in html
    assert "data:image/svg+xml;base64," in html


def test_json_is_pretty_and_markdown_is_markup() -> None:
    assert "hn" in _html({"application/json": '{"a":[1]}'})
    assert "<strong>x</strong>" in _html({"text/markdown": "**x**"})


@pytest.mark.parametrize("kind", ["text/plain", "text/latex"])
def test_everything_else_is_text(kind: str) -> None:
    assert rich(RichData({kind: "x"}), 0, SEALED) is None
    assert plain(RichData({kind: "x"})) == "x"
    assert plain(RichData({"application/x": "y"})) == "(application/x)"


def test_a_value_has_its_type() -> None:
    html = value("<Foo>", "list[int]", SESSION)
    assert "&lt;Foo&gt;" in html
    assert "list[int]" in html


def test_what_is_no_json_stays_as_it_is() -> None:
    assert pretty("{nope") == "{nope"
    assert pretty("[" * 100_000) == "[" * 100_000
    assert pretty('{"a":1}') == '{\n  "a": 1\n}'
