"""Lists are readable, whatever stands in them."""

from datetime import UTC, datetime

from hearth.core.rules.permission import Layer, Rule
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.offline import permission_lines as lines
from hearth.offline.live_permissions import Live
from hearth.performers.tools.explaining import Explained
from hearth.settings.grants import StoredGrant
from hearth.settings.permissions import PermissionSettings


def test_settings_that_change_everything_are_said() -> None:
    settings = PermissionSettings(
        layers=(Layer("/h.jsonc (agents bot)", (Rule("*", "*", Verdict.ASK, "/h.jsonc:3"),)),),
        mode="auto",
        disabled_tools=frozenset({"grep"}),
        enabled_tools=frozenset({"fetch_url"}),
        auto_allow=("/srv",),
    )
    assert lines.rule_lines(settings, "/p") == [
        "/h.jsonc (agents bot)",
        '  *  "*"  ask  line 3',
        "nobody is asked: permissions.mode is auto",
        "tools switched off: grep",
        "tools switched on: fetch_url",
        "counts as inside of /p: /srv",
    ]


def test_where_a_path_really_leads_is_said() -> None:
    need = Need("read", "link", "/etc/shadow", least=Verdict.ASK, why="a link")
    found = Explained(Verdict.ASK, (Judged(need, Verdict.ASK, "built in"),), "", ("a link",))
    assert lines.explained_lines(found) == [
        "asked: a person would have to allow it",
        "",
        "  doubt: a link",
        "",
        "needs",
        "  ask  read  link  a link; is /etc/shadow; built in",
    ]
    inside = Judged(Need("read", "a/b", "/p/a/b"), Verdict.ALLOW, "usual")
    shown = lines.explained_lines(Explained(Verdict.ALLOW, (inside,), "", ()))
    assert shown[-1] == "  allow  read  a/b  no rule says anything"


def test_a_grant_of_no_project_is_one_of_sessions_without() -> None:
    one = StoredGrant("g1", "read", "x", "", datetime(2026, 5, 4, 12, tzinfo=UTC))
    assert lines.granted(one) == 'read "x" in sessions of no project'
    assert "sessions of no project" in lines.grant_lines((one,), "/p")[1]
    assert lines.grants_json((one,))[0]["at"] == "2026-05-04T12:00:00+00:00"


def test_decisions_that_nobody_made_yet_and_odd_ones_are_told() -> None:
    live = Live("session-1", "", (), ())
    assert lines.decision_lines(live) == ["nothing was decided in session-1 yet"]
    assert lines.live_lines(live) == []
    assert lines.live_lines(None) == []
    odd = {"at": "then", "answer": "later", "by": {"actor": "system"}, "because": "a1", "text": "t"}
    assert lines.decision_lines(Live("s", "", (), (odd,))) == [
        "then    later  by system    with a1; said: t"
    ]
