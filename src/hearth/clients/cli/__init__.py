"""The command line: what `hearth VERB` does. Imports the standard library and hearth.daemon alone.

Each verb has a room that is imported when it is asked for, so that `hearth status` answers in a
blink. Only `hearth.__main__` and `hearth.demo` import this package.
"""


def main(argv: list[str]) -> int:
    """Carry out one command line (without the program's name); the exit code."""
    # Whoever only asks for the package pays for nothing.
    from hearth.clients.cli.command import carry_out  # noqa: PLC0415 - as the comment says

    return carry_out(argv)
