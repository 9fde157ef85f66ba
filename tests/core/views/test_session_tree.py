"""The forks around one session."""

from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.given import after, comes_back

from hearth.core.views.session_tree import Branch, BranchTree, branch_tree
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow


def row(session: str, forked_from: str = "", *, at: int = 0) -> SessionRow:
    return SessionRow(
        session=SessionId(session),
        name=f"the {session}",
        directory="",
        state=PhaseName.READY,
        started_at=after(at),
        last_activity=after(at + 100),
        forked_from=SessionId(forked_from),
        forked_how=ForkHow.COPY if forked_from else None,
    )


FAMILY = (
    row("root", at=1),
    row("left", "root", at=2),
    row("right", "root", at=3),
    row("leaf", "left", at=4),
    row("stranger", at=5),
    row("strangers", "stranger", at=6),
)


def drawn(tree: BranchTree) -> list[str]:
    return ["  " * one.depth + one.session + (" <" if one.is_here else "") for one in tree.branches]


def test_a_tree_begins_with_the_oldest_ancestor_and_has_each_under_the_one_it_came_from() -> None:
    everyone = ["root", "  left", "    leaf", "  right"]
    assert drawn(branch_tree(FAMILY, SessionId("root"))) == ["root <", *everyone[1:]]
    assert drawn(branch_tree(FAMILY, SessionId("leaf"))) == [
        "root",
        "  left",
        "    leaf <",
        "  right",
    ]
    assert drawn(branch_tree(reversed(FAMILY), SessionId("right")))[-1] == "  right <"


def test_a_branch_says_what_is_known_of_the_session() -> None:
    assert branch_tree(FAMILY, SessionId("leaf")).branches[2] == Branch(
        session=SessionId("leaf"),
        name="the leaf",
        state=PhaseName.READY,
        depth=2,
        is_here=True,
        forked_from=SessionId("left"),
        how=ForkHow.COPY,
        last_activity=after(104),
    )
    assert comes_back(branch_tree(FAMILY, SessionId("leaf")))


def test_a_session_alone_is_a_tree_and_one_that_is_not_there_is_none() -> None:
    assert drawn(branch_tree((row("s1"),), SessionId("s1"))) == ["s1 <"]
    assert branch_tree(FAMILY, SessionId("nobody")) == BranchTree()


def test_where_the_ancestor_is_gone_the_oldest_that_is_known_is_the_root() -> None:
    tree = branch_tree(FAMILY[1:], SessionId("leaf"))
    assert drawn(tree) == ["left", "  leaf <"]
    assert tree.branches[0].forked_from == "root"


def test_of_too_many_the_ancestors_come_first_and_then_what_was_forked_from_it() -> None:
    broad = [row(f"s{at}", "root", at=at) for at in range(10, 30)]
    below = [row(f"mine{at}", "right", at=at) for at in range(30, 34)]
    tree = branch_tree([*FAMILY, *broad, *below], SessionId("right"), most=4)
    assert drawn(tree) == ["root", "  right <", "    mine30", "    mine31"]
    assert tree.left_out == 24


def test_of_ancestors_that_are_too_many_the_nearest_are_shown() -> None:
    chain = [row("s0"), *(row(f"s{at}", f"s{at - 1}", at=at) for at in range(1, 3000))]
    tree = branch_tree(chain, SessionId("s2999"), most=3)
    assert drawn(tree) == ["s2997", "  s2998", "    s2999 <"]
    assert tree.left_out == 2997
    assert len(branch_tree(chain, SessionId("s0"), most=2000).branches) == 2000


@whenever(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=10),
    st.integers(1, 12),
)
def test_whatever_is_said_of_forks_each_session_is_shown_once_and_nobody_twice(
    pairs: list[tuple[int, int]], most: int
) -> None:
    rows = [row("s0"), *(row(f"s{one}", f"s{two}") for one, two in pairs)]  # even in a circle
    known = {one.session: one for one in rows}
    for here in known:
        tree = branch_tree(rows, here, most)
        shown = [one.session for one in tree.branches]
        assert len(shown) == len(set(shown)) <= most
        assert [one.session for one in tree.branches if one.is_here] == [here]
        assert tree.left_out >= 0
        assert all(one.forked_from in shown for one in tree.branches[1:])
