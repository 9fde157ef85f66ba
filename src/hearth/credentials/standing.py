"""What doors need of the rules of admission, which they do not see themselves."""

from hearth.core.rules.admission import (
    KNOWN,
    UNKNOWN,
    Act,
    Bucket,
    Credential,
    Rate,
    Standing,
    act_of,
    attributed,
    may,
    spend,
)

__all__ = [
    "KNOWN",
    "UNKNOWN",
    "Act",
    "Bucket",
    "Credential",
    "Rate",
    "Standing",
    "act_of",
    "attributed",
    "may",
    "spend",
]
