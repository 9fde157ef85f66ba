"""`python -m hearth.demo`: what `make run` shows."""

import io
import os
import sys
import tempfile
from pathlib import Path

from hearth.app import run
from hearth.demo.page import Page
from hearth.demo.play import play


def main() -> None:
    """Play once, in a home that is thrown away afterwards."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without arrows still shows the rest
    person_watches = sys.stdout.isatty()
    colours = person_watches and "NO_COLOR" not in os.environ
    page = Page(sys.stdout.write, colours=colours, pause=0.35 if person_watches else 0.0)
    with tempfile.TemporaryDirectory(prefix="hearth-demo-") as home:
        run(play(Path(home), page))


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
