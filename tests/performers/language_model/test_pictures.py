"""Which pictures are sent, to whom, and what is said in the place of the others."""

import pytest
from tests.performers.language_model.held import CLAUDE, LOCAL
from tests.performers.language_model.picture_samples import DATA, GIF, JPEG, SMALL, WEBP, png

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.messages import (
    Message,
    Picture,
    Returned,
    ToolMessage,
    UserMessage,
)
from hearth.performers.language_model import pictures
from hearth.performers.language_model.pictures import LARGEST, as_seen, data_url, picture_from

B = BlockId("b1")
OTHER = "application/octet-stream"


def shown(*found: Picture, text: str = "a plot", is_error: bool = False) -> ToolMessage:
    return ToolMessage(B, (Returned("k", "read_file", text, is_error, found),))


@pytest.mark.parametrize(
    ("content", "media_type", "width", "height"),
    [
        (png(), "image/png", 3, 2),
        (png() + b"and more", "image/png", 3, 2),
        (JPEG, "image/jpeg", 30, 20),
        (JPEG + b"\0\0", "image/jpeg", 30, 20),
        (GIF, "image/gif", 7, 8),
        (WEBP, "image/webp", 9, 5),
    ],
)
def test_a_whole_picture_is_sent_as_what_it_is_whatever_is_said_of_it(
    content: bytes, media_type: str, width: int, height: int
) -> None:
    found = picture_from(content, OTHER)
    assert (found.media_type, found.width, found.height) == (media_type, width, height)
    assert found.data
    assert not found.why
    assert found == picture_from(content, "image/png"), "always the same"


@pytest.mark.parametrize("content", [png(), JPEG, GIF, WEBP])
def test_a_picture_that_was_cut_is_sent_to_nobody(content: bytes) -> None:
    for end in range(12, len(content) - 1):
        found = picture_from(content[:end], "image/png")
        assert not found.data
        assert found.why in {pictures.DAMAGED, pictures.OTHER_KIND}


def test_a_picture_in_which_a_byte_was_changed_is_sent_to_nobody() -> None:
    content = png()
    for at in range(16, len(content)):
        changed = bytearray(content)
        changed[at] ^= 0x10
        assert not picture_from(bytes(changed), "image/png").data, at


def test_what_is_no_picture_that_models_take_is_sent_to_nobody() -> None:
    found = picture_from(b"<svg/>", "image/svg+xml")
    assert found == Picture("image/svg+xml", 0, 0, why=pictures.OTHER_KIND)


def test_a_picture_is_sent_up_to_what_the_strictest_provider_takes() -> None:
    around = len(png(comment=b"x")) - 1
    most = picture_from(png(comment=b"x" * (LARGEST - around)), "image/png")
    assert len(most.data) == 5 * 1024 * 1024
    more = picture_from(png(comment=b"x" * (LARGEST - around + 1)), "image/png")
    assert (more.data, more.why) == ("", "models take 3.9 MB at most")
    assert picture_from(png(8_000, 1), "image/png").data
    wide = picture_from(png(8_001, 1), "image/png")
    assert (wide.data, wide.why) == ("", "models take 8,000 pixels a side at most")


def test_a_model_that_sees_is_sent_the_picture_and_the_text_as_it_was() -> None:
    message = shown(SMALL)
    assert as_seen(message, CLAUDE) == message


def test_a_model_that_cannot_see_is_told_what_there_is() -> None:
    seen = as_seen(shown(SMALL, SMALL), LOCAL)
    line = "[a picture that this model cannot see: image/png, 3 \u00d7 2]"
    assert seen == shown(text=f"a plot\n{line}\n{line}")


@pytest.mark.parametrize(
    ("picture", "line"),
    [
        (
            Picture("image/png", 9_000, 1, why="models take no such"),
            "[a picture that is not shown: image/png, 9000 \u00d7 1; models take no such]",
        ),
        (
            Picture("image/webp", 0, 0, why="its content is lost"),
            "[a picture that is not shown: image/webp; its content is lost]",
        ),
    ],
)
def test_of_a_picture_that_is_not_sent_is_told_why(picture: Picture, line: str) -> None:
    assert as_seen(shown(SMALL, picture), CLAUDE) == shown(SMALL, text=f"a plot\n{line}")
    assert as_seen(shown(picture, text=" "), CLAUDE) == shown(text=line)


def test_with_an_error_no_picture_is_sent_since_that_would_be_refused() -> None:
    line = "[a picture that is not shown: image/png, 3 \u00d7 2; its call failed]"
    assert as_seen(shown(SMALL, is_error=True), CLAUDE) == shown(
        text=f"a plot\n{line}", is_error=True
    )


def test_what_has_no_pictures_stays_the_very_same() -> None:
    messages: tuple[Message, ...] = (UserMessage(B, "hi"), shown())
    for message in messages:
        assert as_seen(message, LOCAL) is message


def test_an_address_holds_the_whole_picture() -> None:
    assert data_url(SMALL).encode() == b"data:image/png;base64," + DATA
