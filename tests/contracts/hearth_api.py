"""What every implementation of `hearth.api.Hearth` must do: the engine, and any remote client.

Subclass HearthContract and give it a fixture `hearth` that plays SCENES.
"""

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import pytest
from tests.contracts.scenes import ANN, BOT

from hearth.api import Accepted, Following, Hearth, Item, Settled, Shown, Viewed, each, settle
from hearth.core.rules.refusing import LONGEST_QUEUE
from hearth.core.views.activity import Activity
from hearth.core.views.diagnostics import Diagnostics
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.views.transcript import CellStanding, Transcript, carry_on
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import DAEMON_STREAM, InputId, SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import (
    DuplicateCommand,
    Malformed,
    NotNow,
    Refused,
    SessionExists,
    TooLarge,
    UnknownSession,
    UnknownView,
)
from hearth.core.vocabulary.undoing import UndoFor

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")
PATIENCE = 20.0


async def begin(hearth: Hearth, session: SessionId = S, name: str = "") -> Settled:
    """A session that is ready."""
    done = await ran(hearth, c.CreateSession(c.SessionConfig(name=name)), session)
    assert isinstance(done.outcome.event, e.SessionReady)
    return done


async def ran(hearth: Hearth, command: c.Command, session: SessionId = S) -> Settled:
    """The outcome of a command that must be accepted."""
    async with asyncio.timeout(PATIENCE):
        done = await settle(hearth, session, command, ANN)
    assert isinstance(done, Settled), done
    return done


async def accepted(hearth: Hearth, command: c.Command, session: SessionId = S) -> Accepted:
    answer = await hearth.submit(session, command, ANN)
    assert isinstance(answer, Accepted), answer
    return answer


async def status_of(hearth: Hearth, session: SessionId = S) -> Status:
    viewed = await hearth.view("status", session)
    assert isinstance(viewed, Viewed), viewed
    assert isinstance(viewed.value, Status)
    return viewed.value


_left_over: WeakKeyDictionary[Following, list[Item]] = WeakKeyDictionary()
"""What a stream gave beyond what a test waited for; the next wait begins with it."""


async def until(following: Following, wanted: type[e.Event], times: int = 1) -> list[Item]:
    """All items up to and with the event of this type that comes so often."""
    seen: list[Item] = []
    async with asyncio.timeout(PATIENCE):
        while items := _left_over.pop(following, None) or await following.batch():
            for place, item in enumerate(items, start=1):
                seen.append(item)
                times -= isinstance(item, Stored) and isinstance(envelope(item).event, wanted)
                if not times:
                    _left_over[following] = list(items[place:])
                    return seen
    raise AssertionError(f"the stream ended without {wanted.__name__}")


def types_of(items: Sequence[Item]) -> list[str]:
    """The events among the items, by name."""
    rows = [item for item in items if isinstance(item, Stored)]
    return [type(envelope(row).event).__name__ for row in rows]


