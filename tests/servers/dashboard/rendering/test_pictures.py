import base64
import struct

import pytest

from hearth.servers.dashboard.html import UnsafeMarkup
from hearth.servers.dashboard.rendering.pictures import INLINE, KINDS, SVG, fetched, inside, sides

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 320, 120) + b"x"
).decode()


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_picture_is_carried_by_the_page(kind: str) -> None:
    html = inside(kind, f"{PNG[:20]}\n{PNG[20:]}", 'a "b"')
    assert html is not None
    assert f'src="data:{kind};base64,{PNG}"' in html
    assert 'alt="a &quot;b&quot;"' in html
    assert 'width="320" height="120"' in html


def test_a_drawing_is_a_picture_like_any_other() -> None:
    html = inside(SVG, "<svg onload='x'><script>1</script></svg>", "x")
    assert html is not None
    assert "<svg" not in html
    assert "data:image/svg+xml;base64," in html


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("text/html", PNG),
        ("image/png", 'x" onerror="y'),
        ("image/png", ""),
        ("image/png", "A" * (INLINE + 4)),
    ],
)
def test_nothing_else_is(kind: str, data: str) -> None:
    assert inside(kind, data, "x") is None


def test_a_large_one_is_asked_for_from_us_alone() -> None:
    assert 'src="/dashboard/s/x/output/1/c1/0"' in fetched("/dashboard/s/x/output/1/c1/0", "x")
    with pytest.raises(UnsafeMarkup):
        fetched("https://evil.example/x.png", "x")


def test_its_room_is_known_where_it_says_so() -> None:
    gif = base64.b64encode(b"GIF89a" + struct.pack("<HH", 3, 4)).decode()
    huge = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xff" * 8).decode()
    assert sides(gif) == (3, 4)
    assert sides(huge) == ()
    assert sides("????") == ()
