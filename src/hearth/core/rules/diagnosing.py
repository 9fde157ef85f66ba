"""Under what name the diagnostics of some code are kept."""

from hashlib import sha256

from hearth.core.vocabulary.content import Blob, Text


def diagnostics_key(code: Text, file: str) -> str:
    """The file's path when it is known, otherwise a hash of the code."""
    if file:
        return file
    if isinstance(code, Blob):
        return f"code:{code.sha256[:16]}"
    # Half a surrogate pair is stored as a question mark, and must not stop a session.
    return f"code:{sha256(code.encode(errors='replace')).hexdigest()[:16]}"
