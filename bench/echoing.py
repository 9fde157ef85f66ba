"""A server of the Model Context Protocol that says the same again: what a call itself costs."""

import json
import sys
from typing import Any

INFO = {"name": "echo", "version": "1"}
TOOL = {
    "name": "echo",
    "description": "Says the same again.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


def main() -> None:
    """Answer line by line until nobody asks any more."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        answer = _answered(asked["method"], asked.get("params") or {})
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}) + "\n")
        sys.stdout.flush()


def _answered(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            version = params["protocolVersion"]
            said = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": INFO}
        case "tools/list":
            said = {"tools": [TOOL]}
        case "tools/call":
            said = {"content": [{"type": "text", "text": params["arguments"]["text"]}]}
        case "ping":
            said = {}
        case _:
            return {"error": {"code": -32601, "message": f"there is no {method}"}}
    return {"result": said}


if __name__ == "__main__":
    main()
