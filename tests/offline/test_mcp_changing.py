import json

import pytest
from tests.offline.mcp_user import User


def test_a_server_that_is_started_is_written_down(user: User) -> None:
    told = user.does(
        *("add", "docs", "--env", "A=b=c", "--env=TOKEN=${T}", "--cwd", "sub", "--idle-timeout"),
        *("60", "--timeout=2.5", "--", "npx", "-y", "@acme/docs", "--json", "--help", "--"),
    )
    assert told == f"docs is added in {user.mine}\n"
    assert user.servers() == {
        "docs": {
            "command": "npx",
            "args": ["-y", "@acme/docs", "--json", "--help", "--"],
            "env": {"A": "b=c", "TOKEN": "${T}"},
            "cwd": str(user.project / "sub"),
            "idleTimeout": 60,
            "timeout": 2.5,
        }
    }
    assert user.mine.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("given", "mine", "theirs"),
    [
        ("tools", "{sub}/tools", "sub/tools"),
        (".", "{sub}", "sub"),
        ("..", "{project}", "."),
        ("/srv", "/srv", "/srv"),
        ("~/x", "~/x", "~/x"),
        ("${ROOT}/x", "${ROOT}/x", "${ROOT}/x"),
    ],
)
def test_where_a_server_works_is_meant_from_where_the_person_stands(
    user: User, monkeypatch: pytest.MonkeyPatch, given: str, mine: str, theirs: str
) -> None:
    sub = user.project / "sub"
    sub.mkdir()
    monkeypatch.chdir(sub)
    user.does("add", "docs", "--cwd", given, "--", "npx")
    user.does("add", "docs", "--project", "--cwd", given, "--", "npx")
    whole = mine.replace("{sub}", str(sub)).replace("{project}", str(user.project))
    assert user.servers()["docs"]["cwd"] == whole
    assert user.servers(user.theirs)["docs"]["cwd"] == theirs


def test_a_command_may_do_without_the_dashes(user: User) -> None:
    user.does("add", "docs", "npx", "server")
    assert user.servers()["docs"] == {"command": "npx", "args": ["server"]}


def test_a_server_that_is_reached_is_written_down(user: User) -> None:
    said = user.says(
        *("add", "hub", "--url", "https://hub.example/mcp", "--header", "X-A: b: c", "--json"),
        *("--header", "Authorization: Bearer abcdefgh12345678"),
    )
    assert said.code == 0
    assert user.servers()["hub"]["headers"]["X-A"] == "b: c"
    assert "Authorization stands in" in said.err
    assert "abcdefgh" not in said.out + said.err
    assert json.loads(said.out)["server"]["headers"]["Authorization"] == "********"


def test_a_reference_to_the_environment_is_no_secret(user: User) -> None:
    said = user.says(
        "add", "a", "--url", "https://a.example", "--header", "Authorization: Bearer ${T}"
    )
    assert (said.code, said.err) == (0, "")


def test_comments_and_all_else_stay_as_they_are(user: User) -> None:
    lines = (
        "{",
        "  // mine",
        '  "model": "m", // said',
        '  "mcpServers": {',
        '    "a": {"command": "x"}, // one',
        '    /* two */ "b": {"command": "y"} // last',
        "  }",
        "}",
        "",
    )
    before = "\n".join(lines)
    user.writes(before)
    user.does("add", "c", "--", "z")
    written = user.mine.read_text()
    for part in ("// mine", '"model": "m", // said', "// one", "/* two */", "// last"):
        assert part in written
    user.does("remove", "c")
    user.does("remove", "b")
    user.does("remove", "a")
    written = user.mine.read_text()
    assert "// mine" in written
    assert '"model": "m", // said' in written
    assert '"command"' not in written
    assert user.says("list").code == 0


def test_one_that_is_there_is_replaced_only_by_force(user: User) -> None:
    user.does("add", "a", "--", "x")
    assert "has a server a already" in user.fails("add", "a", "--", "y")
    assert user.servers()["a"] == {"command": "x"}
    assert "replaced" in user.does("add", "a", "--force", "--", "y")
    assert user.servers()["a"] == {"command": "y"}
    user.writes('{"mcpServers": {"a": false}}')
    user.does("add", "a", "--", "z")


def test_the_projects_own_goes_into_its_file_and_is_to_be_approved(user: User) -> None:
    said = user.says("add", "a", "--project", "--", "x")
    assert said.code == 0
    assert "hearth mcp approve a" in said.err
    assert user.servers(user.theirs) == {"a": {"command": "x"}}
    assert not user.mine.exists()
    assert "yours counts" in user.says("add", "a", "--", "y").err
    user.does("remove", "a", "--project")
    assert user.servers(user.theirs) == {}


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (("a",), "neither a command nor --url"),
        (("a", "--url", "https://a", "--", "x"), "both a command and --url"),
        (("a_b", "--", "x"), "'a_b' is no name"),
        (("a__b", "--", "x"), "is no name"),
        (("x" * 41, "--", "x"), "is no name"),
        (("a", "--url", "ftp://a"), "is no address"),
        (("a", "--url", "https://"), "is no address"),
        (("a", "--env", "A", "--", "x"), "sets nothing"),
        (("a", "--env", "1=2", "--", "x"), "sets nothing"),
        (("a", "--url", "https://a", "--env", "A=1"), "--env is not for a server that is reached"),
        (("a", "--header", "X: y", "--", "x"), "--header is not for a server that is started"),
        (("a", "--url", "https://a", "--header", "X y"), "which is none"),
        (("a", "--timeout", "soon", "--", "x"), "which is no time"),
        (("a", "--idle-timeout", "-1", "--", "x"), "which is no time"),
        (("a", "--idle", "1", "--", "x"), "did you mean '--idle-timeout'?"),
        ((), "NAME is missing"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_written(
    user: User, words: tuple[str, ...], wrong: str
) -> None:
    said = user.says("add", *words)
    assert said.code == 2
    assert wrong in said.err
    assert "hint: " in said.err
    assert not user.mine.exists()


def test_a_file_that_is_broken_is_told_and_left_as_it_is(user: User) -> None:
    user.writes("{ broken")
    assert "hearth.jsonc:1" in user.fails("add", "a", "--", "x")
    assert user.mine.read_text() == "{ broken"


def test_removing_what_is_not_there_tells_where_it_is(user: User) -> None:
    user.does("add", "a", "--project", "--", "x")
    assert "add --project" in user.fails("remove", "a")
    assert "hearth mcp list" in user.fails("remove", "b")
    user.does("add", "c", "--", "x")
    assert "leave out --project" in user.fails("remove", "c", "--project")
