from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import SESSION

from hearth.core.vocabulary.failures import CodeRaised, Interrupted, TimedOut
from hearth.servers.dashboard.rendering.failing import failed


def test_what_was_raised_is_seen_and_where_is_folded() -> None:
    html = failed(
        CodeRaised("ValueError", "no <b>", "Traceback\n\x1b[31mValueError\x1b[0m"), SESSION
    )
    before, _, folded = html.partition("<details")
    assert "ValueError" in before
    assert "no &lt;b&gt;" in before
    assert 'data-preserve-attr="open"' in folded
    assert '<span class="af1">ValueError</span>' in folded
    looked_at(html)


def test_without_a_traceback_there_is_nothing_to_fold() -> None:
    assert "<details" not in failed(CodeRaised("E", ""), SESSION)


def test_the_words_are_those_of_the_terminal() -> None:
    assert "it ran longer than 5.0 s" in failed(TimedOut(5, 6), SESSION)
    assert "cut off" in failed(Interrupted("x"), SESSION)
