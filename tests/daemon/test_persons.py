"""One rule for who somebody is, whichever client they use."""

import pytest

from hearth.daemon.persons import author


def test_people_are_known_by_the_name_they_choose_or_their_login(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOGNAME", "login")
    monkeypatch.setenv("HEARTH_NAME", "ann")
    assert author() == "ann"
    monkeypatch.delenv("HEARTH_NAME")
    assert author() == "login"
    monkeypatch.delenv("LOGNAME")
    monkeypatch.delenv("USER", raising=False)
    assert author()
