"""Who sits at a terminal client."""

import os


def author() -> str:
    """The name under which what is asked here is remembered: `$HEARTH_NAME`, or the login."""
    named = os.environ.get("HEARTH_NAME") or os.environ.get("LOGNAME") or os.environ.get("USER")
    if named:
        return named
    import pwd  # noqa: PLC0415 - not every system has it

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())  # in a container, a user may have no name
