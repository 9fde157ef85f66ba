import pytest

from hearth.performers.judging.shell.sieves import Sieve, may_match, must_match


@pytest.mark.parametrize(
    ("pattern", "name", "may", "must"),
    [
        ("*.py", "a.py", True, True),
        ("*.py", ".env", False, False),
        ("*.PY", "a.py", True, False),
        ("*.{py,md}", "a.md", True, True),
        ("*.{py,md}", ".env", False, False),
        ("src/**/*.py", ".env", False, False),
        ("src/**/*.py", "a.py", True, False),
        ("src/**", ".env", True, False),
        ("src/", ".env", True, False),
        ("[a]", ".env", True, False),
        ("\\.env", ".env", True, False),
        ("{a", ".env", True, False),
        ("", ".env", True, False),
    ],
)
def test_only_plain_patterns_are_sure(pattern: str, name: str, *, may: bool, must: bool) -> None:
    assert may_match(pattern, name) is may
    assert must_match(pattern, name) is must


def test_everything_is_let_through_where_nothing_is_said() -> None:
    assert Sieve().may_read(".env")
    assert Sieve().may_enter(".ssh")


def test_what_is_kept_back_is_not_read() -> None:
    assert not Sieve(but=("*.pem",)).may_read("a.pem")
    assert Sieve(but=("*.pem",)).may_read("a.key")
    assert Sieve(only=("a.*",), but=("*.pem",)).may_read("a.pem")
    assert not Sieve(only=("*.py",), begins_closed=True).may_read("a.pem")
    assert Sieve(only=("*.py",)).may_read("a.pem")
    assert not Sieve(endings=(".py",)).may_read("a.pem")


def test_what_is_hidden_is_kept_back_unless_a_pattern_lets_it_through() -> None:
    assert not Sieve(skips_hidden=True).may_read(".env")
    assert not Sieve(skips_hidden=True).may_enter(".aws")
    assert Sieve(skips_hidden=True).may_enter("aws")
    assert Sieve(only=(".e*",), skips_hidden=True).may_read(".env")
    assert Sieve(only=("*",), skips_hidden=True).may_enter(".aws")
    assert Sieve(only=("x/*.py",), skips_hidden=True).may_enter(".aws")


def test_folders_that_are_left_out_are_not_gone_into() -> None:
    assert not Sieve(folders=("node_*",)).may_enter("node_modules")
    assert Sieve(folders=("[n]ode",)).may_enter("node")
