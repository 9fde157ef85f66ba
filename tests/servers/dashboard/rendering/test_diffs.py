from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import SESSION, SHA, change

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import ChangeKind
from hearth.servers.dashboard.rendering.diffs import MOST_LINES, changed, diff_lines, unified

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old <b>\n+new\n same\n"


def test_lines_have_their_sign_and_a_class() -> None:
    html = unified(DIFF, SESSION)
    assert '<span class="dl dl-del">-old &lt;b&gt;\n</span>' in html
    assert '<span class="dl dl-add">+new\n</span>' in html
    assert '<span class="dl"> same\n</span>' in html
    assert '<span class="dl dl-at">@@ -1,2 +1,2 @@\n</span>' in html
    assert "+++ b/x.py" not in html


def test_each_file_says_what_became_of_it_and_how_much() -> None:
    for kind in ChangeKind:
        (html,) = changed([change("/home/ada/x.py", DIFF, kind)], SESSION)
        assert kind.value in html
        assert "/home/ada/x.py" in html
        assert ">+2<" in html
        assert ">-1<" in html
        looked_at(html)


def test_a_single_short_diff_is_open_and_one_of_many_is_not() -> None:
    (alone,) = changed([change("a", DIFF)], SESSION)
    assert "<details" in alone
    assert " open " in alone
    assert all(" open " not in one for one in changed([change("a", DIFF)] * 2, SESSION))


def test_a_diff_that_is_kept_apart_shows_its_beginning() -> None:
    html = unified(Blob(SHA, 90_000, head="@@\n+x"), SESSION)
    assert "+x" in html
    assert "whole (90.0 kB)" in html


def test_long_diffs_and_many_files_are_bounded() -> None:
    assert f"{1000 - MOST_LINES} more lines" in diff_lines(["+x"] * 1000)
    assert len(changed([change("a", DIFF)] * 500, SESSION)) == 51
    assert len(diff_lines(["+" + "x" * 1_000_000])) < 2000
