"""The pretended providers refuse pictures as the real ones do."""

from base64 import b64encode

import pytest
from tests.performers.language_model.picture_samples import png
from tests.providers.pictures import check_data_url, check_picture
from tests.providers.wire import Refused

DATA = b64encode(png()).decode()


def test_a_picture_of_the_type_it_says_is_taken() -> None:
    check_picture("image/png", DATA, "here")
    check_data_url(f"data:image/png;base64,{DATA}", "here")


@pytest.mark.parametrize(
    ("media_type", "data", "why"),
    [
        ("image/svg+xml", DATA, "should be one of"),
        ("image/jpeg", DATA, "does not appear to be image/jpeg"),
        ("image/png", "", "cannot be empty"),
        ("image/png", "not base64!", "invalid base64"),
        ("image/png", DATA + "A" * 5 * 1024 * 1024, "exceeds 5 MB"),
    ],
)
def test_any_other_is_refused(media_type: str, data: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check_picture(media_type, data, "here")


def test_an_address_that_holds_no_picture_is_refused() -> None:
    with pytest.raises(Refused, match="data URL"):
        check_data_url("https://example.org/a.png", "here")
