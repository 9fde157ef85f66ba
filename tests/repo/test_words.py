"""Every word has its place in a union, a wire name, a sample and a line in the protocol."""

from pathlib import Path

import msgspec
import pytest
from tests.contracts.words import KINDS, all_words, members, tag_of
from tests.repo.tables import vocabulary
from tests.repo.tree import report, shown
from tests.samples.examples import EXAMPLES, example
from tests.samples.write import ROOT, digest_of, frozen, path_of, pretty

from hearth.core.vocabulary.codec import decode_fact, encode
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.wire import WIRE, Word

IN_UNIONS = [(kind, word) for kind, union in KINDS.items() for word in members(union)]
EVENT_SAMPLES = sorted((ROOT / "events").glob("*.json"))


def test_every_word_is_in_exactly_one_union() -> None:
    assert list(vocabulary())
    listed = [word for _, word in IN_UNIONS]
    report(
        sorted({word.__name__ for word in all_words()} - {word.__name__ for word in listed}),
        "add it to its union; a new union is also added to KINDS in tests/contracts/words.py",
    )
    report(
        sorted({word.__name__ for word in listed if listed.count(word) > 1}),
        "a word belongs to one union",
    )


def test_the_table_of_wire_names_has_every_word_and_no_other() -> None:
    listed = {word.__name__ for _, word in IN_UNIONS}
    report(sorted(listed - set(WIRE)), "give it a wire name in core/vocabulary/wire.py")
    report(
        sorted(set(WIRE) - listed),
        "no word uses this wire name: take it out, or, if it ever was an event, keep the class",
    )


def test_every_word_has_an_example() -> None:
    report(
        sorted(word.__name__ for _, word in IN_UNIONS if word not in EXAMPLES),
        "add an example with every field set to tests/samples/examples.py, then `make samples`",
    )


def test_every_word_has_a_sample() -> None:
    report(
        [
            shown(path_of(kind, word))
            for kind, word in IN_UNIONS
            if not path_of(kind, word).exists()
        ],
        "missing: `make samples` writes them from tests/samples/examples.py",
    )


def test_no_sample_is_left_without_its_word() -> None:
    wanted = {path_of(kind, word) for kind, word in IN_UNIONS}
    present = {path for path in ROOT.glob("*/*.json") if path.parent.name != "events"}
    report(sorted(map(shown, present - wanted)), "no word has this name now: delete the sample")


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize(("kind", "word"), IN_UNIONS, ids=[tag_of(word) for _, word in IN_UNIONS])
def test_a_sample_is_read_and_written_again_as_the_same_json(kind: str, word: type[Word]) -> None:
    sample = path_of(kind, word).read_bytes()
    read = msgspec.json.decode(sample, type=KINDS[kind])
    assert type(read) is word
    assert pretty(encode(read)) == sample
    if kind != "events":
        assert read == example(word), "the example has changed: `make samples` writes it anew"


@pytest.mark.promise("SF-LOG-11", "SF-LOG-12")
@pytest.mark.parametrize("path", EVENT_SAMPLES, ids=lambda path: path.stem)
def test_the_sample_of_an_event_is_read_by_every_later_hearth(path: Path) -> None:
    # Also of those that are no longer written: their rows are in people's logs.
    fact = {
        "id": "i1.0",
        "at": "2026-11-15T12:00:00Z",
        "origin": {"actor": "system"},
        "cause": "i1",
        "event": msgspec.json.decode(path.read_bytes()),
    }
    assert type(decode_fact(encode(fact)).event) in members(Event)


@pytest.mark.promise("SF-LOG-11")
def test_what_is_frozen_was_never_changed() -> None:
    kept = frozen()
    report(
        [
            name
            for name, digest in kept.items()
            if not (ROOT / name).exists() or digest_of(ROOT / name) != digest
        ],
        "stored logs look like these files for ever, so they are never edited. Put the file back "
        "as it was; for another shape give the event version 2 in wire.py and an upcast, and "
        "`make samples` writes a file of its own for it",
    )
    present = {*EVENT_SAMPLES, *(ROOT / "golden").glob("*.jsonl")}
    report(
        sorted(shown(path) for path in present if path.relative_to(ROOT).as_posix() not in kept),
        "not in tests/samples/MANIFEST: let `make samples` write samples, it lists them there",
    )