class HearthContract:
    """The suite."""

    @pytest.mark.promise("SF-STATE-01", "SF-STATE-02", "SF-LOG-02", "SF-LOG-03")
    async def test_a_life_is_told_by_the_log(self, hearth: Hearth) -> None:
        following = hearth.follow(S, after=0)
        await begin(hearth)
        await ran(hearth, c.RunCell("1+1"))
        await ran(hearth, c.StopSession())
        seen = types_of(await until(following, e.SessionStopped))
        assert seen == [
            "SessionStarted",
            "SessionWarmUpStarted",
            "StateTransitioned",
            "SessionWarmUpCompleted",
            "SessionReady",
            "StateTransitioned",
            "CellStarted",
            "StateTransitioned",
            "CellFinished",
            "StateTransitioned",
            "SessionStopped",
        ]
        following.close()

    @pytest.mark.promise("SF-LOG-06", "SF-LOG-07")
    async def test_a_consequence_repeats_its_cause_and_its_author(self, hearth: Hearth) -> None:
        await begin(hearth)
        done = await settle(hearth, S, c.RunCell("1+1"), BOT, input_id=InputId("mine"))
        assert isinstance(done, Settled)
        assert done.accepted.id == "mine"
        assert done.accepted.seq == done.envelopes[0].seq > 0
        assert {each_.cause for each_ in done.envelopes} == {"mine"}
        assert {each_.origin for each_ in done.envelopes} == {BOT}
        assert isinstance(done.outcome.event, e.CellFinished)
        assert done.outcome.event == e.CellFinished(
            done.outcome.event.cell,
            0.0,
            "2",
            "int",
            kept=Copies((done.outcome.event.cell,)),  # an agent's cell can be taken back
        )

    @pytest.mark.promise("SF-STATE-06", "SF-PROJ-01")
    async def test_an_error_in_the_code_ends_the_cell_and_nothing_else(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        failed = await ran(hearth, c.RunCell("1/0"))
        assert isinstance(failed.outcome.event, e.CellFailed)
        assert failed.outcome.event.failure == CodeRaised("ZeroDivisionError", "division by zero")
        status = await status_of(hearth)
        assert (status.state, status.evals, status.errors) == (PhaseName.READY, 0, 1)
        assert isinstance((await ran(hearth, c.RunCell("1+1"))).outcome.event, e.CellFinished)

    @pytest.mark.promise("SF-AFF-05", "SF-AFF-06", "SF-AFF-04", "SF-STATE-09")
    async def test_a_busy_session_refuses_and_says_what_helps(self, hearth: Hearth) -> None:
        await begin(hearth)
        await accepted(hearth, c.RunCell("hang"))
        before = await status_of(hearth)
        assert before.current is not None
        assert before.current.code == "hang"
        refusal = await hearth.submit(S, c.RunCell("1+1"), ANN)
        assert isinstance(refusal, NotNow)
        assert refusal.state is PhaseName.EVALUATING
        assert refusal.available[0] is Affordance.CANCEL_EVAL
        assert Affordance.CANCEL_EVAL in refusal.remedy
        following = hearth.follow(S, after=0)
        await accepted(hearth, c.CancelCell())
        assert types_of(await until(following, e.CellCancelled)).count("CellStarted") == 1
        assert (await status_of(hearth)).current is None
        following.close()

    @pytest.mark.promise("SF-EVAL-01")
    async def test_cells_that_may_wait_run_in_the_order_they_came(self, hearth: Hearth) -> None:
        await begin(hearth)
        following = hearth.follow(S)
        asked = [c.RunCell("1+1", if_busy="queue") for _ in range(10)]
        done = await asyncio.gather(*(ran(hearth, command) for command in asked))
        started = []
        async with asyncio.timeout(PATIENCE):
            async for item in each(following):
                event = envelope(item).event if isinstance(item, Stored) else None
                if isinstance(event, e.CellStarted):
                    started.append(event.cell)
                    if len(started) == len(asked):
                        break
        cells = [d.outcome.event.cell for d in done if isinstance(d.outcome.event, e.CellFinished)]
        assert started == sorted(cells, key=lambda cell: int(cell[1:]))
        assert len(set(cells)) == len(asked)
        following.close()

    async def test_a_waiting_cell_can_be_withdrawn_and_the_queue_is_bounded(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        await accepted(hearth, c.RunCell("hang"))
        for _ in range(LONGEST_QUEUE):
            await accepted(hearth, c.RunCell("1+1", if_busy="queue"))
        assert isinstance(await hearth.submit(S, c.RunCell("1", if_busy="queue"), ANN), NotNow)
        withdrawn = await ran(hearth, c.CancelCell((await status_of(hearth)).current.cell))  # type: ignore[union-attr] # it hangs
        assert isinstance(withdrawn.outcome.event, e.CellCancelRequested)

    @pytest.mark.promise("SF-STATE-04")
    async def test_a_hard_reset_frees_a_stuck_session(self, hearth: Hearth) -> None:
        await begin(hearth)
        await accepted(hearth, c.RunCell("hang"))
        done = await ran(hearth, c.HardResetSession())
        assert isinstance(done.outcome.event, e.SessionReady)
        assert done.accepted.warning
        assert isinstance((await ran(hearth, c.RunCell("1+1"))).outcome.event, e.CellFinished)

    async def test_checks_and_completions_are_answered_while_a_cell_runs(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        await accepted(hearth, c.RunCell("hang"))
        checked = (await ran(hearth, c.CheckCode("undefined", "a.py"))).outcome.event
        assert isinstance(checked, e.DiagnosticsChecked)
        assert (checked.key, len(checked.diagnostics)) == ("a.py", 1)
        completed = (await ran(hearth, c.CompleteCode("xs.ap", 5))).outcome.event
        assert isinstance(completed, e.CompletionsReturned)
        assert [item.label for item in completed.items] == ["append"]
        viewed = await hearth.view("diagnostics", S)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Diagnostics)
        assert list(viewed.value.by_key) == ["a.py"]

    async def test_a_script_tells_how_many_statements_ran(self, hearth: Hearth) -> None:
        await begin(hearth)
        done = await ran(hearth, c.LoadScript("script.py"))
        loaded = [
            each_.event for each_ in done.envelopes if isinstance(each_.event, e.ScriptLoaded)
        ]
        assert loaded == [e.ScriptLoaded("script.py", 3)]

    # -- bad input -------------------------------------------------------------------------------

    async def test_an_unknown_session_is_refused_by_name(self, hearth: Hearth) -> None:
        for command in (c.RunCell("1"), c.StopSession(), c.RenameSession("x")):
            refusal = await hearth.submit(S, command, ANN)
            assert isinstance(refusal, UnknownSession)
            assert (refusal.session, bool(refusal.remedy)) == (S, True)
        assert isinstance(await hearth.view("status", S), UnknownSession)
        viewed = await hearth.view("sessions")
        assert isinstance(viewed, Viewed)
        assert viewed.value == Sessions()

    async def test_the_same_id_is_accepted_once(self, hearth: Hearth) -> None:
        await begin(hearth)
        mine = InputId("retry-1")
        answers = await asyncio.gather(
            *(hearth.submit(S, c.RenameSession(f"n{i}"), ANN, input_id=mine) for i in range(5))
        )
        taken = [answer for answer in answers if isinstance(answer, Accepted)]
        assert len(taken) == 1
        for answer in answers:
            if answer is not taken[0]:
                assert isinstance(answer, DuplicateCommand), answer
                assert answer.seq == taken[0].seq
        again = await hearth.submit(S, c.RenameSession("later"), ANN, input_id=mine)
        assert isinstance(again, DuplicateCommand)
        assert (await status_of(hearth)).name == f"n{answers.index(taken[0])}"

    @pytest.mark.parametrize("bad", ["", "a.b", "x" * 65, "new\nline", "ü"])
    async def test_an_id_must_be_usable(self, hearth: Hearth, bad: str) -> None:
        await begin(hearth)
        refusal = await hearth.submit(S, c.RenameSession("x"), ANN, input_id=InputId(bad))
        assert isinstance(refusal, Malformed)
        assert refusal.path == "$.id"

    async def test_ten_megabytes_are_refused_and_five_are_kept_as_a_blob(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        refusal = await hearth.submit(S, c.RunCell("#" * 10_000_000), ANN)
        assert isinstance(refusal, TooLarge)
        assert (refusal.size, refusal.limit) == (10_000_000, 8 * 1024 * 1024)
        done = await ran(hearth, c.RunCell("#" * 5_000_000))
        started = done.envelopes[0].event
        assert isinstance(started, e.CellStarted)
        assert isinstance(started.code, Blob)
        assert (started.code.size, started.code.head) == (5_000_000, "#" * 500)

    async def test_large_output_and_odd_text_are_kept(self, hearth: Hearth) -> None:
        await begin(hearth)
        big = (await ran(hearth, c.RunCell("big"))).outcome.event
        assert isinstance(big, e.CellFinished)
        assert isinstance(big.value, Blob)
        assert big.value.size == 100_000
        odd = (await ran(hearth, c.RunCell("odd"))).outcome.event
        assert isinstance(odd, e.CellFinished)
        assert odd.value == "half a pair: ?"

    async def test_a_session_is_created_once_and_a_view_must_exist(self, hearth: Hearth) -> None:
        await begin(hearth)
        assert isinstance(await hearth.submit(S, c.CreateSession(), ANN), SessionExists)
        for name, session in [("status", None), ("sessions", S), ("nonsense", S), ("", None)]:
            refusal = await hearth.view(name, session)
            assert isinstance(refusal, UnknownView)
            assert refusal.remedy

    @pytest.mark.promise("SF-LOG-05", "SF-ISO-05")
    async def test_the_daemon_remembers_the_session_to_begin_with(self, hearth: Hearth) -> None:
        unknown = await hearth.submit(DAEMON_STREAM, c.SwitchSession(S), ANN)
        assert isinstance(unknown, UnknownSession)
        await begin(hearth)
        switched = await ran(hearth, c.SwitchSession(S), DAEMON_STREAM)
        assert switched.outcome.event == e.SessionSwitched(S)
        assert isinstance(await hearth.submit(DAEMON_STREAM, c.RunCell("1"), ANN), NotNow)
        assert isinstance(await hearth.submit(S, c.SwitchSession(S), ANN), NotNow)

    # -- views and streams -------------------------------------------------------------------------

    async def test_a_view_and_its_stream_join_without_a_gap(self, hearth: Hearth) -> None:
        await begin(hearth)
        writing = asyncio.create_task(_write(hearth, 40))
        viewed = await hearth.view("transcript", S)
        assert isinstance(viewed, Viewed)
        live = viewed.value
        assert isinstance(live, Transcript)
        following = hearth.follow(S, after=viewed.seq)
        await writing
        await accepted(hearth, c.RenameSession("the end"))
        for item in await until(following, e.SessionRenamed):
            if isinstance(item, Stored):
                live = carry_on(live, envelope(item))
        loaded = await hearth.view("transcript", S)
        assert isinstance(loaded, Viewed)
        assert live == loaded.value
        assert sum(entry.standing is CellStanding.FINISHED for entry in live.entries) == 40
        following.close()

    @pytest.mark.promise("SF-LOG-08", "SF-LOG-01")
    async def test_every_follower_gets_every_row_once_in_order(self, hearth: Hearth) -> None:
        await begin(hearth)
        await begin(hearth, T)
        early, all_of_it = hearth.follow(S, after=0), hearth.follow(after=0)
        await asyncio.gather(_write(hearth, 150, S), _write(hearth, 150, T))
        late = hearth.follow(S, after=0)
        await accepted(hearth, c.RenameSession("the end"), T)
        await accepted(hearth, c.RenameSession("the end"), S)
        rows = [
            [item for item in await until(stream, e.SessionRenamed) if isinstance(item, Stored)]
            for stream in (early, late)
        ]
        assert rows[0] == rows[1]
        assert [row.version for row in rows[0]] == list(range(1, len(rows[0]) + 1))
        assert {row.session for row in rows[0]} == {S}
        seen = await until(all_of_it, e.SessionRenamed)
        seqs = [item.seq for item in seen if isinstance(item, Stored)]
        assert seqs == sorted(set(seqs))
        assert seqs == list(range(1, len(seqs) + 1))
        for stream in (early, late, all_of_it):
            stream.close()

    async def test_output_is_shown_while_it_is_written_and_whole_at_the_end(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        following = hearth.follow(S)
        done = await ran(hearth, c.RunCell("print"))
        items = await until(following, e.CellFinished)
        shown = [item.progress for item in items if isinstance(item, Shown)]
        assert isinstance(done.outcome.event, e.CellFinished)
        cell = done.outcome.event.cell
        assert OutputChunk(cell, "stdout", "one\ntwo\n") in shown or [
            OutputChunk(cell, "stdout", "one\n"),
            OutputChunk(cell, "stdout", "two\n"),
        ] == [p for p in shown if isinstance(p, OutputChunk) and p.stream == "stdout"]
        assert isinstance(items[-1], Stored)
        following.close()

    async def test_a_stream_from_now_has_no_past_and_ends_when_closed(self, hearth: Hearth) -> None:
        await begin(hearth)
        following = hearth.follow(S)
        await accepted(hearth, c.RenameSession("new"))
        assert types_of(await until(following, e.SessionRenamed)) == ["SessionRenamed"]
        waiting = asyncio.create_task(_batch(following))
        await asyncio.sleep(0)
        following.close()
        assert await asyncio.wait_for(waiting, PATIENCE) == []

    @pytest.mark.promise("SF-PROJ-03")
    async def test_all_sessions_and_all_authors_are_listed(self, hearth: Hearth) -> None:
        await begin(hearth, S, "one")
        await begin(hearth, T, "two")
        await settle(hearth, T, c.RunCell("1+1"), BOT)
        await settle(hearth, S, c.RunCell("1/0"), BOT)
        listed = await hearth.view("sessions")
        assert isinstance(listed, Viewed)
        assert isinstance(listed.value, Sessions)
        assert [(row.name, row.state) for row in listed.value.rows] == [
            ("one", PhaseName.READY),
            ("two", PhaseName.READY),
        ]
        counted = await hearth.view("activity")
        assert isinstance(counted, Viewed)
        assert isinstance(counted.value, Activity)
        bots = [author for author in counted.value.authors if author.author == BOT]
        assert [(bot.evals, bot.errors, set(bot.sessions)) for bot in bots] == [(1, 1, {S, T})]

    async def test_a_refusal_leaves_no_trace(self, hearth: Hearth) -> None:
        await begin(hearth)
        before = await hearth.view("status", S)
        for command in (c.CancelCell(), c.CreateSession(), c.RunCell("#" * 9_000_000)):
            assert isinstance(await hearth.submit(S, command, ANN), Refused)
        assert await hearth.view("status", S) == before

    async def test_cells_are_taken_back_and_brought_back(self, hearth: Hearth) -> None:
        await begin(hearth)
        chosen = await ran(hearth, c.ChooseUndo(UndoFor.EVERYONE))
        assert chosen.outcome.event == e.UndoChosen(UndoFor.EVERYONE)
        await ran(hearth, c.RunCell("x = 1"))
        await ran(hearth, c.RunCell("1+1"))
        before = await status_of(hearth)
        assert before.kept.cells == ("c1", "c2")
        undone = (await ran(hearth, c.UndoCells(2))).outcome.event
        assert isinstance(undone, e.CellsUndone)
        assert (undone.cells, undone.can_redo) == (("c1", "c2"), True)
        now = await status_of(hearth)
        assert (now.state, now.generation) == (PhaseName.READY, before.generation)
        assert Affordance.UNDO_CODE not in now.available
        assert Affordance.REDO_CODE in now.available
        refusal = await hearth.submit(S, c.UndoCells(), ANN)
        assert isinstance(refusal, NotNow)
        assert refusal.remedy
        redone = (await ran(hearth, c.RedoCells())).outcome.event
        assert isinstance(redone, e.CellsRedone)
        assert redone.cells == ("c1", "c2")

    async def test_a_cell_that_fails_is_taken_back_if_that_is_wanted(self, hearth: Hearth) -> None:
        await begin(hearth)
        await ran(hearth, c.ChooseUndo(UndoFor.EVERYONE))
        for command in (c.RunCell("1/0", on_error="undo"), c.RunCell("1/0")):
            ended = (await ran(hearth, command)).outcome.event
            assert isinstance(ended, e.CellFailed)
            assert ended.undone is (command.on_error == "undo")

    async def test_variants_are_tried_and_one_becomes_the_session(self, hearth: Hearth) -> None:
        await begin(hearth)
        ended = (await ran(hearth, c.TryVariants(("1+1", "1/0")))).outcome.event
        assert isinstance(ended, e.TrialEnded)
        assert [one.is_ok for one in ended.results] == [True, False]
        before = await status_of(hearth)
        assert before.trial is not None
        assert before.trial.variants == 2
        kept = await ran(hearth, c.KeepVariant(1))
        assert isinstance(kept.envelopes[0].event, e.VariantKept)
        assert isinstance(kept.outcome.event, e.SessionReady)
        now = await status_of(hearth)
        assert (now.trial, now.generation) == (None, before.generation + 1)
        assert isinstance(await hearth.submit(S, c.KeepVariant(1), ANN), NotNow)

    async def test_what_only_a_person_may_take_back_is_refused_to_an_agent(
        self, hearth: Hearth
    ) -> None:
        await begin(hearth)
        await ran(hearth, c.ChooseUndo(UndoFor.EVERYONE))
        await ran(hearth, c.RunCell("x = 1"))
        before = await hearth.view("status", S)
        for command in (c.UndoCells(), c.ReturnTo(preview=True)):
            assert isinstance(await hearth.submit(S, command, BOT), Refused)
        assert await hearth.view("status", S) == before


async def _write(hearth: Hearth, cells: int, session: SessionId = S) -> None:
    for _ in range(cells):
        await ran(hearth, c.RunCell("1+1"), session)


async def _batch(following: Following) -> list[Item]:
    return list(await following.batch())
