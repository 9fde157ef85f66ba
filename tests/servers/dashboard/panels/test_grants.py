"""What was allowed for longer than once, and what was decided."""

import dataclasses
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import HOSTILE, NOW, tame
from tests.servers.http.serving import GRANT, Overseen

from hearth.core.views.approvals import Permissions
from hearth.core.views.decisions import Decided
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.permitting import Grant
from hearth.servers.dashboard.panels.grants import (
    ID,
    MOST_DECIDED,
    MOST_GRANTS,
    REVOKE,
    lasting,
    of_session,
)
from hearth.servers.http.agents.oversight import GrantsListed

ANN = Origin(Actor.PERSON, "ann")


def decided(answer: str, **more: object) -> Decided:
    made = Decided(NOW - timedelta(minutes=2), answer, "run_shell: make", ANN)
    return replace(made, **more)


async def test_a_grant_for_always_can_be_revoked_after_a_question() -> None:
    read = tame(await lasting(Overseen(), NOW))
    assert read.all("section", id_=ID)
    assert "make *" in read.text
    assert "in /project" in read.text
    assert "by ann" in read.text
    revoke = read.button("Revoke")
    assert revoke.attributes["data-post"] == REVOKE
    assert revoke.fields == {"grant": "g1"}
    assert "make *" in revoke.attributes["data-confirm"]
    assert "make *" in revoke.attributes["aria-label"]


async def test_no_grants_and_no_readable_file_of_them_are_said() -> None:
    read = tame(await lasting(Overseen(held=[]), NOW))
    assert "Nothing." in read.text
    assert read.buttons() == []

    @dataclasses.dataclass
    class Broken(Overseen):
        async def grants(self) -> GrantsListed:
            raise OSError("no such disk")

    assert "no such disk" in tame(await lasting(Broken(), NOW)).text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("once", "allowed once"),
        ("session", "allowed for the session"),
        ("always", "allowed for always"),
        ("reject", "rejected"),
        ("denied", "denied by a rule"),
        ("later", "later"),
    ],
)
def test_a_decision_says_who_said_what_about_what(answer: str, words: str) -> None:
    made = decided(answer, text="not now", because=ApprovalId("a1"))
    read = tame(of_session(Permissions(decided=(made,)), NOW))
    assert f"{words} ann 2 min ago together with a1" in read.text
    assert "run_shell: make" in read.text
    assert "not now" in read.text


def test_the_newest_decisions_come_first_and_no_more_than_so_many() -> None:
    many = tuple(decided("once", what=f"number {number}") for number in range(MOST_DECIDED + 10))
    read = tame(of_session(Permissions(decided=many), NOW))
    assert read.text.index(f"number {MOST_DECIDED + 9}") < read.text.index("number 10")
    assert "number 9 " not in read.text
    assert "10 more decisions not shown" in read.text


def test_what_holds_for_the_session_says_when_it_ends() -> None:
    read = tame(of_session(Permissions(grants=(Grant("execute", "make *"),)), NOW))
    assert "execute make *" in read.text
    assert "end with the session" in read.text
    assert read.buttons() == [], "it cannot be taken back by itself"
    assert "Allowed for this session" not in tame(of_session(Permissions(), NOW)).text


async def test_hostile_patterns_and_names_are_text() -> None:
    bad = replace(GRANT, permission=HOSTILE, pattern=HOSTILE, root=HOSTILE, by=HOSTILE, why=HOSTILE)
    read = tame(await lasting(Overseen(held=[bad] * (MOST_GRANTS + 1)), NOW))
    assert "<script>" in read.text
    assert "1 more grant not shown" in read.text
    grants = (Grant(HOSTILE, HOSTILE),)
    made = decided(
        HOSTILE, what=HOSTILE, text=HOSTILE, by=Origin(Actor.AGENT, HOSTILE), grants=grants
    )
    assert "<script>" in tame(of_session(Permissions((), grants, (made,)), NOW)).text
