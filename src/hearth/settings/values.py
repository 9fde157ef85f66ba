"""What settings are made of: kinds of values, and what is said of a key to people."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from hearth.settings.sizes import PATTERN

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Count: TypeAlias = Annotated[int, msgspec.Meta(gt=0)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Url: TypeAlias = Annotated[
    str,
    msgspec.Meta(pattern=r"^https?://[^\s/?#@]+([/?#]\S*)?$"),
]
Size: TypeAlias = Annotated[
    int,
    msgspec.Meta(
        gt=0,
        # On disk it may be a text of this form, too; here it is the number of bytes.
        extra_json_schema={"pattern": PATTERN},
    ),
]
Unlimited: TypeAlias = Literal["unlimited"]


def says(description: str, right: str, *, secret: bool = False) -> msgspec.Meta:
    """What a key means, and what a right value is, in words for people."""
    return msgspec.Meta(description=description, extra={"right": right, "secret": secret})


class Group(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Settings that stand in one object."""
