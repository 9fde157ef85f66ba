"""What a cell came to."""

import base64

import msgspec
import pytest

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.content import Blob, Output, RichData, StreamText
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.servers.mcp.tools.cells import (
    LARGEST_PICTURE,
    LONGEST_STREAM,
    LONGEST_TRACE,
    MOST_PICTURES,
    SUGGESTIONS,
    UNDONE,
    error_of,
    not_started,
    told,
)

C, S = CellId("c1"), SessionId("session-a1b2c3")
PNG = base64.b64encode(b"\x89PNG").decode()


async def nothing(_: str) -> bytes:
    raise KeyError


@pytest.mark.promise("SF-MCP-03")
async def test_a_value_comes_with_its_type_and_nothing_else() -> None:
    said = await told(e.CellFinished(C, 0.1, "2", "int", names=("x",)), S, nothing)
    assert said.fields == {"result": "2", "type": "int", "hasErrors": False}
    assert not said.is_error
    quiet = await told(e.CellFinished(C, 0.1), S, nothing)
    assert quiet.fields == {"hasErrors": False}


async def test_what_was_printed_is_by_stream_and_bounded() -> None:
    outputs = (StreamText("stdout", "a\n"), StreamText("stderr", "e"), StreamText("stdout", "b"))
    said = await told(e.CellFinished(C, 0.1, outputs=outputs), S, nothing)
    assert (said.fields["stdout"], said.fields["stderr"]) == ("a\nb", "e")
    much = (StreamText("stdout", "x" * 10 * LONGEST_STREAM),)
    said = await told(e.CellFinished(C, 0.1, outputs=much), S, nothing)
    assert len(said.fields["stdout"]) < LONGEST_STREAM + 200
    assert "hearth://sessions/session-a1b2c3/cells/c1/output" in said.fields["stdout"]


@pytest.mark.promise("SF-MCP-05")
async def test_a_failure_is_its_error_and_a_suggestion() -> None:
    failure = f.CodeRaised(
        "ZeroDivisionError", "division by zero", "\x1b[31mCell In[1], line 3\x1b[0m"
    )
    said = await told(e.CellFailed(C, failure), S, nothing)
    assert said.is_error
    assert set(said.fields) == {"error", "suggestion", "hasErrors"}
    assert said.fields["error"] == {
        "type": "code_raised",
        "name": "ZeroDivisionError",
        "message": "division by zero",
        "line": 3,
    }
    assert "reset" not in said.fields["suggestion"]


async def test_an_error_below_the_cell_shows_the_way_there_and_no_code() -> None:
    below = "".join(f"File /x/y{n}.py:{n}, in f{n}(a)\n----> {n} secret()\n" for n in range(9))
    error = error_of(f.CodeRaised("ValueError", "no", f"Cell In[1], line 4\n----> 4 f()\n{below}"))
    assert error["line"] == 4
    assert error["frames"] == [f"/x/y{n}.py:{n} in f{n}" for n in range(3, 9)]
    assert "secret" not in str(error)


async def test_what_is_no_trace_that_we_know_is_shown_as_it_is() -> None:
    error = error_of(f.CodeRaised("Error", "no", "at somewhere\n" * 9000))
    assert error["traceback"].endswith("at somewhere\n")
    assert len(error["traceback"]) <= LONGEST_TRACE


async def test_a_cell_that_was_stopped_says_so() -> None:
    said = await told(e.CellCancelled(C), S, nothing)
    assert said.fields["cancelled"] is True
    assert said.is_error


def test_every_failure_has_a_suggestion_and_its_type() -> None:
    assert set(SUGGESTIONS) == set(f.Failure.__args__)
    assert error_of(f.TimedOut(1.0, 2.0)) == {"type": "timed_out", "limit": 1.0, "elapsed": 2.0}
    assert error_of(f.ProjectNotFound("/x")) == {"type": "project_not_found", "path": "/x"}
    said = not_started(f.ProjectNotFound("/x"))
    assert said.is_error
    assert said.fields["error"]["failure"] == error_of(f.ProjectNotFound("/x"))
    assert said.fields["suggestion"] == SUGGESTIONS[f.ProjectNotFound]


async def test_pictures_are_pictures_and_nothing_of_them_is_text() -> None:
    shown = RichData({"image/png": f"{PNG}\n", "text/plain": "<Figure>"})
    said = await told(e.CellFinished(C, 0.1, outputs=(shown,)), S, nothing)
    assert [(one.data, one.media_type) for one in said.pictures] == [(PNG, "image/png")]
    assert "displays" not in said.fields


async def test_a_large_picture_is_fetched_and_a_huge_one_left_out() -> None:
    async def fetch(digest: str) -> bytes:
        assert digest == "d1"
        return PNG.encode()

    large = RichData({"image/png": Blob("d1", 10)})
    huge = RichData({"image/png": Blob("d2", LARGEST_PICTURE + 1)})
    said = await told(e.CellFinished(C, 0.1, outputs=(large, huge)), S, fetch)
    assert [one.data for one in said.pictures] == [PNG]


async def test_of_many_pictures_the_newest_are_shown() -> None:
    many = tuple(RichData({"image/png": f"AAA{number}"}) for number in range(MOST_PICTURES + 2))
    said = await told(e.CellFinished(C, 0.1, outputs=many), S, nothing)
    assert [one.data for one in said.pictures] == [f"AAA{n}" for n in range(2, MOST_PICTURES + 2)]


async def test_what_else_is_displayed_is_told_as_text() -> None:
    outputs = (
        RichData({"text/plain": "a table", "text/html": "<table>"}),
        RichData({"application/x": "{}"}),
        RichData({"text/plain": "2"}, is_result=True),
    )
    said = await told(e.CellFinished(C, 0.1, outputs=outputs), S, nothing)
    assert said.fields["displays"] == ["a table", "(application/x)"]


async def test_outputs_that_are_kept_elsewhere_are_fetched() -> None:
    kept: tuple[Output, ...] = (StreamText("stdout", "far away"),)

    async def fetch(_: str) -> bytes:
        return msgspec.json.encode(kept)

    said = await told(e.CellFinished(C, 0.1, outputs=Blob("d", 30, head="far")), S, fetch)
    assert said.fields["stdout"] == "far away"
    lost = await told(e.CellFinished(C, 0.1, outputs=Blob("d", 30, head="far")), S, nothing)
    assert lost.fields["stdout"] == "far"


async def test_what_was_taken_back_is_said_with_what_helps_then() -> None:
    failure = f.CodeRaised("ValueError", "no")
    failed = await told(e.CellFailed(C, failure, undone=True), S, nothing)
    stopped = await told(e.CellCancelled(C, undone=True), S, nothing)
    for said in (failed, stopped):
        assert said.fields["undone"] is True
        assert said.fields["suggestion"] == UNDONE
    assert "undone" not in (await told(e.CellCancelled(C), S, nothing)).fields
