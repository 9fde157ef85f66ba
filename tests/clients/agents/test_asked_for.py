"""An approval is read from a view and from an event alike."""

from tests.clients.agents.asking import GOING_ON, TOUCH

from hearth.clients.agents.asked_for import AskedFor


def test_all_of_an_approval_is_taken_up() -> None:
    asked = AskedFor(TOUCH)
    assert (asked.approval, asked.tool, asked.agent) == ("a1", "run_shell", "scripted:weaver")
    assert asked.details == "$ touch x"
    assert not asked.is_cut
    assert [one.permission for one in asked.needs] == ["execute", "write"]
    assert asked.needs[0].by == ""
    assert "hearth.jsonc:4" in asked.needs[1].by
    assert asked.patterns == ["touch *", "x"]


def test_an_event_does_not_say_who_asked_and_when_and_its_envelope_does() -> None:
    asked = AskedFor(GOING_ON, "bot", "2026-01-02T03:04:05Z")
    assert (asked.agent, asked.at) == ("bot", "2026-01-02T03:04:05Z")
    assert (asked.tool, asked.needs, asked.patterns) == ("", (), [])


def test_what_is_kept_elsewhere_is_known_to_be_cut() -> None:
    asked = AskedFor({**TOUCH, "details": {"sha256": "d", "size": 9, "head": "$ to"}})
    assert asked.is_cut
    assert asked.details == "$ to"


def test_where_a_link_leads_is_told() -> None:
    need = {"permission": "read", "target": "/a/link", "resolved": "/etc/shadow", "why": "read"}
    asked = AskedFor({**TOUCH, "judged": [{"need": need, "verdict": "ask"}]})
    assert asked.needs[0].why == "read, really /etc/shadow"
