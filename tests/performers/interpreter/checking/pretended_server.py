"""Language servers that misbehave: programs to be started in the place of ty."""

import sys
from pathlib import Path
from typing import Final

_FRAME: Final = """
import json, os, sys, time, signal
def take():
    size = 0
    while line := sys.stdin.buffer.readline().strip():
        size = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(size)) if size else sys.exit()
def give(**message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.flush()
"""

SILENT: Final = """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={})
"""
"""Begins well, and never answers a question."""

DYING: Final = """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={})
    elif "id" in message:
        os._exit(3)
"""
"""Ends as soon as it is asked something."""

REFUSING: Final = """
while message := take():
    if "id" in message:
        give(id=message["id"], error={"code": 1, "message": "no thanks"})
"""

ECHOING: Final = """
give(id=900, method="workspace/configuration", params={"items": [{}, {}]})
give(id=901, method="client/registerCapability", params={})
give(method="window/logMessage", params={"message": "hello"})
give(id=77777, result="nobody asked")
heard, asked = {}, []
while message := take():
    if "method" in message:
        asked.append(message)
    else:
        heard[message["id"]] = message["result"]
    while len(heard) == 2 and asked:
        one = asked.pop()
        give(id=one["id"], result=[heard[900], heard[901], one["params"]])
"""
"""Asks for its settings first, and says things that nobody waits for."""

BABBLING: Final = """
sys.stdout.write("Content-Length: what?\\r\\n\\r\\n"); sys.stdout.flush(); signal.pause()
"""


def written(folder: Path, part: str) -> str:
    """A program that plays the part."""
    program = folder / f"server-{abs(hash(part))}"
    program.write_text(f"#!{sys.executable}\n{_FRAME}{part}", "utf-8")
    program.chmod(0o755)
    return str(program)
