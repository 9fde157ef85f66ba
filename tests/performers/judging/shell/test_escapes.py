import subprocess

import pytest

from hearth.performers.judging.shell.escapes import decoded


@pytest.mark.parametrize(
    "written", [r"a\tb", r"\x41\x7a", r"\101\60", r"\u0041", r"\U00000042", r"\\ \' \"", "plain"]
)
def test_it_means_what_bash_makes_of_it(written: str) -> None:
    made = subprocess.run(  # noqa: S603 - a line of this test
        ["bash", "-c", f"printf %s $'{written}'"],  # noqa: S607 - the bash that is there
        capture_output=True,
        check=True,
        text=True,
    )

    assert decoded(written) == made.stdout


@pytest.mark.parametrize("written", [r"\cx", r"\x00", r"\e", r"\u00e9", "\\", r"\q", r"a\q"])
def test_what_is_not_sure_is_not_decoded(written: str) -> None:
    assert decoded(written) is None
