"""What agents ask for is answered at the prompt, as the session takes it."""

import asyncio
from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS, Part
from tests.clients.repl.judged import RULE
from tests.clients.repl.talking import PATIENCE, Room, room, said, without_store

from hearth.clients.repl.host import Question
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import EXECUTE, WRITE, Grant
from hearth.core.vocabulary.prompting import AnswerApproval, ApprovalAnswer

BOB = Origin(Actor.PERSON, "bob", Door.DASHBOARD)
PATTERNS = ("make all", "out")


async def put(here: Room, about: str) -> Question:
    """Wait until this is put to the person."""
    async with asyncio.timeout(PATIENCE):
        while (
            not here.screen.asked or (last := here.screen.asked[-1]) is None or last.about != about
        ):
            await here.screen.news()
    assert last is not None
    return last


async def typed(here: Room, about: str, text: str | None, after: float = 5.0) -> None:
    await put(here, about)
    await here.talk.decide(about, text, after)


@pytest.mark.promise("DL-APPR-01", "DL-APPR-02", "DP-PERM-10")
async def test_what_an_agent_asks_for_is_put_to_the_person_and_run_if_allowed(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        await here.talk.say("> make it")
        question = await put(here, "a1")
        assert question.prompt.startswith("a1: allow it? [y] once")
        shown = here.screen.shown
        assert "a1 · scripted:weaver wants to use run_shell\n  $ make all\n  needs\n" in shown
        assert "    write    out       written by make" in shown
        assert '    execute  "make all"' in shown
        assert "▸ run_shell" not in shown
        await here.talk.decide("a1", "y", 5.0)
        shown = await here.screen.until("Made.")
        assert "a1 allowed once\n" in shown
        assert "▸ run_shell  make all\n  │ looking\n" in shown
        assert here.judge.stored == []


@pytest.mark.promise("DP-PERM-11")
async def test_for_always_the_patterns_are_shown_and_confirmed(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        await here.talk.say("> make it")
        await typed(here, "a1", "a")
        assert (await put(here, "a1")).prompt == "Type yes to store it: "
        assert '  execute  "make all"\n    write    "out"' in here.screen.shown
        await here.talk.decide("a1", "no", 5.0)
        assert here.judge.stored == []
        await typed(here, "a1", "always")
        await here.talk.decide("a1", "yes", 5.0)
        await here.screen.until("Made.")
        [stored] = here.judge.stored
        assert stored.grants == (Grant(EXECUTE, "make all"), Grant(WRITE, "out"))


@pytest.mark.promise("DL-APPR-02")
async def test_several_are_put_one_after_the_other_and_a_no_is_for_all(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["several"]) as here:
        await here.talk.say("> make it")
        await here.screen.until("a2 · ")
        await put(here, "a1")
        assert f"✗ run_shell is not allowed: execute git push ({RULE})" in here.screen.shown
        assert await said(here, ".approve") == (
            "2 things wait for an answer\n  say which: a1, a2; .approvals shows them\n"
        )
        assert "a9 does not wait for an answer" in await said(here, ".approve a9")
        listed = await said(here, ".approvals")
        assert listed.count("wants to use run_shell") == 2
        assert ".approve a1 [session|always] lets it; .reject a1 [TEXT] does not" in listed
        await here.talk.decide("a1", "n use another one", 5.0)
        shown = await here.screen.until("Done.")
        assert "a1 rejected\n" in shown
        assert "a2 rejected, with a1\n" in shown
        assert "They say: use another one" in shown
        # Nobody who has just said no to it is asked for it.
        assert {one.about for one in here.screen.asked if one is not None} == {"a1"}
        assert "Not run, because" not in shown  # it was told with the rule


async def test_what_somebody_else_said_no_to_is_not_put(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["several"]) as here:
        await here.talk.say("> make it")
        await here.screen.until("a2 · ")
        await put(here, "a1")
        answer = AnswerApproval(ApprovalId("a1"), ApprovalAnswer.REJECT)
        await here.host.submit(here.talk.attached.session, answer, BOB)
        shown = await here.screen.until("Done.")
        assert "a2 rejected by bob (dashboard), with a1\n" in shown
        assert here.screen.asked[-1] is None
        assert {one.about for one in here.screen.asked if one is not None} == {"a1"}


async def test_a_no_that_was_not_taken_leaves_the_rest_to_be_asked(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["several"]) as here:
        await here.talk.say("> make it")
        await here.screen.until("a2 · ")
        await put(here, "a1")
        session = here.talk.attached.session
        # Somebody was quicker, and we have not heard of it.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(here.talk.attached.consent, "drop", lambda _: None)
            once = AnswerApproval(ApprovalId("a1"), ApprovalAnswer.ONCE)
            await here.host.submit(session, once, BOB)
            await here.talk.decide("a1", "n", 5.0)
        await typed(here, "a2", "y")
        assert "a2 rejected" not in await here.screen.until("Done.")


async def test_what_somebody_else_answers_goes_away_with_their_name(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        await here.talk.say("> make it")
        await put(here, "a1")
        answer = AnswerApproval(ApprovalId("a1"), ApprovalAnswer.SESSION, patterns=PATTERNS)
        await here.host.submit(here.talk.attached.session, answer, BOB)
        shown = await here.screen.until("Made.")
        assert "a1 allowed for this session by bob (dashboard)" in shown
        assert here.screen.asked[-1] is None
        before = len(here.screen.shown)
        await here.talk.decide("a1", "n", 5.0)  # it was on its way
        assert here.screen.shown[before:] == ""
        told = await said(here, ".permissions")
        assert 'allowed as long as this session lives\n  execute  "make all"' in told
        assert "session  by bob (dashboard)  run_shell: execute make all" in told


async def test_enter_leaves_it_for_later_and_a_command_answers_it(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        await here.talk.say("> make it")
        await typed(here, "a1", "")
        await here.screen.until("a1 waits; .approve a1 or .reject a1 answers it")
        assert "waits for an answer: a1" in await said(here, ".permissions")
        await said(here, ".approve a1 session go on")
        await here.screen.until("Made.")
        assert (await said(here, ".approve a1")).startswith("a1 does not wait for an answer\n")
        assert (await said(here, ".reject")).startswith("the agent does not ask for anything\n")


async def test_at_the_question_commands_can_be_given_and_it_is_put_again(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        await here.talk.say("> make it")
        await typed(here, "a1", ".tasks")
        assert "nothing in particular" in here.screen.shown
        await typed(here, "a1", ".approve always")
        assert (await put(here, "a1")).prompt == "Type yes to store it: "
        await here.talk.decide("a1", "yes", 5.0)
        await here.screen.until("Made.")


async def test_what_can_only_be_allowed_once_is_not_allowed_for_longer(tmp_path: Path) -> None:
    parts = [Part(calls=(("run_shell", '{"command": "make once"}'),)), Part(says="Made.")]
    async with room(tmp_path, parts=parts) as here:
        await here.talk.say("> make it")
        question = await put(here, "a1")
        assert "always" not in question.prompt
        assert await said(here, ".approve a1 always") == (
            "a1 can only be allowed once\n  say .approve a1\n"
        )
        await said(here, ".reject a1 not so")
        assert "They say: not so" in await here.screen.until("Made.")


async def test_without_a_terminal_nobody_confirms_anything(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        here.talk.may_ask = False
        await here.talk.say("> make it")
        await here.screen.until("a1 · ")
        shown = await said(here, ".approve always")
        assert "must be confirmed at a terminal" in shown
        assert f"hearth approve {here.talk.attached.session}/a1 --always" in shown
        assert here.judge.stored == []


async def test_what_waits_elsewhere_is_listed_too_and_what_waits_here_when_one_comes(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        assert await said(here, ".approvals") == "nothing waits for a person\n"
        await here.talk.say("> make it")
        await put(here, "a1")
        first = here.talk.attached.session
        second = await here.begin("/yarn")
        await said(here, f".session {second}")
        shown = await said(here, ".approvals")
        assert "elsewhere" in shown
        assert f"{first}/a1" in shown
        before = len(here.screen.shown)
        await said(here, f".session {first}")
        await here.screen.until("a1 · ")
        async with asyncio.timeout(PATIENCE):
            while "lets it; .reject a1" not in here.screen.shown[before:]:
                await here.screen.news()


async def test_tasks_are_a_checklist(tmp_path: Path) -> None:
    add = '{"op": "add", "title": "look"}'
    parts = [Part(calls=(("tasks", add),)), Part(says="Noted.")]
    async with room(tmp_path, parts=parts) as here:
        await here.talk.say("> plan")
        shown = await here.screen.until("Noted.")
        assert "  [ ] 1. look\n" in shown
        assert await said(here, ".tasks") == "[ ] 1. look\n0 of 1 done\n"


@pytest.mark.parametrize("command", [".approvals", ".permissions", ".tasks"])
async def test_what_cannot_be_told_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    async with room(tmp_path) as here:
        without_store(here, monkeypatch)
        assert "the disk is full" in await said(here, command)
