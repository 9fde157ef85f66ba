"""A terminal that a person looks at, and what they see."""

import io
import re
import sys

import pytest

SGR = re.compile(r"\x1b\[[0-9;]*[mK]")


class Both(io.StringIO):
    """A terminal: stdout and stderr are the same screen."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def plain(self) -> str:
        return SGR.sub("", self.getvalue()).replace("\r", "")


def screen(monkeypatch: pytest.MonkeyPatch, **environ: str) -> Both:
    """A person looks at a terminal. In the test itself: pytest has streams of its own before."""
    made = Both()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return made
