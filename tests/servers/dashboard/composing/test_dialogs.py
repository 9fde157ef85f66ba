"""The dialogs that every page has."""

from tests.servers.dashboard.composing.reading import by_id, ids, read

from hearth.servers.dashboard.composing.dialogs import dialogs


def test_each_has_a_name_for_those_who_do_not_see_it() -> None:
    found = [one.attributes for one in read(dialogs()) if one.tag == "dialog"]
    assert {one["id"] for one in found} == {"palette", "keys", "ask", "dialog"}
    for one in found:
        assert one.get("aria-label") or one["aria-labelledby"] in ids(dialogs())
        assert "open" not in one


def test_whatever_names_an_element_names_one_that_is_there() -> None:
    known = ids(dialogs())
    assert len(known) == len(set(known))
    for one in read(dialogs()):
        for name in ("aria-controls", "aria-describedby", "aria-labelledby", "for"):
            assert one.attributes.get(name, known[0]) in known


def test_a_question_has_a_yes_and_a_no_and_no_comes_first() -> None:
    assert by_id(dialogs(), "ask").attributes["role"] == "alertdialog"
    values = [one.attributes["value"] for one in read(dialogs()) if "value" in one.attributes]
    assert values == ["no", "yes"]


def test_all_others_can_be_closed_by_a_button() -> None:
    closed = [one.attributes["data-of"] for one in read(dialogs()) if "data-of" in one.attributes]
    assert closed == ["keys", "dialog"]
