"""Whoever leaves the keys of the session behind has others, and nobody else loses any."""

import os
import subprocess
import sys

import pytest

from hearth.performers.interpreter.inside import keyring

ASKED = """
import ctypes, runpy
ask = lambda: print(ctypes.CDLL(None).syscall({number}, 0, -3, 0))
ask()
runpy.run_path({path!r})["leave_keys_behind"]()
ask()
"""


@pytest.mark.skipif(os.uname().machine not in keyring.KEYCTL, reason="another machine")
def test_it_goes_on_with_an_empty_keyring() -> None:
    number = keyring.KEYCTL[os.uname().machine]
    script = ASKED.format(number=number, path=keyring.__file__)
    shown = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True
    )
    before, after = shown.stdout.split()
    if before == "-1":
        pytest.skip("there are no keyrings here")
    assert before != after
    assert int(after) > 0
