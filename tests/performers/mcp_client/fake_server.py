"""An MCP server for tests, of the older era: the standard library alone, and as odd as it is told.

What it is told is in its arguments, `--word` or `--word=value`. Each start, each end and whatever
else tests wait for is a line in the file that FAKE_LOG names, so that they can count.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

TOLD = dict(one.removeprefix("--").partition("=")[::2] for one in sys.argv[1:])
LONG = 600
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5"
    "ErkJggg=="
)
TOOLS = {
    "echo": "Says the same again.",
    "token": "Says its token.",
    "slow": "Takes its time.",
    "crash": "Ends in the middle.",
    "silent": "Never answers.",
    "twice": "Answers twice.",
    "huge": "Answers with very much.",
    "picture": "Shows a picture.",
    "where": "Says where it works.",
    "fail": "Always fails.",
    "announce": "Says that its tools are others now.",
}
FORK = """
import os, threading
os.setsid()
with open(os.environ["FAKE_LOG"], "a") as file:
    file.write(f"fork {os.getpid()}\\n")
threading.Event().wait(600)
"""
WAITING: dict[Any, threading.Event] = {}
SPEAKING = threading.Lock()


def note(word: str) -> None:
    if path := os.environ.get("FAKE_LOG"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{word} {os.getpid()}\n")


def say(message: dict[str, Any]) -> None:
    with SPEAKING:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def tools() -> list[dict[str, Any]]:
    kinds = dict(TOOLS)
    if Path(TOLD.get("changed-if", "/nowhere")).exists():
        kinds["echo"] = "Says the same, and something else to somebody else."
        del kinds["fail"]
        kinds["new"] = "Was not there before."
    kinds |= {f"tool-{one}": "One of many." for one in range(int(TOLD.get("many", "0")))}
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return [
        {"name": name, "description": said, "inputSchema": schema} for name, said in kinds.items()
    ]


def answer(number: Any, text: str, *, is_error: bool = False) -> None:
    content = [{"type": "text", "text": text}]
    say({"id": number, "result": {"content": content, "isError": is_error}})


def called(number: Any, name: str, text: str) -> None:  # noqa: C901 - a closed match is long
    match name:
        case "echo":
            answer(number, text)
        case "token":
            answer(number, f"{os.environ.get('FAKE_TOKEN', '')} {os.getpid()}")
        case "where":
            answer(number, str(Path.cwd()))
        case "fail":
            answer(number, "it did not work", is_error=True)
        case "crash":
            sys.stderr.write("something broke\n")
            sys.stderr.flush()
            os._exit(3)
        case "twice":
            answer(number, "first")
            answer(number, "second")
        case "huge":
            answer(number, "x" * int(text))
        case "picture":
            picture = {"type": "image", "data": DOT, "mimeType": "image/png"}
            say({"id": number, "result": {"content": [picture]}})
        case "slow":
            WAITING[number] = threading.Event()
            note("slow")
            WAITING[number].wait(float(text or LONG))
            answer(number, "at last")
        case "silent":
            note("silent")
        case "announce":
            say({"method": "notifications/tools/list_changed"})
            answer(number, "told")
        case _:
            say({"id": number, "error": {"code": -32602, "message": f"there is no {name}"}})


def listed(number: Any, cursor: str) -> None:
    note("list")
    if Path(TOLD.get("hang-if", "/nowhere")).exists():
        return
    every, page = tools(), int(TOLD.get("page", "1000"))
    start = int(cursor)
    result: dict[str, Any] = {"tools": every[start : start + page]}
    if start + page < len(every):
        result["nextCursor"] = str(start + page)
    say({"id": number, "result": result})


def heard(message: dict[str, Any]) -> None:
    method, number, given = message.get("method"), message.get("id"), message.get("params") or {}
    match method:
        case "initialize":
            known = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            say({"id": number, "result": {**known, "serverInfo": {"name": "f", "version": "1"}}})
        case "tools/list":
            listed(number, given.get("cursor", "0"))
        case "tools/call":
            work = (number, given["name"], str((given.get("arguments") or {}).get("text", "")))
            threading.Thread(target=called, args=work, daemon=True).start()
        case "notifications/cancelled":
            note("cancelled")
            if given.get("requestId") in WAITING:
                WAITING[given["requestId"]].set()
        case _ if number is not None:
            say({"id": number, "error": {"code": -32601, "message": "no such method"}})
        case _:
            pass


def begin() -> None:
    note("start")
    if "deaf" in TOLD:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "forks" in TOLD:
        # Away from its parent, its group and its session.
        nothing = subprocess.DEVNULL
        subprocess.Popen([sys.executable, "-c", FORK], stdin=nothing, stdout=nothing)  # noqa: S603 - itself
    if "noise" in TOLD:
        sys.stdout.write("starting up...\n{ not json\n[1, 2]\n\n")
        sys.stdout.flush()
    for _ in range(int(TOLD.get("flood", "0"))):
        sys.stderr.write("complaint " * 100 + "\n")
    sys.stderr.write("ready, at last\n")
    sys.stderr.flush()
    if "waits-for" in TOLD:
        with Path(TOLD["waits-for"]).open():  # a pipe: until somebody writes to it
            pass
    if "broken" in TOLD:
        sys.stderr.write("it cannot work like this\n")
        sys.exit(4)


def main() -> None:
    begin()
    for line in sys.stdin:
        heard(json.loads(line))
    note("stop")
    if "deaf" in TOLD:
        threading.Event().wait(LONG)


if __name__ == "__main__":
    main()
