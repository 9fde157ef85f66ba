"""Versions are compared, and what is said about a difference helps."""

import tomllib

import pytest
from tests.repo.tree import ROOT

from hearth.daemon.versions import VERSION, compare, sentence


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == VERSION


@pytest.mark.promise("SF-DMN-08")
@pytest.mark.parametrize(
    ("mine", "theirs", "compared"),
    [
        ("0.1.0", "0.1.0", "same"),
        ("0.1.0", "0.1.1", "differs"),
        ("0.2.0", "0.1.9", "differs"),
        ("1.0.0", "0.9.0", "incompatible"),
        ("1.0.0", "10.0.0", "incompatible"),
        ("0.1.0", "", "incompatible"),
        ("0.1.0", "zero", "incompatible"),
        ("odd.1", "odd.2", "incompatible"),
    ],
)
def test_only_another_first_number_is_refused(mine: str, theirs: str, compared: str) -> None:
    assert compare(mine, theirs) == compared
    assert compare(theirs, mine) == compared


@pytest.mark.promise("SF-DMN-08")
def test_a_difference_is_said_with_what_would_help() -> None:
    assert sentence("0.1.0", "0.1.0") == ""
    warned = sentence("0.1.0", "0.2.0")
    assert "0.1.0" in warned
    assert "0.2.0" in warned
    assert "hint: `hearth stop`" in warned
    refused = sentence("1.0.0", "0.2.0")
    assert "cannot talk to" in refused
    assert "hint:" in refused
    assert "unknown version" in sentence("", "0.2.0")
