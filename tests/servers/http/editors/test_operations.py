"""The table tells of every route of editors, and of no other."""

from hearth.servers.http.editors.operations import OPERATIONS


def test_every_command_can_be_waited_for_and_every_stream_only_looks() -> None:
    assert len({(one.method, one.path) for one in OPERATIONS}) == len(OPERATIONS) == 10
    for one in OPERATIONS:
        if one.method == "POST":
            assert one.takes is not None
            assert set(one.answers) == {200, 202}
            assert "Prefer" in one.headers
            assert one.act == "work"
        else:
            assert one.streams
            assert one.act == "look"
        assert {"session", "directory", "client"} == set(one.query)
        assert not one.open
