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


PRESSING: Final = """
for number in range(2000):
    give(id=number, method="workspace/configuration", params={"items": [{}], "more": "x" * 200})
heard, asked = 0, None
while asked is None or heard < 2000:
    message = take()
    if "method" in message:
        asked = message["id"]
    else:
        heard += 1
give(id=asked, result=heard)
take()
"""
"""Asks more than a pipe holds before it reads the first answer."""

PARENTAL: Final = """
import subprocess
child = subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
while message := take():
    give(id=message["id"], result=child.pid)
"""
"""Has a child, which does not end by itself."""

CHATTY: Final = """
asked = take()["id"]
body = b'{"method": "chat"}'
one = b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body)
sys.stdout.buffer.write(one * 1000); sys.stdout.flush()
give(id=asked, result=None)
take()
"""
"""Says a thousand things at once before it answers."""

NONSENSE: Final = (
    "x" * 100_000,
    "X-Header: y\r\n" * 1000,
    "Content-Length: 2\r\n\r\n[]",
    'Content-Length: 3\r\n\r\n"x"',
    "Content-Length: 4000000000\r\n\r\n",
    "Content-Length: -1\r\n\r\n",
    "Content-Length: 200000\r\n\r\n" + "[" * 200_000,
    'Content-Length: 17\r\n\r\n{"id": [], "a":1}',
    "Content-Length: 9\r\n\r\n{not json",
)


def written(folder: Path, part: str) -> str:
    """A program that plays the part."""
    program = folder / f"server-{abs(hash(part))}"
    program.write_text(f"#!{sys.executable}\n{_FRAME}{part}", "utf-8")
    program.chmod(0o755)
    return str(program)
