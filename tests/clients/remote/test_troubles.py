"""Whoever cannot be reached says so in a sentence, with what would help."""

from hearth.clients.remote.troubles import DaemonGone, Rejected, Unreachable, WrongVersion


def test_each_is_a_sentence_and_a_hint() -> None:
    for kind in (DaemonGone, WrongVersion):
        trouble = kind("it is gone", "start it")
        assert isinstance(trouble, Unreachable)
        assert (trouble.sentence, trouble.hint) == ("it is gone", "start it")
        assert str(trouble) == "it is gone; hint: start it"
    assert str(DaemonGone("it is gone")) == "it is gone"


def test_what_was_rejected_says_by_which_word() -> None:
    rejected = Rejected(403, "not_allowed", "a reader may not", "ask the person")
    assert (rejected.status, rejected.code, rejected.sentence) == (
        403,
        "not_allowed",
        "a reader may not",
    )
