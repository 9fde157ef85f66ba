"""What is told: a folder with something to look at, what ann says, and what the agent does.

The agent is the scripted model; its answers are a script as anybody can write one.
"""

import json
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

FOLDER: Final = "shop"
SCRIPT: Final = "demo.json"

FIRST: Final = "Look at sales.csv, add it up by month, and draw it."
SECOND: Final = "Leave the returns out."
LOOKED_UP: Final = "max(sums, key=sums.get)"
"""What ann runs herself, in the interpreter that the agent worked in."""

LOOK: Final = """\
lines = open("sales.csv").read().splitlines()
print(len(lines) - 1, "rows")
print(*lines[:5], sep="\\n")"""

ADD: Final = """\
import csv, time
rows = list(csv.DictReader(open("sales.csv")))
sums = {}
for row in rows:
    if row["shop"] == "harbour":
        print("adding", row["month"])
    time.sleep(%g)  # as if there were many more of them
    sums[row["month"]] = sums.get(row["month"], 0) + float(row["amount"])"""

DRAW: Final = """\
from bars import Bars
sums = {}
for row in rows:
    sold = max(0, float(row["amount"]))
    sums[row["month"]] = sums.get(row["month"], 0) + sold
chart = Bars(sums, "sales without returns", "%s")
print(chart)
chart"""


class Pace(NamedTuple):
    """How fast it is told, in seconds."""

    typed: float
    """For each character that ann types."""
    written: float
    """For each word that the model writes."""
    row: float
    """For each row that the agent adds up. Never nothing: ann speaks up meanwhile."""
    read: float
    """For whoever reads a remark."""


FOR_PEOPLE: Final = Pace(typed=0.04, written=0.08, row=0.15, read=1.0)
FAST: Final = Pace(typed=0.0, written=0.0, row=0.04, read=0.0)


def lay_out(home: Path, pace: Pace, form: Literal["svg", "png"]) -> Path:
    """Write what the story needs into a folder in `home`, which is returned."""
    folder = home / FOLDER
    # The root of a repository, so that whatever lies in the folders above is no part of it.
    (folder / ".git").mkdir(parents=True)
    (folder / "sales.csv").write_text(sales(), "utf-8")
    (folder / "bars.py").write_bytes(Path(__file__).with_name("bars.py").read_bytes())
    (folder / SCRIPT).write_text(json.dumps(answers(pace, form)), "utf-8")
    return folder


def sales() -> str:
    """Half a year of two shops; here and there something came back."""
    lines = ["month,shop,amount"]
    for place, month in enumerate(("Jan", "Feb", "Mar", "Apr", "May", "Jun")):
        lines += [
            f"{month},harbour,{(1480, 1210, 1735, 1920, 2310, 2205)[place]}",
            f"{month},station,{(960, 1105, 1010, 1240, 1150, 1475)[place]}",
        ]
        if place % 2:
            lines.append(f"{month},station,{(0, -310, 0, -145, 0, -620)[place]}")
    return "\n".join(lines) + "\n"


def answers(pace: Pace, form: Literal["svg", "png"]) -> list[dict[str, Any]]:
    """The script. What is said to `SECOND` comes whenever that is heard."""
    return [
        _scene(
            pace,
            when=SECOND,
            text="Without the returns, then. `rows` is still there, so I only sum it up anew\n"
            "and draw it with the module `bars` of this folder.",
            code=DRAW % form,
        ),
        _scene(
            pace,
            when="█",
            text="There it is. With the returns **May** would have been the best month; without\n"
            "them it is **June**. You have `sums` and `chart` as well as I do.",
        ),
        _scene(
            pace,
            thinking="I should see what is in the file before I compute anything.",
            text="I look at the file first.",
            code=LOOK,
        ),
        _scene(
            pace,
            text="A month, a shop and an amount. I add them up.",
            code=ADD % pace.row,
        ),
        # Only if ann was so slow that the sums were done before she spoke.
        _scene(pace, text="Now the picture.", code=DRAW % form),
    ]


def _scene(pace: Pace, *, code: str = "", **said: str) -> dict[str, Any]:
    calls = [{"name": "run_code", "arguments": {"code": code}}] if code else []
    return {**said, "calls": calls, "delay": pace.written}
