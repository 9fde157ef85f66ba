"""The verbs of taking back, trying and forking have what their neighbours have."""

from hearth.clients.cli.undo_words import UNDO_VERBS


def test_each_names_its_session_as_the_others_do_and_speaks_json() -> None:
    assert [verb.name for verb in UNDO_VERBS] == [
        "undo",
        "redo",
        "try",
        "keep",
        "fork",
        "tree",
        "compare",
    ]
    for verb in UNDO_VERBS:
        assert verb.takes[0] == "[SESSION]"
        assert {"session", "proj", "json"} <= {flag.name for flag in verb.flags}
        assert verb.room
