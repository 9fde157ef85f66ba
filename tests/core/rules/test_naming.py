from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.naming import Called, fork_name, meant
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import AmbiguousSession, UnknownSession

SHOP = Called(SessionId("session-a1b2c3"), "shop")
SHOES = Called(SessionId("session-a1ffff"), "shoes")
OLD_SHOP = Called(SessionId("session-0ddddd"), "shop", stopped=True)
ALL = (SHOP, SHOES, OLD_SHOP)


def test_an_id_a_name_and_a_beginning_are_understood() -> None:
    assert meant("session-a1b2c3", ALL) == SHOP.session
    assert meant("shoes", ALL) == SHOES.session
    assert meant("session-a1b", ALL) == SHOP.session
    assert meant("a1f", ALL) == SHOES.session
    assert meant("SHOE", ALL) == SHOES.session


def test_what_could_be_several_says_which() -> None:
    refusal = meant("sho", ALL)
    assert isinstance(refusal, AmbiguousSession)
    assert refusal.sessions == (SHOP.session, SHOES.session)
    assert refusal.remedy == ("use one of their ids: session-a1b2c3, session-a1ffff",)


def test_a_session_that_lives_counts_before_one_that_was_stopped() -> None:
    assert meant("shop", ALL) == SHOP.session
    assert meant("0d", ALL) == OLD_SHOP.session
    assert isinstance(meant("shop", [OLD_SHOP, OLD_SHOP]), AmbiguousSession)


def test_an_id_counts_before_a_name_and_a_name_before_a_beginning() -> None:
    named_like_an_id = Called(SessionId("session-x"), "session-a1b2c3")
    assert meant("session-a1b2c3", [named_like_an_id, SHOP]) == SHOP.session
    begins_so = Called(SessionId("shopping"), "other")
    assert meant("shop", [begins_so, SHOP]) == SHOP.session


def test_nothing_is_meant_by_nothing_and_by_what_nobody_is_called() -> None:
    for said in ("", "shopping", "session-a1b2c3d"):
        refusal = meant(said, ALL)
        assert isinstance(refusal, UnknownSession)
        assert refusal.session == said


def test_many_candidates_are_not_all_shown() -> None:
    many = [Called(SessionId(f"session-a{n}"), "") for n in range(9)]
    refusal = meant("a", many)
    assert isinstance(refusal, AmbiguousSession)
    assert refusal.remedy[0].endswith("session-a4, …")
    assert len(refusal.sessions) == 9


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=4)), max_size=6), st.text())
def test_whatever_is_said_one_session_is_meant_or_it_is_refused(
    pairs: list[tuple[str, str]], said: str
) -> None:
    sessions = [Called(SessionId(one), name) for one, name in pairs]
    found = meant(said, sessions)
    if isinstance(found, str):
        assert found in {one.session for one in sessions}


def test_a_fork_is_called_like_the_other_with_the_first_number_that_is_left() -> None:
    assert fork_name("shop", []) == "shop-2"
    assert fork_name("shop", ["shop", "shop-2", "SHOP-3", "shop-5"]) == "shop-4"
    assert fork_name("shop-2", ["shop", "shop-2"]) == "shop-2-2"
    assert fork_name("", ["fork-2"]) == "fork-3"
    assert len(fork_name("n" * 500, [])) <= 200


def test_with_that_name_both_can_be_meant() -> None:
    fork = Called(SessionId("session-f"), fork_name("shop", ["shop"]))
    assert meant("shop", [SHOP, fork]) == SHOP.session
    assert meant("shop-2", [SHOP, fork]) == fork.session
