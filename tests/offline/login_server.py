"""An MCP server that wants to know who asks, and the server that lets people in there."""

import json
import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit


class LoginServer:
    """Both, at one address; and what they were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.says_no = False
        self.wants_login = True
        self.issuer = ""
        """Another than it should be, for whoever looks at it."""
        self.token = "let-me-in"  # noqa: S105 - nobody's
        self.challenge = ""
        self.base = ""

    @property
    def url(self) -> str:
        """Where the MCP server is."""
        return f"{self.base}/mcp"

    def answer(  # noqa: PLR0911 - one for each page
        self, method: str, path: str, said: dict[str, Any], token: str
    ) -> tuple[int, Any]:
        """The status, and the answer; a text is an address to go to."""
        self.asked.append((path, said))
        match method, path:
            case "GET", "/.well-known/oauth-protected-resource/mcp":
                return 200, {"resource": self.url, "authorization_servers": [self.base]}
            case "GET", "/.well-known/oauth-authorization-server":
                return 200, self._metadata()
            case "POST", "/register":
                return 201, {**said, "client_id": "hearth-1"}
            case "GET", "/authorize":
                return 302, self._back(said)
            case "POST", "/token":
                proof = sha256(said["code_verifier"].encode()).digest()
                if urlsafe_b64encode(proof).rstrip(b"=").decode() != self.challenge:
                    return 400, {"error": "invalid_grant"}
                return 200, {"access_token": self.token, "token_type": "Bearer", "expires_in": 99}
            case "POST", "/mcp" if token == f"Bearer {self.token}" or not self.wants_login:
                return 200, {"jsonrpc": "2.0", "id": 1, "result": {}}
            case "POST", "/mcp":
                return 401, {}
            case _:
                return 404, {}

    def _metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "registration_endpoint": f"{self.base}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def _back(self, said: dict[str, Any]) -> str:
        self.challenge = said["code_challenge"]
        given = {"error": "access_denied"} if self.says_no else {"code": "c0de"}
        query = {**given, "state": said["state"], "iss": self.issuer or self.base}
        return f"{said['redirect_uri']}?{urlencode(query)}"


@contextmanager
def login_server() -> Iterator[LoginServer]:
    """One that listens, gone in the end."""
    server = LoginServer()

    class Answering(BaseHTTPRequestHandler):
        """One request."""

        def do_GET(self) -> None:
            self._answer("GET", {})

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            is_json = "json" in self.headers.get("content-type", "")
            said = json.loads(raw) if is_json else _flat(raw)
            self._answer("POST", said)

        def log_message(self, *_: object) -> None:
            """Nothing."""

        def _answer(self, method: str, said: dict[str, Any]) -> None:
            address = urlsplit(self.path)
            said = {**_flat(address.query), **said}
            token = self.headers.get("authorization", "")
            status, answer = server.answer(method, address.path, said, token)
            body = b"" if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(status)
            if isinstance(answer, str):
                self.send_header("Location", answer)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.base = f"http://127.0.0.1:{listening.server_port}"
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


def _flat(query: str) -> dict[str, Any]:
    return {name: values[0] for name, values in parse_qs(query).items()}
