"""What comes from a person is told apart, whatever was typed."""

from hearth.clients.repl.entered import Answered, Left, Typed
from hearth.clients.repl.host import Question
from hearth.core.vocabulary.ids import CellId


def test_an_answer_belongs_to_its_question_and_may_be_refused() -> None:
    question = Question(CellId("c1"), "who? ", password=False)
    given, refused = Answered(question, ""), Answered(question, None)
    assert given != refused
    assert given.question is question
    assert not isinstance(Typed("1"), Answered | Left)
