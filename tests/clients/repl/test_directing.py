"""Every command about the agent does what it says, in the session and nowhere else."""

from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS, Part
from tests.clients.repl.talking import Room, room, said, without_store

from hearth.clients.repl.acting import act
from hearth.clients.repl.directing import DIRECTED
from hearth.core.views.conversation import Conversation
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.refusals import Refused


async def blocks(here: Room) -> dict[str, str]:
    """The texts of the conversation as it is now, by their blocks."""
    viewed = await here.host.view("conversation", here.talk.attached.session)
    assert not isinstance(viewed, Refused)
    assert isinstance(viewed.value, Conversation)
    return {row.block: str(getattr(row.content, "text", "")) for row in viewed.value.rows}


async def answered(here: Room, text: str, turn: str) -> None:
    await here.talk.say(f"> {text}")
    await here.screen.until(f"# {turn} done")


@pytest.mark.promise("LK-CLI-08")
async def test_the_model_is_asked_for_and_set(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".model") == "the model is the one of the settings\n"
        await said(here, ".model scripted:loom")
        await here.screen.until("the model is scripted:loom from the next step on")
        await said(here, ".set effort low")
        await here.screen.until("the effort is low")
        assert await said(here, ".model") == "the model is scripted:loom, effort low\n"
        await answered(here, "hi", "t1")
        assert "── scripted:loom ──" in here.screen.shown
        await said(here, ".set model scripted:yarn")
        await here.screen.until("the model is scripted:yarn from")


async def test_what_cannot_be_set_is_said_with_what_can(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".set colour red") == (
            "there is no colour to be set\n  "
            "say .set model, .set effort or .set enabled_mcp_servers\n"
        )
        assert await said(here, ".set effort huge") == (
            "there is no effort huge\n  say one of none, low, medium, high, max\n"
        )


