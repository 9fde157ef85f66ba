"""The words behind `hearth --server`."""

import pytest

from hearth.serving.options import Misused, Options, parse


def test_nothing_said_leaves_everything_to_the_settings() -> None:
    assert parse([]) == Options(port=None, watch=None, idle_timeout=None)


@pytest.mark.promise("SF-CLI-06")
def test_every_option_is_read_in_both_spellings() -> None:
    wanted = Options(port=4000, watch=False, idle_timeout=1.5)
    assert parse(["--port", "4000", "--no-watch", "--idle-timeout", "1.5"]) == wanted
    assert parse(["--port=4000", "--idle-timeout=1.5", "--no-watch"]) == wanted


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--prot", "7"], "'--prot'"),
        (["serve"], "'serve'"),
        (["--port"], "not nothing"),
        (["--port", "0"], "not 0"),
        (["--port", "65536"], "not 65536"),
        (["--port", "\u0667"], "not \u0667"),
        (["--port="], "not nothing"),
        (["--idle-timeout", "soon"], "not soon"),
        (["--idle-timeout", "-1"], "not -1"),
        (["--idle-timeout", "nan"], "not nan"),
        (["--idle-timeout", "inf"], "not inf"),
    ],
)
def test_what_means_nothing_is_named_with_what_would_be_right(words: list[str], named: str) -> None:
    with pytest.raises(Misused) as misused:
        parse(words)
    assert named in misused.value.what
    assert misused.value.hint
