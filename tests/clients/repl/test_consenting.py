"""What a person decides at the prompt is put to them one after the other, and answered once."""

import pytest
from tests.clients.agents.asking import TOUCH

from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.agents.deciding import Deciding
from hearth.clients.repl.consenting import (
    AskingConsent,
    AskingRewind,
    Consenting,
    asked_for,
    is_no,
)
from hearth.clients.repl.host import Question
from hearth.core.views.talk import Approval
from hearth.core.vocabulary.ids import ApprovalId, CallId
from hearth.core.vocabulary.permitting import EXECUTE, Grant
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer, RewindFiles

LATER = 5.0


class Asked:
    """Remembers what was put to the person."""

    def __init__(self) -> None:
        self.questions: list[str | None] = []
        self.prompt = ""

    def __call__(self, question: Question | None) -> None:
        self.questions.append(None if question is None else question.about)
        self.prompt = "" if question is None else question.prompt


def asking(name: str = "a1") -> AskingConsent:
    return AskingConsent(Deciding(AskedFor({**TOUCH, "approval": name})))


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def consent(asked: Asked) -> Consenting:
    return Consenting(asked)


def test_one_is_asked_after_the_other(consent: Consenting, asked: Asked) -> None:
    consent.add(asking("a1"))
    consent.add(asking("a2"))
    assert asked.questions == ["a1"]
    heard = consent.hear("a1", "s", LATER)
    assert heard is not None
    assert heard.command == AnswerApproval(
        ApprovalId("a1"), ApprovalAnswer.SESSION, "", ("touch *", "x")
    )
    assert asked.questions == ["a1"]  # what came of it is shown first
    consent.put_next()
    assert asked.questions == ["a1", "a2"]


def test_what_somebody_else_answered_goes_away(consent: Consenting, asked: Asked) -> None:
    consent.add(asking("a1"))
    consent.add(asking("a2"))
    consent.drop("a1")
    consent.drop("a9")
    assert asked.questions == ["a1", "a2"]
    consent.clear()
    assert asked.questions == ["a1", "a2", None]
    consent.clear()
    assert asked.questions == ["a1", "a2", None]
    assert consent.hear("a1", "y", LATER) is None


def test_a_no_takes_away_what_agents_wait_for_and_nothing_else(
    consent: Consenting, asked: Asked
) -> None:
    consent.add(asking("a1"))
    consent.add(asking("a2"))
    consent.add(AskingRewind("b1", "take it back? ", {}))
    heard = consent.hear("a1", "n", LATER)
    assert heard is not None
    assert is_no(heard.command)
    consent.drop_consents()
    assert asked.questions == ["a1", "rewind b1"]


@pytest.mark.promise("DP-PERM-11")
def test_always_is_asked_again_with_the_patterns(consent: Consenting, asked: Asked) -> None:
    consent.add(asking())
    heard = consent.hear("a1", "a", LATER)
    assert heard is not None
    assert heard.command is None
    assert any('"touch *"' in line for _, line in heard.lines)
    consent.put_next()
    assert asked.prompt == "Type yes to store it: "
    heard = consent.hear("a1", "", LATER)  # Enter is no yes
    assert heard is not None
    assert heard.lines == [("dim", "nothing is stored")]
    assert not heard.is_over
    consent.hear("a1", "a", LATER)
    heard = consent.hear("a1", "yes", LATER)
    assert heard is not None
    assert isinstance(heard.command, AnswerApproval)
    assert heard.command.answer is ApprovalAnswer.ALWAYS


def test_enter_leaves_it_for_later_and_nothing_is_answered(
    consent: Consenting, asked: Asked
) -> None:
    consent.add(asking())
    heard = consent.hear("a1", "", LATER)
    assert heard is not None
    assert (heard.command, heard.is_over) == (None, True)
    assert ".approve a1" in heard.lines[0][1]
    consent.put_next()
    assert asked.questions == ["a1"]
    consent.add(asking("a2"))
    heard = consent.hear("a2", None, 0.0)  # Ctrl-D
    assert heard is not None
    assert heard.command is None


def test_what_comes_too_soon_was_not_read_and_answers_nothing(
    consent: Consenting, asked: Asked
) -> None:
    consent.add(asking())
    heard = consent.hear("a1", "y", 0.1)
    assert heard is not None
    assert (heard.command, heard.is_over) == (None, False)
    assert "too soon" in heard.lines[0][1]
    consent.put_next()
    assert asked.questions == ["a1", "a1"]


def test_while_a_cell_asks_nothing_else_is(consent: Consenting, asked: Asked) -> None:
    consent.add(asking())
    consent.hold(is_held=True)
    consent.add(asking("a2"))
    assert asked.questions == ["a1"]
    consent.hold(is_held=False)
    assert asked.questions == ["a1", "a1"]


def test_what_was_looked_at_first_is_put_again(consent: Consenting, asked: Asked) -> None:
    consent.add(asking())
    consent.again("a9")
    consent.again("a1")
    consent.put_next()
    assert asked.questions == ["a1", "a1"]


def test_files_go_back_only_after_a_clear_yes(consent: Consenting, asked: Asked) -> None:
    consent.add(asking())
    consent.add(AskingRewind("b7", "Take 2 files back? [y/N] ", {}), first=True)
    assert asked.questions == ["a1", "rewind b7"]
    heard = consent.hear("rewind b7", "no", LATER)
    assert heard is not None
    assert (heard.command, heard.is_over) == (None, True)
    consent.add(AskingRewind("", "?", {"yes": RewindFiles("")}), first=True)
    heard = consent.hear("rewind ", "yes", LATER)
    assert heard is not None
    assert heard.command == RewindFiles("")


def test_an_approval_of_a_view_is_told_like_that_of_an_event() -> None:
    one = Approval(
        ApprovalId("a1"), (CallId("k1"),), "why", "run_shell", "$ x", (), (Grant(EXECUTE, "x *"),)
    )
    asked = asked_for(one, "bot")
    assert (asked.tool, asked.details, asked.agent, asked.patterns) == (
        "run_shell",
        "$ x",
        "bot",
        ["x *"],
    )
