import pytest

from hearth.performers.judging.shell.variables import is_harmless, is_harmless_name, is_of_locale


@pytest.mark.parametrize(
    ("name", "value"),
    [("x", None), ("file_name", "a b"), ("LC_ALL", "C"), ("LANG", "de_DE.UTF-8"), ("TZ",
    "Europe/Rome"),
     ("CI", "1"), ("NO_COLOR", "")],
)  # fmt: skip
def test_what_changes_nothing_may_be_set(name: str, value: str | None) -> None:
    assert is_harmless(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PATH", "."), ("LD_PRELOAD", "x"), ("IFS", "/"), ("BASH_ENV", "x"), ("GIT_DIR", "x"),
        ("PYTHONPATH", "."), ("LC_ALL", None), ("LC_ALL", "ja_JP.SJIS"), ("TZ",
        "/etc/passwd"),
        ("LC_ALL", "zh_TW"), ("LANG", ""), ("UNKNOWN", "x"), ("http_proxy", "x"),
        ("npm_config_prefix", "x"), ("CI", "$(x)"), ("_", "x"),
        ("path", "x"), ("HOME", "/x"),
    ],
)  # fmt: skip
def test_what_may_change_what_runs_may_not(name: str, value: str | None) -> None:
    assert not is_harmless(name, value)


def test_names_for_oneself_are_in_small_letters() -> None:
    assert is_harmless_name("line")
    assert not is_harmless_name("a[0]")
    assert not is_harmless_name("REPLY")


def test_what_says_the_encoding_is_known() -> None:
    assert is_of_locale("LANG")
    assert is_of_locale("LC_ALL")
    assert not is_of_locale("lang")
