"""Verdicts and needs: what is least said is what is least allowed."""

import msgspec
import pytest

from hearth.core.vocabulary.permitting import PERMISSIONS, Need, Verdict


def test_there_are_three_verdicts_and_five_permissions_of_our_own() -> None:
    assert list(Verdict) == ["allow", "ask", "deny"]
    assert PERMISSIONS == ("read", "write", "execute", "external_directory", "network")


def test_a_need_of_which_nothing_else_is_said_asks_and_can_be_granted_only_once() -> None:
    need = Need("write", "a.py")
    assert (need.usual, need.least, need.pattern) == (Verdict.ASK, Verdict.ALLOW, "")


def test_what_is_not_known_of_a_need_is_not_taken() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"permission":"read","target":"x","allow":true}', type=Need)
