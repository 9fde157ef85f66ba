import pytest

from hearth.performers.judging.shell.reading import DEEPEST, MOST_COMMANDS, read
from hearth.performers.judging.shell.syntax import Broken, Direction, Simple, Unread


def _first(line: str) -> Simple:
    command = next(read(line).sequence.commands())
    assert isinstance(command, Simple)
    return command


def test_assignments_words_and_redirections_are_told_apart() -> None:
    command = _first("a=1 b='2 3' ls -l x=y < in 2>> out >&2 3<&- <<< text")

    assert [(one.name, one.value.raw) for one in command.assignments] == [
        ("a", "1"),
        ("b", "'2 3'"),
    ]
    assert [word.raw for word in command.words] == ["ls", "-l", "x=y"]
    assert [(one.direction, one.word.raw) for one in command.redirections] == [
        (Direction.READS, "in"),
        (Direction.WRITES, "out"),
        (Direction.JOINS, "2"),
        (Direction.JOINS, "-"),
        (Direction.GIVES, "text"),
    ]


def test_output_may_go_to_a_file_where_a_descriptor_could_stand() -> None:
    assert _first("ls >& file").redirections[0].direction is Direction.WRITES


def test_commands_within_here_documents_are_read_unless_their_end_is_quoted() -> None:
    assert len(read("cat <<E\n$(ls) `pwd` \\$(no)\nE").documented) == 2
    assert read("cat <<'E'\n$(ls)\nE").documented == ()


def test_all_names_of_commands_are_found() -> None:
    line = (
        "if a; then b | c; else (d $(e)); fi; for x in $(f); do { g; }; done; case h in h) i;; esac"
    )

    assert sorted(line[start:end] for start, end in read(line).names) == list("abcdefgi")


def test_reserved_words_are_only_that_where_a_command_begins() -> None:
    assert [word.raw for word in _first("echo if then { } done").words][1:] == [
        "if", "then", "{", "}", "done",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "f() { ls; }", "function f { ls; }", "[[ -f x* ]]", "[[ (-f x) ]]", "[[ x < y ]]",
        "((1))", "a=(b c)", "a[0]=1", "{fd}>x",
        "coproc ls", "select x in a; do ls; done", "for ((;;)); do ls; done", "for x; do ls; done",
        "echo a(b)", "{ls;}", "cat <<$x\n$x", "cat <<E\nx", "`echo \\`ls\\``",
        "$(" * (DEEPEST + 1) + "ls" + ")" * (DEEPEST + 1), "ls;" * (MOST_COMMANDS + 1),
    ],
    ids=lambda line: line[:30],
)  # fmt: skip
def test_what_is_not_known_is_not_read(line: str) -> None:
    with pytest.raises(Unread):
        read(line)


@pytest.mark.parametrize("line", ["(ls", "ls |", "&& ls", "if ls; then x", "ls >", "ls;;"])
def test_what_is_no_line_at_all_is_broken(line: str) -> None:
    with pytest.raises(Broken):
        read(line)


def test_a_condition_is_read_as_one_command_up_to_its_end() -> None:
    found = read('[[ -f x && ! "$y" == z ]] && ls')

    pipelines = found.sequence.items[0].pipelines
    first = pipelines[0].commands[0]
    assert isinstance(first, Simple)
    assert [word.raw for word in first.words] == [
        "[[", "-f", "x", "&&", "!", '"$y"', "==", "z", "]]",
    ]  # fmt: skip
    assert len(pipelines) == 2
