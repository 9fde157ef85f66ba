"""Secrets do not reach the log or anybody's screen; all else stays as it is."""

import base64
import json
import time
from urllib.parse import quote

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CallId, CellId, RequestId, SessionId
from hearth.core.vocabulary.modelling import ModelAnswered, Written
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.performers.sandbox.redacting import AT_ONCE, REDACTED, Redactor

SECRET = "Zq8/kQ2+vX9=mm"  # noqa: S105 - nobody's
CELL = CellId("c1")
CALL = CallId("k1")
SESSION = SessionId("s1")


def _redactor(*more: str) -> Redactor:
    return Redactor(lambda: (SECRET, *more))


def test_a_text_is_cleaned_of_every_form() -> None:
    redactor = _redactor()
    hidden = base64.b64encode(f"user:{SECRET}".encode()).decode()
    for shown in (SECRET, quote(SECRET, safe=""), json.dumps({"key": SECRET}), hidden):
        cleaned = redactor.text(f"before {shown} after")
        assert REDACTED in cleaned
        assert cleaned.startswith("before ")
        assert cleaned.endswith(" after")
        assert SECRET not in cleaned
        assert hidden not in cleaned
    assert redactor.text("nothing to see") == "nothing to see"


def test_secrets_that_come_later_are_looked_for_too() -> None:
    secrets = ["one-secret-thing"]
    redactor = Redactor(lambda: secrets)
    assert redactor.text("another-secret") == "another-secret"
    secrets.append("another-secret")
    assert redactor.text("another-secret") == REDACTED


def test_a_report_without_secrets_is_the_very_same() -> None:
    report = r.CellEnded(1, CELL, r.Succeeded("1", "int"), 0.1, (StreamText("stdout", "x" * 50),))
    assert _redactor().report(report) is report


def test_everything_that_a_cell_showed_is_cleaned() -> None:
    report = r.CellEnded(
        1,
        CELL,
        r.Raised(CodeRaised("KeyError", SECRET, f"line 1\n{SECRET}")),
        0.1,
        (
            StreamText("stdout", f"x {SECRET} y"),
            StreamText("stderr", Blob("a" * 64, 5)),
            RichData({"text/plain": SECRET, "text/html": f"<b>{SECRET}</b>"}),
        ),
        names=("x",),
    )
    cleaned = _redactor().report(report)
    assert isinstance(cleaned, r.CellEnded)
    assert cleaned.ending == r.Raised(CodeRaised("KeyError", REDACTED, f"line 1\n{REDACTED}"))
    assert cleaned.outputs == (
        StreamText("stdout", f"x {REDACTED} y"),
        StreamText("stderr", Blob("a" * 64, 5)),
        RichData({"text/plain": REDACTED, "text/html": f"<b>{REDACTED}</b>"}),
    )
    assert cleaned.names == ("x",)


def test_what_is_displayed_stays_what_its_type_says() -> None:
    redactor = _redactor("1234567890123")
    picture = base64.b64encode(f"PNG{SECRET}".encode()).decode()
    bundle = redactor.bundle(
        {
            "application/json": json.dumps({"a": SECRET}),
            "application/vnd.plotly.v1+json": '{"number": 1234567890123}',
            "image/png": picture,
            "image/svg+xml": f"<svg>{SECRET}</svg>",
            "text/plain": "plain",
        }
    )
    assert json.loads(bundle["application/json"]) == {"a": REDACTED}
    assert json.loads(bundle["application/vnd.plotly.v1+json"]) == REDACTED
    assert bundle["image/png"] == ""
    assert bundle["image/svg+xml"] == f"<svg>{REDACTED}</svg>"
    assert bundle["text/plain"] == "plain"


def test_what_a_model_wrote_is_never_changed() -> None:
    answer = ModelAnswered(RequestId("q"), (Written(SECRET),), StopReason.END)
    assert _redactor().report(answer) is answer


def test_ten_megabytes_and_fifty_secrets_take_less_than_a_moment() -> None:
    secrets = [f"{number:04}-Secret-{number * 7919:020}" for number in range(50)]
    redactor = Redactor(lambda: secrets)
    text = "2026-01-01 some.module: a request took some time, as they do\n" * 160_000
    began = time.perf_counter()
    cleaned = redactor.text(text + secrets[17])
    assert time.perf_counter() - began < 3.0  # a tenth of it on an idle machine
    assert cleaned == text + REDACTED


def test_in_a_long_text_none_is_missed_wherever_it_stands() -> None:
    secrets = [SECRET, f"{SECRET}-and-longer-than-that"]
    redactor = Redactor(lambda: secrets)
    for before in (AT_ONCE - len(secrets[1]), AT_ONCE - 5, AT_ONCE - 1, AT_ONCE):
        text = "x" * before
        assert redactor.text(f"{text}{secrets[1]}!") == f"{text}{REDACTED}!"
        assert redactor.text(f"{text}{SECRET}!") == f"{text}{REDACTED}!"


def test_what_is_displayed_is_cleaned_in_lists_and_in_the_names_of_mappings_too() -> None:
    bundle = {"application/json": {"rows": [[SECRET], 1], SECRET: {"x": SECRET}}}
    cleaned = _redactor().bundle(bundle)

    assert cleaned == {"application/json": {"rows": [[REDACTED], 1], REDACTED: {"x": REDACTED}}}
    plain = {"application/json": {"rows": [1, {"a": "b"}]}}
    assert _redactor().bundle(plain)["application/json"] is plain["application/json"]


def test_what_code_gives_to_a_tool_is_cleaned_before_anybody_is_asked_about_it() -> None:
    # A program computes it: it is nothing that a model or a person has written.
    need = Need("mcp", "fake__send", usual=Verdict.ASK)
    given = json.dumps({"token": SECRET})
    report = r.ToolAsked(1, CELL, "ask-1", "fake__send", given, (Judged(need, Verdict.ASK),))
    cleaned = _redactor().report(report)
    assert isinstance(cleaned, r.ToolAsked)
    assert cleaned.arguments == json.dumps({"token": REDACTED})
    assert (cleaned.ask, cleaned.judged) == (report.ask, report.judged)
    used = r.ToolUsed(1, "fake__send", Verdict.ALLOW, CELL, given, error=f"no {SECRET}")
    cleaned = _redactor().report(used)
    assert isinstance(cleaned, r.ToolUsed)
    assert SECRET not in cleaned.arguments + cleaned.error


def test_a_secret_that_is_encoded_in_several_lines_is_taken_out() -> None:
    long = "sk-ant-" + "Ab3" * 40
    redactor = _redactor(long)
    hexed = f"KEY={long}".encode().hex()
    for shown in (
        base64.encodebytes(f"KEY={long}\n".encode()).decode(),
        "\n".join(hexed[at : at + 60] for at in range(0, len(hexed), 60)),
    ):
        cleaned = redactor.text(f"before\n{shown}\nafter\n")
        assert REDACTED in cleaned
        assert shown[80:100] not in cleaned
        assert cleaned.startswith("before\n")
        assert cleaned.endswith("\nafter\n")
    other = base64.encodebytes(bytes(range(200))).decode()
    assert redactor.text(other) == other
