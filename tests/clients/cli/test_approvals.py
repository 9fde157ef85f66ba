"""`hearth approvals` shows all that waits, and its exit code says whether anything does."""

import pytest
from tests.clients.cli.conftest import Run
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.turns import OTHER, SESSION
from tests.clients.cli.waiting_rows import waiting, waits


@pytest.mark.promise("DL-APPR-01", "DP-PERM-10")
def test_all_that_waits_is_shown_with_all_that_must_be_known(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"), waits("a2", OTHER, details="$ make", offers=[]))
    done = run("approvals")
    assert done.code == 6
    first, second = done.out.split("\n\n")
    lines = first.split("\n")
    assert lines[0].startswith("a1 · scripted:weaver wants to use run_shell · ")
    assert lines[1:] == [
        f"  in shop ({SESSION}), /work/shop",
        "  $ touch x",
        "  needs",
        "    execute  touch x",
        '    write    x        written by touch, by write "*": ask (/etc/hearth.jsonc:4)',
        "  can be allowed for longer",
        '    execute  "touch *"',
        '    write    "x"',
        f"  → {SESSION}/a1",
    ]
    assert "only once" in second
    assert "hearth approve WHICH" in done.err


def test_where_nothing_waits_it_says_so(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon)
    done = run("approvals")
    assert (done.code, done.out, done.err) == (0, "nothing waits for a person\n", "")
    done = run("approvals", "--json")
    assert (done.code, done.json) == (0, {"approvals": []})


def test_programs_get_all_of_it(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits("a1"), waits("a2", OTHER))
    done = run("approvals", "--json", "--session", OTHER)
    assert done.code == 6
    [row] = done.json["approvals"]
    assert row["which"] == f"{OTHER}/a2"
    assert row["approval"]["offers"][0]["pattern"] == "touch *"


def test_a_long_command_is_folded_unless_all_is_wanted(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits(details="$ cat <<E\n" + "\n".join(map(str, range(99)))))
    assert "--full shows all" in run("approvals").out
    assert "\n  98\n" in run("approvals", "--full").out


def test_programs_do_not_answer_on_a_terminal(run: Run, daemon: FakeDaemon) -> None:
    waiting(daemon, waits())
    assert run("approvals", "--answer-all", "--json").code == 2
    done = run("approvals", "--answer-all")
    assert done.code == 2
    assert "terminal" in done.err
    waiting(daemon)
    assert run("approvals", "--answer-all").code == 0


def test_without_a_daemon_nothing_can_be_told(run: Run) -> None:
    assert run("approvals").code == 3