@pytest.mark.promise("LK-SCOPE-06")
async def test_the_servers_of_a_session_are_chosen_and_shown(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        shown = await said(here, ".set")
        assert [line.split()[0] for line in shown.splitlines()] == [
            "model",
            "effort",
            "enabled_mcp_servers",
        ]
        assert shown.count("as the settings say") == 3
        assert "none|low|medium|high|max" in await said(here, ".set effort")
        for typed, servers in (("docs,github", "docs, github"), ("none", "none")):
            await said(here, f".set enabled_mcp_servers {typed}")
            await here.screen.until(f"are {servers} from the next turn on")
            now = await said(here, ".set enabled_mcp_servers")
            assert now.split("  ")[1].strip() == servers
        await said(here, ".set enabled_mcp_servers all")
        await here.screen.until("are those of the settings from the next turn on")
        assert "as the settings say" in await said(here, ".set enabled_mcp_servers")
        assert "servers" in await said(here, f".set enabled_mcp_servers {'x' * 41}")


@pytest.mark.promise("LK-CMD-04")
async def test_regenerating_and_continuing_only_add_to_the_log(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        await answered(here, "hi", "t1")
        session = here.talk.attached.session
        rows = [row.data for row in await here.host.engine.rows(session, 0, 1000)]
        before = await blocks(here)
        assert "First." in before.values()
        await said(here, ".regenerate")
        await here.screen.until("# t2 done")
        after = await blocks(here)
        assert "Second." in after.values()
        assert "First." not in after.values()
        assert "First." in await said(here, f".show {list(before)[-1]}")
        await said(here, ".continue")
        await here.screen.until("# t3 done")
        assert list(await blocks(here))[: len(after)] == list(after)
        kept = await here.host.engine.rows(session, 0, 1000)
        assert [row.data for row in kept[: len(rows)]] == rows
        assert len(kept) > len(rows)
        assert (await said(here, ".branches")).count(" blocks ") == 2


async def test_a_branch_is_gone_back_to(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        await answered(here, "hi", "t1")
        first = list(await blocks(here))[-1]
        await said(here, ".regenerate")
        await here.screen.until("# t2 done")
        assert "First." not in (await blocks(here)).values()
        await said(here, f".switch {first}")
        await here.screen.until(f"{first} is where the conversation goes on from")
        assert "First." in (await blocks(here)).values()
        assert "there is no block b99999" in await said(here, ".switch b99999")


async def test_a_message_is_edited_as_a_branch(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".edit x y") == (
            "x is no block\n  blocks are called b1, b2 …: .conversation and .branches name them\n"
        )
        assert "needs to know more" in await said(here, ".edit b4")
        await answered(here, "hi", "t1")
        asked = next(iter(await blocks(here)))
        await said(here, f".edit {asked} hello  you")
        await here.screen.until(f"stands in the place of {asked}; .regenerate has it answered")
        assert list((await blocks(here)).values()) == ["hello  you"]
        await said(here, ".regenerate")
        await here.screen.until("# t2 done")
        assert next(iter((await blocks(here)).values())) == "hello  you"


async def test_what_waits_is_listed_and_taken_back(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        assert await said(here, ".queue") == "nothing waits for the agent\n"
        await here.talk.say("> begin")
        await here.screen.until("Weaving is old.")
        await here.talk.say("> one more")
        await here.talk.say("> and another")
        await here.screen.until("m2 queued")
        listed = await said(here, ".queue")
        assert "m1  ann (repl)  just now  one more" in listed
        assert "m2" in listed
        await said(here, ".unqueue m1")
        await here.screen.until("m1 was taken back")
        await said(here, ".cancel m2")
        await here.screen.until("m2 was taken back")
        assert await said(here, ".unqueue m1") != ""
        here.agent.go_on()
        shown = await here.screen.until("# t1 done")
        assert "delivered" not in shown


async def test_cancel_stops_the_agent_and_its_cell(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["hanging"] * 2) as here:
        await here.talk.say("> hang")
        await here.screen.until("begun")
        await said(here, ".cancel")
        shown = await here.screen.until("c1 was cancelled")
        assert "# t1 cancelled" in shown
        assert "cancelled\n" in shown
        await here.talk.say("> hang")
        await here.screen.until("── c2 ")
        await said(here, ".cancel t2")
        await here.screen.until("# t2 cancelled")


async def test_an_agent_that_goes_round_in_circles_is_let_or_not(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["loop"]) as here:
        assert await said(here, ".approve") == (
            "the agent does not ask for anything\n  .permissions says what was decided\n"
        )
        await here.talk.say("> look")
        await here.screen.until("a1 · scripted:weaver waits for you")
        assert "waits" in await said(here, ".info")
        await said(here, ".approve")
        shown = await here.screen.until("Enough.")
        assert shown.count("▸ look") == 3


async def test_an_agent_is_told_why_not(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["loop"]) as here:
        await here.talk.say("> look")
        await here.screen.until("a1 · scripted:weaver waits for you")
        await said(here, ".reject look elsewhere")
        shown = await here.screen.until("Enough.")
        assert "Not run: the person said no. They say: look elsewhere" in shown


@pytest.mark.promise("DL-CLI-06")
async def test_the_conversation_is_shown_again_from_the_session_alone(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["twice"]) as here:
        assert await said(here, ".conversation") == "nothing was said yet\n"
        await answered(here, "hi", "t1")
        await answered(here, "and?", "t2")
        told = await said(here, ".conversation")
        for part in ("to the agent ──\nhi\n", "First.", "to the agent ──\nand?\n", "Second."):
            assert part in told
        assert "First." not in await said(here, ".conversation 2")
        assert "no number of blocks" in await said(here, ".conversation some")
        assert await here.talk.attach(here.talk.attached.session) is None
        assert await said(here, ".conversation") == told


async def test_info_and_usage_tell_what_was_used(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await said(here, ".usage") == "nothing was asked yet\n"
        await answered(here, "hi", "t1")
        assert "t1    1         1.0k  90%     31" in await said(here, ".usage")
        info = await said(here, ".info")
        assert "session   loom · session-000001 · /loom" in info
        assert "1.0k tokens in, 90% of them cached" in info


async def test_a_session_is_forked_begun_and_gone_to(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        await answered(here, "hi", "t1")
        assert "is no block" in await said(here, ".fork x")
        forked = await said(here, ".fork")
        assert here.talk.attached.session != first
        assert f"a live copy of this session; .switch {first} goes back" in forked
        assert "hi" in (await blocks(here)).values()
        await said(here, ".session new weaver")
        assert here.talk.attached.now.name == "weaver"
        assert "this is session-" in await said(here, ".session")
        await said(here, f".session {first}")
        assert here.talk.attached.session == first
        assert await said(here, f".session {first}") == "you are there already\n"
        assert "there is no session" in await said(here, ".session nowhere")


async def test_what_is_not_there_yet_is_said_with_what_is(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        for command in (".role x", ".agent x", ".rag", ".exit agent"):
            assert "is not there yet\n  " in await said(here, command)


async def test_a_conversation_is_made_shorter(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await answered(here, "hi", "t1")
        before = await blocks(here)
        await said(here, ".compress the loom")
        shown = await here.screen.until("# t2 done")
        rows = await here.host.engine.rows(here.talk.attached.session, 0, 1000)
        events = [envelope(row).event for row in rows]
        (started,) = [one for one in events if isinstance(one, e.CompactionStarted)]
        (compacted,) = [one for one in events if isinstance(one, e.ConversationCompacted)]
        assert (started.focus, compacted.summary) == ("the loom", "what was said")
        where = f".show {compacted.block} shows it"
        told = [
            f"making the conversation shorter: {started.reason}",
            f"a summary stands for what was said before (1.0k tokens); {where}",
        ]
        assert [line for line in shown.splitlines() if line in told] == told
        assert "what was said\n" in await said(here, f".show {compacted.block}")
        assert await blocks(here) == before  # people see all of it still


async def test_a_summary_that_fails_tells_why_once_and_what_helps(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await answered(here, "hi", "t1")
        here.agent.no_summary = "the key is not valid"
        await said(here, ".compress")
        await here.screen.until("# t2 failed")
        told = "no summary could be made: the key is not valid (status 401)\n"
        helps = "  .compress tries again; the conversation is as it was\n"
        assert f"{told}{helps}# t2 failed" in here.screen.shown
        assert here.screen.shown.count("the key is not valid") == 1
        again = await said(here, ".conversation")
        assert told in again
        assert ".regenerate" not in here.screen.shown


async def test_a_view_that_is_refused_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        without_store(here, monkeypatch)
        for command in (".conversation", ".queue", ".branches", ".usage", ".tree", ".show b1"):
            assert await said(here, command) == "the disk is full\n", command
        assert "state     ready" in await said(here, ".info")


@pytest.mark.promise("LK-CMD-01")
async def test_each_command_is_a_word_that_every_door_can_send(tmp_path: Path) -> None:
    """What the REPL is told about an agent is submitted as a command, or is a view."""
    async with room(tmp_path, parts=[Part(says="Yes.")] * 9) as here:
        sent: list[str] = []
        submit, view = here.host.submit, here.host.view

        async def submitted(*args: object, **more: object) -> object:
            sent.append(str(type(args[1]).__name__))
            return await submit(*args, **more)  # type: ignore[arg-type] # handed on as it is

        async def looked(*args: object) -> object:
            sent.append(str(args[0]))
            return await view(*args)  # type: ignore[arg-type] # handed on as it is

        here.host.submit, here.host.view = submitted, looked  # type: ignore[method-assign, assignment] # listened to
        needed = {
            "set": "effort low",
            "unqueue": "m1",
            "edit": "b1 x",
            "try": "1+1",
            "keep": "0",
            "compare": "loom",
        }
        words: dict[str, set[str]] = {}
        for verb in DIRECTED:
            sent.clear()
            rest = needed.get(verb, "x" if verb in {"model", "cancel"} else "")
            await act(here.talk, f".{verb} {rest}".rstrip())
            words[verb] = set(sent)
        quiet = {verb for verb, found in words.items() if not found}
        # Nothing is asked, nothing was said, and this is the one.
        assert quiet == {"approve", "reject", "rewind", "session"}
        assert "SetModel" in words["model"]
        assert "ContinueTurn" in words["continue"]
        assert "RegenerateTurn" in words["regenerate"]
        assert "CompactConversation" in words["compress"]
        assert "usage" in words["usage"]
        for verb, word in (
            ("undo", "UndoCells"),
            ("redo", "RedoCells"),
            ("try", "TryVariants"),
            ("keep", "KeepVariant"),
            ("branch", "ForkSession"),
            ("fork", "ForkSession"),
            ("tree", "sessions"),
        ):
            assert word in words[verb], verb


@pytest.mark.promise("LK-CMD-02")
async def test_what_is_set_in_one_session_stays_there(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        await said(here, ".model scripted:loom")
        await here.screen.until("scripted:loom from the next step on")
        second = await here.begin("/yarn")
        await said(here, f".session {second}")
        assert await said(here, ".model") == "the model is the one of the settings\n"
        await said(here, f".session {first}")
        assert await said(here, ".model") == "the model is scripted:loom\n"
