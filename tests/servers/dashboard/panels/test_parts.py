"""The pieces of panels: whatever is put in, they stay what they are."""

from datetime import UTC, datetime

from tests.servers.dashboard.panels.looking_at import HOSTILE, tame

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.panels import parts
from hearth.servers.dashboard.panels.parts import Column

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def test_a_table_says_what_it_is_and_which_column_is_which() -> None:
    columns = (Column("Name", "name", "ascending"), Column("Size", "num"))
    read = tame(parts.rows_of("Variables", columns, [("x", 1), (HOSTILE[:200], "2")]))
    assert read.all("caption")[0].text == "Variables"
    assert [one.attributes.get("scope") for one in read.all("th")] == ["col", "col"]
    assert [one.attributes.get("aria-sort") for one in read.all("th")] == ["ascending", None]
    assert read.all("td", class_="p-num")[0].text == "1"


def test_a_choice_sends_the_panel_and_what_was_chosen() -> None:
    read = tame(parts.choice("Older", "events", {"before": "51", "filter": ""}, is_on=True))
    pressed = read.button("Older")
    assert pressed.attributes["data-post"] == "/dashboard/panel"
    assert pressed.fields == {"panel": "events", "before": "51"}
    assert pressed.attributes["aria-pressed"] == "true"
    assert "aria-pressed" not in tame(parts.choice("Older", "events")).button("Older").attributes


def test_a_filter_keeps_what_else_was_chosen_and_can_be_cleared() -> None:
    read = tame(parts.filtering("variables", "Filter", 'x"y', {"sort": "-size"}))
    assert read.all("input")[0].attributes["value"] == 'x"y'
    label = read.all("label")[0].attributes["for"]
    assert read.all("input", id_=label)
    sent = read.all("form")[0]
    assert sent.fields == {"panel": "variables", "sort": "-size"}
    assert "data-on:submit" in sent.attributes
    assert read.button("Clear").fields == {"panel": "variables", "sort": "-size"}
    assert "Clear" not in tame(parts.filtering("variables", "Filter", "")).buttons()


def test_what_is_left_out_is_counted_and_nothing_is_said_of_nothing() -> None:
    assert tame(parts.left_out(200, 1234, "row")).text == "1,034 more rows not shown"
    assert parts.left_out(3, 3, "row") == ""


def test_a_link_leads_to_the_session_whatever_it_is_called() -> None:
    read = tame(parts.link(SessionId('a/b "c'), HOSTILE))
    assert read.all("a")[0].attributes["href"] == "/dashboard/s/a%2Fb%20%22c"
    assert tame(parts.link(SessionId("s1"), "")).text == "s1"


def test_a_name_breaks_where_its_parts_meet_and_loses_nothing() -> None:
    read = tame(parts.breakable("anthropic:claude-4_5.py"))
    assert read.text == "anthropic:claude-4_5.py"
    assert len(read.all("wbr")) == 4
    assert parts.breakable("") == ""


def test_hostile_words_are_words_everywhere() -> None:
    for made in (
        parts.part(HOSTILE[:500], HOSTILE[:500], note=HOSTILE[:500]),
        parts.nothing(HOSTILE[:500]),
        parts.hint(HOSTILE[:500]),
        parts.trouble(HOSTILE, HOSTILE),
        parts.warning(HOSTILE),
        parts.badge(HOSTILE),
        parts.author(Origin(Actor.AGENT, HOSTILE)),
        parts.facts([(HOSTILE[:500], HOSTILE[:500])]),
        parts.breakable(HOSTILE[:500]),
        parts.filtering("events", "Filter", HOSTILE[:200]),
    ):
        assert "<script>" in tame(made).text or "script" in made
        assert len(made) < 10_000


def test_a_moment_has_both_forms() -> None:
    read = tame(parts.when(NOW, NOW))
    assert read.all("time")[0].attributes["datetime"] == NOW.isoformat()
    assert read.text == "just now"
    assert tame(parts.when(NOW, NOW, is_clock=True)).text != "just now"
