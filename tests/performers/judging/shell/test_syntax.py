from hearth.performers.judging.shell.reading import read
from hearth.performers.judging.shell.syntax import Broken, Compound, Form, Simple, Unread


def test_a_sequence_gives_its_commands_in_their_order() -> None:
    commands = list(read("a | b && c; (d)").sequence.commands())

    assert [one.words[0].raw for one in commands if isinstance(one, Simple)] == ["a", "b", "c"]
    assert isinstance(commands[-1], Compound)
    assert commands[-1].form is Form.SUBSHELL


def test_what_no_shell_reads_is_also_unread() -> None:
    assert issubclass(Broken, Unread)
