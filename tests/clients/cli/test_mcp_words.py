from hearth.clients.cli.mcp_words import ACTIONS, MCP_VERB
from hearth.clients.cli.parsing import parse
from hearth.offline.mcp import ACTIONS as DONE


def test_every_word_behind_it_is_one_that_is_carried_out() -> None:
    assert set(ACTIONS) == set(DONE)
    assert MCP_VERB.choices == ACTIONS


def test_every_flag_of_its_words_is_told() -> None:
    told = {f"--{flag.name}" for flag in MCP_VERB.flags}
    told |= {f"-{flag.short}" for flag in MCP_VERB.flags if flag.short}
    flags = {
        one
        for action in DONE.values()
        for one in (*action.flags, *action.may, *action.needs, *action.many)
    }
    assert flags <= told


def test_alone_it_is_understood_with_its_flags() -> None:
    asked = parse(["mcp", "--proj", "/shop", "--token-file", "t", "--no-start"])
    assert asked.verb is MCP_VERB
    assert not asked.words
    assert asked.text("token-file") == "t"
