from hearth.performers.interpreter.inside.problems import Problem, problem_of


def raised(code: str, file: str = "/own/a.py") -> BaseException:
    try:
        exec(compile(code, file, "exec"), {})  # noqa: S102 - what is raised is wanted
    except BaseException as error:  # noqa: BLE001 - and it may be anything
        return error
    raise AssertionError(code)


def test_the_innermost_line_of_an_own_file_is_told() -> None:
    inner = "import json\ndef f():\n    json.loads('{')\n\nf()"
    problem = problem_of(raised(inner), "/own/a.py".__eq__)
    assert (problem.name, problem.file, problem.line) == ("JSONDecodeError", "/own/a.py", 3)
    assert problem.told().startswith("/own/a.py:3: JSONDecodeError: Expecting property name")


def test_an_error_from_nowhere_has_no_place() -> None:
    problem = problem_of(ValueError("no"), lambda _: True)
    assert problem == Problem("ValueError", "no")
    assert problem.told() == "ValueError: no"


def test_a_syntax_error_is_where_it_says() -> None:
    problem = problem_of(raised("\nx ="), lambda _: False)
    assert problem.told() == "/own/a.py:2: SyntaxError: invalid syntax"


def test_an_error_without_a_message_is_its_name() -> None:
    assert problem_of(KeyboardInterrupt(), lambda _: False).told() == "KeyboardInterrupt"


def test_an_error_that_cannot_say_what_it_is_is_no_error_here() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert problem_of(Mute(), lambda _: False).message == "(it cannot say what)"
