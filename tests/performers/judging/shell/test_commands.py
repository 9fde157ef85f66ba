import pytest

from hearth.performers.judging.shell.commands import Commands
from hearth.performers.judging.shell.syntax import Sequence, Unread


class _Simply(Commands):
    def inside(self, end: str) -> Sequence:
        raise AssertionError(f"no commands end with {end} here")


def test_a_command_ends_where_a_sign_stands() -> None:
    commands = _Simply("a=1 ls -l 2>&1 | wc")
    command = commands.simple()

    assert [word.raw for word in command.words] == ["ls", "-l"]
    assert [one.name for one in command.assignments] == ["a"]
    assert [one.word.raw for one in command.redirections] == ["1"]
    assert commands.names == {(4, 6)}
    assert commands.scanner.sign() == "|"


def test_a_here_document_is_gone_over_with_its_line() -> None:
    commands = _Simply("cat <<'E'\n$(ls)\nE\npwd")
    commands.simple()
    commands.skip_lines()

    assert commands.peek() == "pwd"
    assert commands.ends == {16}
    commands.no_documents()


def test_one_that_does_not_end_is_not_read() -> None:
    commands = _Simply("cat <<E")
    commands.simple()

    with pytest.raises(Unread):
        commands.no_documents()
