"""What cells tell counts more than what was asked before them, and code is kept within bounds."""

from hearth.performers.interpreter.knowing import MOST_CELLS, MOST_CODE, Known


def test_names_are_those_that_a_cell_told_last() -> None:
    known = Known()
    known.tell({"a": "int"})
    known.tell({"b": "str"})
    assert known.names == {"b": "str"}


def test_an_answer_counts_unless_a_cell_told_more_meanwhile() -> None:
    known = Known()
    asked = known.told
    known.answer({"a": "int"}, asked)
    assert known.names == {"a": "int"}
    known.tell({"b": "str"})
    known.answer({"a": "int"}, asked)
    assert known.names == {"b": "str"}


def test_whether_its_names_were_told_is_known() -> None:
    known, copy = Known(), Known()
    copy.begin_as(known)
    assert (known.is_told, copy.is_told) == (False, False)
    known.answer({}, known.told)
    copy.begin_as(known)
    assert (known.is_told, copy.is_told) == (True, True)
    known.take_back("c1", "")
    assert (known.names, known.is_told) == ({}, False), "nobody asked the copy yet"
    known.answer({"a": "int"}, known.told - 1)
    assert not known.is_told, "that was asked of the interpreter that was"
    known.forget()
    assert known.is_told, "it is empty"


def test_only_the_newest_code_is_remembered() -> None:
    known = Known()
    for number in range(MOST_CELLS + 5):
        known.remember(f"x = {number}")
    known.remember("")
    assert len(known.cells) == MOST_CELLS
    assert known.cells[-1] == f"x = {MOST_CELLS + 4}"
    known.remember("y" * MOST_CODE)
    assert list(known.cells) == ["y" * MOST_CODE]
    known.remember("z" * (MOST_CODE + 1))
    assert not known.cells, "one that is larger than all that is kept is not kept"


def test_what_was_emptied_is_forgotten_and_older_answers_with_it() -> None:
    known = Known()
    asked = known.told
    known.tell({"a": "int"})
    known.remember("a = 1")
    known.forget()
    known.answer({"a": "int"}, asked + 1)
    assert (known.names, list(known.cells)) == ({}, [])
    known.remember("b = 2")
    assert list(known.cells) == ["b = 2"]
