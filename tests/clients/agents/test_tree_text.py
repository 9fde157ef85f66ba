"""A tree of sessions is readable without colours, however it has grown."""

from typing import Any

from hearth.clients.agents.lines import DIM, PLAIN, STRONG
from hearth.clients.agents.tree_text import tree


def branch(session: str, depth: int, **more: Any) -> dict[str, Any]:
    return {"session": session, "name": more.pop("name", session), "depth": depth, **more}


def test_each_stands_under_the_one_that_it_came_from() -> None:
    branches = [
        branch("s1", 0, name="shop", state="ready"),
        branch("s2", 1, how="copy", state="evaluating", is_here=True),
        branch("s3", 2, how="replay", state="warming_up"),
        branch("s4", 1, how="new", state="ready", stopped=True, name=""),
    ]
    assert tree(branches, ["now", "1 min", "2 min", "3 min"], left_out=2) == [
        (PLAIN, "   shop      s1                   ready       now"),
        (STRONG, "*  ├─ s2     s2  live copy        evaluating  1 min"),
        (PLAIN, "   │  └─ s3  s3  replayed         warming up  2 min"),
        (PLAIN, "   └─ -      s4  new interpreter  stopped     3 min"),
        (DIM, "   … and 2 more"),
    ]


def test_long_names_and_deep_trees_leave_room_for_the_rest() -> None:
    deep = [branch(f"session-{at:06}", at, name="n" * 200, state="ready") for at in range(12)]
    lines = tree(deep, ["-"] * 12)
    assert all("ready" in text for _, text in lines)
    assert max(len(text) for _, text in lines) <= 110


def test_nothing_and_names_that_would_be_obeyed() -> None:
    assert tree([], []) == []
    ((_, said),) = tree([branch("s1", 0, name="\x1b[2J\n")], ["-"])
    assert "\x1b" not in said
    assert "\n" not in said
