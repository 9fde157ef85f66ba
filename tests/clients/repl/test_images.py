"""Pictures are shown where the terminal says it can, else saved and linked."""

import base64
from pathlib import Path

import pytest
from tests.clients.repl.test_sixel import RED, png

from hearth.clients.repl import images
from hearth.clients.repl.images import Drawing, Pictures, drawing_for
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Picture, Words
from hearth.core.vocabulary.content import Blob

PNG = png([b"\0" + RED], 1)
ENCODED = base64.encodebytes(PNG).decode()


async def nothing(_: str) -> bytes:
    raise KeyError


def pictures(tmp_path: Path, drawing: Drawing, *, links: bool = True) -> Pictures:
    return Pictures(nothing, str(tmp_path / "shown"), drawing, Paint(), links)


@pytest.mark.parametrize(
    ("environ", "drawing"),
    [
        ({"TERM": "xterm-kitty"}, Drawing.KITTY),
        ({"KITTY_WINDOW_ID": "1"}, Drawing.KITTY),
        ({"TERM_PROGRAM": "iTerm.app"}, Drawing.ITERM2),
        ({"TERM": "foot"}, Drawing.SIXEL),
        ({"TERM": "xterm-256color"}, Drawing.LINK),
        ({}, Drawing.LINK),
        ({"TERM_PROGRAM": "iTerm.app", "TMUX": "here"}, Drawing.LINK),
        ({"TERM": "xterm", "HEARTH_IMAGES": "sixel"}, Drawing.SIXEL),
        ({"TERM": "xterm-kitty", "HEARTH_IMAGES": "link"}, Drawing.LINK),
        ({"TERM": "xterm-kitty", "HEARTH_IMAGES": "nonsense"}, Drawing.KITTY),
    ],
)
def test_the_environment_says_what_a_terminal_can(
    environ: dict[str, str], drawing: Drawing
) -> None:
    assert drawing_for(environ) is drawing


async def test_kitty_is_given_chunks_and_told_not_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "CHUNK", 40)
    shown = await pictures(tmp_path, Drawing.KITTY).render([Picture("image/png", ENCODED, "c1-1")])
    parts = shown.split("\x1b\\")
    assert parts[-1] == ""
    assert parts[0].startswith("\x1b_Ga=T,f=100,q=2,m=1;")
    assert parts[-2].startswith("\x1b_Gm=0;")
    assert "".join(part.partition(";")[2] for part in parts) == base64.b64encode(PNG).decode()


async def test_iterm_is_given_the_picture_whole(tmp_path: Path) -> None:
    shown = await pictures(tmp_path, Drawing.ITERM2).render([Picture("image/gif", ENCODED, "a")])
    assert shown.startswith("\x1b]1337;File=inline=1;size=")
    assert shown.endswith(base64.b64encode(PNG).decode() + "\x07")


async def test_sixels_are_drawn(tmp_path: Path) -> None:
    shown = await pictures(tmp_path, Drawing.SIXEL).render([Picture("image/png", ENCODED, "a")])
    assert shown.startswith("\x1bP0;1;0q")


@pytest.mark.parametrize("drawing", [Drawing.LINK, Drawing.KITTY, Drawing.SIXEL])
async def test_what_cannot_be_shown_is_saved_for_its_owner_and_linked(
    tmp_path: Path, drawing: Drawing
) -> None:
    picture = Picture("image/svg+xml", "<svg/>", "c1-2")
    shown = await pictures(tmp_path, drawing).render([Words("before"), picture])
    (saved,) = (tmp_path / "shown").iterdir()
    assert saved.read_bytes() == b"<svg/>"
    assert saved.stat().st_mode & 0o777 == 0o600
    assert saved.parent.stat().st_mode & 0o777 == 0o700
    assert shown.startswith("before\n<image/svg+xml, 6 bytes> \x1b]8;;file:///")
    assert f"\x1b\\{saved}\x1b]8;;\x1b\\" in shown


async def test_without_a_terminal_there_is_only_the_path(tmp_path: Path) -> None:
    plain = pictures(tmp_path, Drawing.LINK, links=False)
    shown = await plain.render([Picture("image/png", ENCODED, "c1-1")])
    assert "\x1b" not in shown
    assert shown.endswith(".png")


async def test_content_that_is_kept_apart_is_fetched(tmp_path: Path) -> None:
    async def fetch(digest: str) -> bytes:
        assert digest == "ab"
        return ENCODED.encode()

    drawing = Pictures(fetch, str(tmp_path), Drawing.KITTY, Paint(), links=True)
    shown = await drawing.render([Picture("image/png", Blob("ab", 1), "c1-1")])
    assert base64.b64encode(PNG).decode() in shown


@pytest.mark.parametrize("data", ["not base64!", Blob("gone", 1)])
async def test_what_cannot_be_read_says_so_and_nothing_foreign_is_written(
    tmp_path: Path, data: str | Blob
) -> None:
    shown = await pictures(tmp_path, Drawing.KITTY).render([Picture("image/png", data, "a")])
    assert shown == "<image/png that cannot be read>"


async def test_an_escape_inside_the_data_never_reaches_the_terminal(tmp_path: Path) -> None:
    evil = Picture("image/png", ENCODED + "\x1b]52;c;AAAA\x07", "a")
    shown = await pictures(tmp_path, Drawing.KITTY).render([evil])
    assert "52;c" not in shown


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "shown").write_text("in the way")
    shown = await pictures(tmp_path, Drawing.LINK).render([Picture("image/png", ENCODED, "a")])
    assert "not saved" in shown


async def test_the_oldest_files_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_FILES", 2)
    shown = pictures(tmp_path, Drawing.LINK)
    for number in range(4):
        await shown.render([Picture("image/svg+xml", f"<svg id='{number}'/>", f"c{number}")])
    assert len(list((tmp_path / "shown").iterdir())) == 2
