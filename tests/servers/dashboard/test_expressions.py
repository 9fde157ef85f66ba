"""What a page may have the browser compile."""

import re

from hearth.servers.dashboard.expressions import ACT, EXPRESSIONS, Expression


def test_each_is_a_call_of_ours_and_nothing_is_filled_in() -> None:
    for one in EXPRESSIONS:
        assert re.fullmatch(r"hearth\.[a-z]+\(el, evt\)", one.source)
    assert len(set(EXPRESSIONS)) == len(EXPRESSIONS)


def test_what_is_compiled_is_what_the_policy_compares_with() -> None:
    assert ACT.compiled.startswith("(function anonymous(el,$,__action,evt")
    assert ACT.compiled.endswith("\n) {\nhearth.act(el, evt)\n})")
    assert Expression("x").compiled not in {one.compiled for one in EXPRESSIONS}
