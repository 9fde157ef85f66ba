"""What a session is asked for, and how a refusal is told on the command line."""

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon, answer, refusal
from tests.clients.cli.turns import COMMANDS, SESSION, listed, row

from hearth.clients.cli.commanding import helped, outcome, session_named
from hearth.clients.cli.parsing import parse
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.troubles import Trouble


def test_a_session_is_named_or_that_of_the_directory(daemon: FakeDaemon, here: str) -> None:
    listed(daemon, row(here))
    daemon.on("GET /sessions/shop", {"value": row(here), "seq": 7})
    with reach() as wire:
        assert session_named(wire, parse(["tree"])) == SESSION
        assert session_named(wire, parse(["tree", "shop"]), "shop") == SESSION
        assert session_named(wire, parse(["tree", "-s", "shop"])) == SESSION
        for flag in ("--session", "--proj"):
            with pytest.raises(Trouble, match="say two things"):
                session_named(wire, parse(["tree", flag, "."]), "shop")


def test_the_last_event_is_what_comes_of_it(daemon: FakeDaemon) -> None:
    events = [{"event": {"type": "undo_requested"}}, {"event": {"type": "cells_undone"}}]
    daemon.on(COMMANDS, {"envelopes": events})
    with reach() as wire:
        assert outcome(wire, SESSION, {"type": "undo_cells"}) == {"type": "cells_undone"}
        daemon.does(COMMANDS, lambda _: answer({"id": "x"}, 202))
        with pytest.raises(Trouble, match="not done after 600 s") as late:
            outcome(wire, SESSION, {"type": "undo_cells"})
        assert late.value.ending == 5
        remedy = ["fork_session with how=replay rebuilds it", "cancel_eval"]
        daemon.does(COMMANDS, lambda _: refusal("not_now", remedy=remedy))
        with pytest.raises(Trouble) as refused:
            outcome(wire, SESSION, {"type": "undo_cells"})
    assert refused.value.ending == 4
    stops = "Ctrl-C in `hearth connect` stops the cell"
    assert refused.value.hint == f"`hearth fork --how replay` rebuilds it; {stops}"


def test_a_session_that_there_is_not_is_told_with_where_they_are_listed(daemon: FakeDaemon) -> None:
    remedy = ["list_sessions", "create_session"]
    daemon.does("GET /sessions/nosuch", lambda _: refusal("unknown_session", 404, remedy=remedy))
    for words, named in ((["tree", "nosuch"], "nosuch"), (["tree", "-s", "nosuch"], "")):
        with reach() as wire, pytest.raises(Trouble) as unknown:
            session_named(wire, parse(words), named)
        assert (unknown.value.ending, unknown.value.hint) == (4, "`hearth sessions` lists them")


def test_all_that_helps_is_said_as_it_is_typed() -> None:
    more = {"remedy": ["undo_code", "nobody_knows_it", "wait for it"]}
    hint = helped(Trouble("no", hint="try", more=more)).hint
    assert hint == "`hearth undo` takes cells back; wait for it"
    assert helped(Trouble("no", hint="as it was")).hint == "as it was"
    assert helped(Trouble("no", hint="try x", more={"remedy": ["nobody_knows_it"]})).hint == ""
