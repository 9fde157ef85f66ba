"""What tools need of the world around."""

from hearth.servers.mcp.outside import ArchiveTrouble


def test_trouble_says_what_and_what_would_help() -> None:
    wrong = ArchiveTrouble("bad_archive", "line 1: it is empty", "export again")
    assert (wrong.kind, wrong.what, wrong.hint) == ("bad_archive", str(wrong), "export again")
