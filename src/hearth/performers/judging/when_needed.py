"""The judges of commands and cells, loaded when one is first judged.

What they know to be harmless takes long to load, and nobody who starts a daemon should wait for it.
"""

from typing import TYPE_CHECKING

from hearth.performers.judging.paths import Place

if TYPE_CHECKING:
    from hearth.performers.judging.shell.analysis import Analysis
    from hearth.performers.tools.tool import Wanted


def analyse(command: str, place: Place) -> "Analysis":
    """What a line for bash needs: see `shell.analysis`."""
    from hearth.performers.judging.shell import analysis  # noqa: PLC0415 - as said above

    return analysis.analyse(command, place)


def python_wants(code: str, place: Place) -> "Wanted":
    """What a cell of Python needs: see `python_code`."""
    from hearth.performers.judging import python_code  # noqa: PLC0415 - as said above

    return python_code.python_wants(code, place)
