"""Language servers that behave in ways the real ones do not, or not when they are asked to.

Each finds an error in every line that says `bad`, unless it says otherwise.
"""

from typing import Final

_COMMON: Final = """
texts, versions = {}, {}
def found(text):
    return [
        {"message": f"bad: {line.strip()}", "severity": 1, "code": "B1",
         "range": {"start": {"line": n, "character": line.index("bad")},
                   "end": {"line": n, "character": line.index("bad") + 3}}}
        for n, line in enumerate(text.split("\\n")) if "bad" in line
    ]
def heard(message):
    params = message.get("params") or {}
    document = params.get("textDocument", {})
    if message["method"] == "textDocument/didOpen":
        texts[document["uri"]] = document["text"]
    elif message["method"] == "textDocument/didChange":
        texts[document["uri"]] = params["contentChanges"][0]["text"]
    else:
        return None
    versions[document["uri"]] = document["version"]
    return document["uri"]
def publish(uri, items, **more):
    give(method="textDocument/publishDiagnostics",
         params={"uri": uri, "diagnostics": items, **more})
"""

PUSHING: Final = (
    _COMMON
    + """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={"capabilities": {"textDocumentSync": 1}})
    elif uri := heard(message):
        publish(uri, found("bad and old"), version=versions[uri] - 1)
        publish(uri, found(texts[uri]), version=versions[uri])
        if "breaks other" in texts[uri]:
            publish(uri.rsplit("/", 1)[0] + "/other.py", found("bad by another"))
"""
)
"""Tells by itself; first about the version before, which is no news."""

PULLED: Final = (
    _COMMON
    + """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={"capabilities": {"positionEncoding": "utf-8",
            "diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": False}}})
    elif message["method"] == "textDocument/diagnostic":
        uri = message["params"]["textDocument"]["uri"]
        if "dies" in texts[uri]:
            sys.stderr.write("it hurt\\n"); sys.stderr.flush(); os._exit(3)
        if "refuses" in texts[uri]:
            give(id=message["id"], error={"code": -32801, "message": "content modified"})
            continue
        if "hangs" not in texts[uri]:
            give(id=message["id"], result={"kind": "full", "items": found(texts[uri])})
    else:
        heard(message)
"""
)
"""Is asked; what a text says it does: dies, refuses, hangs."""

WAITING: Final = (
    _COMMON
    + """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={"capabilities": {"diagnosticProvider": {}}})
    elif message["method"] == "textDocument/diagnostic":
        os.read(os.open("go", os.O_RDWR), 1)
        uri = message["params"]["textDocument"]["uri"]
        give(id=message["id"], result={"items": found(texts[uri])})
    else:
        heard(message)
"""
)
"""Answers a question for each byte that somebody writes to the pipe `go` in its root."""

MUTE: Final = "while take(): pass\n"
"""Never begins."""

DEAF: Final = """
give(id=take()["id"], result={})
signal.pause()
"""
"""Begins well, and then listens no more, but stays."""

STILLBORN: Final = "sys.stderr.write('no licence\\n'); sys.stderr.flush(); os._exit(4)\n"

CURIOUS: Final = (
    _COMMON
    + """
questions = [
    ("workspace/configuration", {"items": [{"section": "curious"}, {"section": "a.b"}, {}, 3]}),
    ("client/registerCapability", {"registrations": []}),
    ("window/workDoneProgress/create", {"token": 1}),
    ("workspace/workspaceFolders", None),
    ("workspace/applyEdit", {"edit": {}}),
    ("window/showDocument", {"uri": "file:///"}),
    ("workspace/diagnostic/refresh", None),
    ("nobody/knows", [1]),
]
answers = {}
while message := take():
    if "method" not in message:
        answers[message["id"]] = message["result"]
    elif message["method"] == "initialize":
        give(id=message["id"], result={"capabilities": {"diagnosticProvider": {}}})
        for number, (method, params) in enumerate(questions):
            give(id=number, method=method, params=params)
    elif message["method"] == "textDocument/diagnostic":
        while len(answers) < len(questions):
            more = take()
            if "method" not in more:
                answers[more["id"]] = more["result"]
        give(id=message["id"], result={"items": [
            {"message": json.dumps(answers[n]), "range": {"start": {"line": 0, "character": n}}}
            for n in sorted(answers)]})
"""
)
"""Asks everything there is to ask, and finds what it was answered."""

LOUD: Final = (
    _COMMON
    + """
while message := take():
    if message["method"] == "initialize":
        sys.stderr.write("x" * 3_000_000 + "\\nthe last word\\n"); sys.stderr.flush()
        give(method="window/logMessage", params={"message": "x" * 2_000_000})
        give(id=message["id"], result={"capabilities": {}})
    elif uri := heard(message):
        publish(uri, [None, 3, {"message": "no range"}] + found("bad\\n" * 40_000))
        publish(None, []); publish("http://else", []); publish(uri + "%00x", "nothing")
"""
)
"""Says very much, and not all of it makes sense."""

VERBOSE: Final = (
    _COMMON
    + """
while message := take():
    if message["method"] == "initialize":
        give(id=message["id"], result={"capabilities": {"diagnosticProvider": {
            "workspaceDiagnostics": True}}})
    elif message["method"] == "workspace/diagnostic":
        give(id=message["id"], result={"items": [], "more": "x" * 9_000_000})
    elif message["method"] == "textDocument/diagnostic":
        items = found(texts[message["params"]["textDocument"]["uri"]])
        give(id=message["id"], result={"items": items})
    else:
        heard(message)
"""
)
"""Says more about the whole than anybody can take."""
