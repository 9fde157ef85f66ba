"""Under what name the diagnostics of some code are kept."""

from hashlib import sha256

from hearth.core.vocabulary.content import Blob, Text


def diagnostics_key(code: Text, file: str) -> str:
    """The file's path when it is known, otherwise a hash of the code."""
    if file:
        return file
    digest = code.sha256 if isinstance(code, Blob) else sha256(code.encode()).hexdigest()
    return f"code:{digest[:16]}"
