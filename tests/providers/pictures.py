"""What providers demand of a picture: that it is one, of the type it says, and not too large."""

import binascii
from base64 import b64decode
from typing import Final

from tests.providers.wire import Refused

STARTS: Final = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
LARGEST: Final = 5 * 1024 * 1024


def check_picture(media_type: object, data: object, at: str) -> None:
    """Refuse what is no picture."""
    if not isinstance(media_type, str) or media_type not in STARTS:
        raise Refused(f"{at}: Input should be one of {', '.join(STARTS)}")
    if not isinstance(data, str) or not data:
        raise Refused(f"{at}: image cannot be empty")
    if len(data) > LARGEST:
        raise Refused(f"{at}: image exceeds 5 MB maximum: {len(data)} bytes > {LARGEST} bytes")
    try:
        content = b64decode(data, validate=True)
    except binascii.Error as error:
        raise Refused(f"{at}: invalid base64 data") from error
    if not content.startswith(STARTS[media_type]):
        raise Refused(f"{at}: the image does not appear to be {media_type}")


def check_data_url(url: object, at: str) -> None:
    """The same, of a picture in an address."""
    if not isinstance(url, str) or not url.startswith("data:"):
        raise Refused(f"{at}: Expected a base64-encoded data URL.")
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    check_picture(media_type, data, at)
