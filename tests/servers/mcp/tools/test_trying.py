"""Tools that try variants side by side, and keep one."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.http.serving import Served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.undoing import VariantResult
from hearth.performers.interpreter.scene import Scene
from hearth.servers.mcp.tools.cells import LONGEST_STREAM, LONGEST_VALUE, MOST_PICTURES
from hearth.servers.mcp.tools.trying import MOST_NAMES, outcome_of, told

S, C = "session-aaaaaa", CellId("c1")
WAYS = ["x = 1", "x = 2", "1/0", "print"]


@pytest.fixture
def copying() -> CopyingInterpreter:
    return CopyingInterpreter({**SCENES, "x = 2": Scene(names=("x",), value="2", value_type="int")})


@pytest.fixture
async def daemon(tmp_path: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    async with copied(tmp_path, copying) as one:
        await one.begin()
        yield one


async def nothing(_: str) -> bytes:
    raise KeyError


@pytest.mark.parametrize("era", ERAS)
async def test_variants_are_told_side_by_side_and_the_session_is_as_it_was(
    daemon: Served, copying: CopyingInterpreter, era: str
) -> None:
    async with connected(daemon, era) as client:
        said = await call(client, "try_code", variants=WAYS, session=S)
        assert not said.is_error
        assert (said["cell"], said["state"]) == ("c1", "ready")
        one, two, three, four = said["variants"]
        assert (one["variant"], one["outcome"], one["names"]) == (1, "finished", ["x"])
        assert (two["result"], two["type"]) == ("2", "int")
        assert (three["outcome"], three["error"]["name"]) == ("failed", "ZeroDivisionError")
        assert four["stdout"] == "one\ntwo\n"
        assert "error" not in one
        assert "keep_variant" in said["next"]
        assert "keep_variant" in said["available_actions"]
        assert copying.holds(S) == {}


@pytest.mark.parametrize("era", ERAS)
async def test_the_one_that_is_kept_is_the_session(
    daemon: Served, copying: CopyingInterpreter, era: str
) -> None:
    async with connected(daemon, era) as client:
        await call(client, "try_code", variants=WAYS, session=S)
        said = await call(client, "keep_variant", variant=2, session=S)
        assert (said["kept"], said["state"]) == (2, "ready")
        assert copying.holds(S) == {"x": "x = 2"}
        assert "keep_variant" not in said["available_actions"]
        again = await call(client, "keep_variant", variant=1, session=S)
        assert (again.is_error, again["error"]["type"]) == (True, "not_now")
        assert copying.holds(S) == {"x": "x = 2"}


async def test_none_need_be_kept_and_what_waits_is_in_the_status(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    async with connected(daemon) as client:
        await call(client, "try_code", variants=WAYS)
        said = await call(client, "get_status")
        assert said["trial"] == {"cell": "c1", "variants": 4}
        beyond = await call(client, "keep_variant", variant=5)
        assert "no number 5" in beyond["error"]["message"]
        dropped = await call(client, "keep_variant", variant=0)
        assert dropped["kept"] == 0
        assert (await call(client, "get_status"))["no_longer"] == ["trial"]
        assert copying.holds(S) == {}


async def test_where_all_fail_the_answer_is_an_error_and_tells_each(daemon: Served) -> None:
    async with connected(daemon) as client:
        said = await call(client, "try_code", variants=["1/0", "nowhere"])
        assert said.is_error
        assert [one["error"]["name"] for one in said["variants"]] == [
            "ZeroDivisionError",
            "NotInTheScript",
        ]
        assert said["state"] == "ready"


async def test_what_cannot_be_copied_is_not_tried_and_says_what_is_in_the_way(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    copying.obstacles = ("the thread 'pump' runs",)
    async with connected(daemon) as client:
        said = await call(client, "try_code", variants=WAYS)
        assert said.is_error
        assert said["error"]["type"] == "not_tried"
        assert "the thread 'pump' runs" in said["error"]["message"]
        assert any("fork_session with how=replay" in one for one in said["remedy"])
        # What cannot be copied cannot be taken back either.
        assert not any("on_error" in one for one in said["remedy"])
        assert "keep_variant" not in said["available_actions"]


async def test_variants_that_run_long_give_a_handle_and_are_stopped_as_a_cell(
    daemon: Served,
) -> None:
    async with connected(daemon) as client:
        said = await call(client, "try_code", variants=["hang", "x = 1"], wait=0.1)
        assert (said["running"], said["cell"], said["state"]) == (True, "c1", "evaluating")
        stopped = await call(client, "cancel_eval")
        assert (stopped["cell"], stopped["ended"]) == ("c1", "cancelled")
        events = await call(client, "get_recent_events", since=said["cursor"])
        (ended,) = [one for one in events["events"] if one["type"] == "trial_ended"]
        assert "1 was stopped, 2 ran to its end" in ended["what"]


async def test_all_that_variants_showed_can_be_read(daemon: Served) -> None:
    async with connected(daemon) as client:
        await call(client, "try_code", variants=["big", "print", "1/0"], session=S)
        base = f"hearth://sessions/{S}"
        whole: Any = (await client.read_resource(f"{base}/cells/c1/output")).contents[0]
        assert whole.text.count("x") >= 300_000
        assert "# variant 2\none\ntwo" in whole.text
        assert "ZeroDivisionError" in whole.text.partition("# variant 3")[2]
        await call(client, "keep_variant", variant=2, session=S)
        past: Any = (await client.read_resource(f"{base}/transcript")).contents[0]
        assert "# variant 1\nbig\n# variant 2: kept\nprint\n# variant 3\n1/0\n" in past.text


@pytest.mark.parametrize(
    "arguments",
    [{"variants": []}, {"variants": ["1"] * 17}, {"variants": "1"}, {}, {"variants": [1]}],
)
async def test_what_makes_no_sense_is_refused(daemon: Served, arguments: dict[str, Any]) -> None:
    async with connected(daemon) as client:
        said = await call(client, "try_code", **arguments)
        assert said.is_error
        assert said["error"]["type"] == "malformed"


async def test_many_variants_share_the_room_of_one_cell() -> None:
    much = VariantResult(
        value="v" * LONGEST_VALUE * 2,
        value_type="str",
        outputs=(StreamText("stdout", "x" * LONGEST_STREAM * 2),),
    )
    said = await told(e.TrialEnded(C, (much,) * 8), "all of it: there", nothing)
    assert sum(len(one["stdout"]) for one in said.fields["variants"]) < LONGEST_STREAM * 1.5
    assert sum(len(one["result"]) for one in said.fields["variants"]) < LONGEST_VALUE * 1.5
    assert all("all of it: there" in one["stdout"] for one in said.fields["variants"])


async def test_pictures_are_those_of_all_variants_and_not_too_many() -> None:
    shown = tuple(RichData({"image/png": "aGk="}) for _ in range(MOST_PICTURES - 1))
    plain = RichData({"text/plain": "a table"})
    one = VariantResult(outputs=(*shown, plain))
    said = await told(e.TrialEnded(C, (one, one, one)), "", nothing)
    assert len(said.pictures) == MOST_PICTURES
    assert [one.get("pictures") for one in said.fields["variants"]] == [MOST_PICTURES - 1, 1, None]
    assert said.fields["variants"][2]["displays"] == ["a table"]


def test_how_a_variant_ended_is_one_of_three() -> None:
    assert outcome_of(VariantResult(0.12345), 1) == {"outcome": "finished", "duration": 0.123}
    failed = outcome_of(VariantResult(failure=CodeRaised("NameError", "f")), 1)
    assert (failed["outcome"], failed["error"]["name"]) == ("failed", "NameError")
    assert outcome_of(VariantResult(stopped=True), 1)["outcome"] == "cancelled"
    names = tuple(f"n{number}" for number in range(MOST_NAMES + 2))
    many = outcome_of(VariantResult(names=names, value=Blob("d" * 64, 70_000, head="be")), 2, "at")
    assert (len(many["names"]), many["more_names"]) == (MOST_NAMES, 2)
    assert many["result"].startswith("be\n[… of 70,000 bytes; at")
