"""Programs that are no Python, for whoever starts interpreters by their path."""

import json
from pathlib import Path

READY = 'printf \'%s\\n\' \'{"ready": true, "pid": 1, "python": "3.11.7"}\' >&0'
"""What a template says when it can be forked."""


def program(folder: Path, script: str, name: str = "python") -> str:
    """The path of a program that runs these lines of shell."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return str(path)


def says(what: object) -> str:
    """A line of shell that answers with this, over descriptor 0."""
    return f"printf '%s\\n' '{json.dumps(what)}' >&0"
