"""The demo's page reads well, with and without colours."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from hearth.core.rules.refusing import unknown_session
from hearth.core.vocabulary.codec import decode_envelope
from hearth.core.vocabulary.ids import SessionId
from hearth.demo.page import Page, described

GOLDEN = Path(__file__).parents[1] / "samples" / "golden" / "0.1.0.jsonl"


def test_every_event_fits_on_a_line(snapshot: SnapshotAssertion) -> None:
    lines = GOLDEN.read_bytes().splitlines()
    shown = [described(decode_envelope(line)) for line in lines]
    assert all("\n" not in line and line for line in shown)
    assert "\n".join(shown) == snapshot


async def test_colours_are_left_out_where_they_are_not_wanted() -> None:
    plain, coloured = list[str](), list[str]()
    refusal = unknown_session(SessionId("session-none00"))
    for written, colours in ((plain, False), (coloured, True)):
        page = Page(written.append, colours=colours, pause=0.0)
        await page.say("Something happens.")
        page.refusal(refusal)
        page.output("a\nb\n")
    assert "\x1b" not in "".join(plain)
    assert "\x1b[1mSomething happens.\x1b[0m\n" in coloured
    assert refusal.why in "".join(plain)
