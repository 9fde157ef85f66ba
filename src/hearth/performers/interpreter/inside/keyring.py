"""The keys that the system keeps for a person's session, and how to be without them."""

import ctypes
import os
import sys
from typing import Final

KEYCTL: Final = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
"""The number of the call, by the machine; the C library has no name for it."""
_NEW_KEYRING: Final = 1


def leave_keys_behind() -> None:
    """Go on with an empty keyring: a sandbox takes that of the person's session along."""
    number = KEYCTL.get(os.uname().machine)
    if number is not None and sys.maxsize > 1 << 32:
        # Where the system has none, or forbids it, there are no keys to be read either.
        ctypes.CDLL(None).syscall(number, _NEW_KEYRING, ctypes.c_void_p(None))
