"""What people use today, as it comes: Jupyter's server and its console."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from time import monotonic, perf_counter, sleep
from typing import Any, Self
from urllib.error import URLError

from bench.daemons import LOOK_EVERY, PATIENCE
from websocket import WebSocket, create_connection


def own_jupyter(folder: Path) -> dict[str, str]:
    """The environment in which Jupyter keeps everything in this folder."""
    return {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / "jupyter"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


class JupyterServer:
    """jupyter_server as it comes: a kernel begun by REST, spoken to over its WebSocket."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._socket: WebSocket

    def connect(self) -> Self:
        """Begin a kernel and wait for its first answer."""
        kernel = self._rest("/api/kernels", b"{}")["id"]
        url = f"ws://127.0.0.1:{self._port}/api/kernels/{kernel}/channels?token={self._token}"
        self._socket = create_connection(url, timeout=PATIENCE)
        for _ in range(10):
            self.seconds("1+1")
        return self

    def seconds(self, code: str) -> float:
        """How long a cell takes until its reply and its `idle` have come."""
        began = perf_counter()
        name = token_hex(8)
        self._socket.send(json.dumps(_execute(name, code)))
        wanted = {"execute_reply", "idle"}
        while wanted:
            message = json.loads(self._socket.recv())
            if message["parent_header"].get("msg_id") != name:
                continue
            wanted.discard(message["msg_type"])
            if message["msg_type"] == "status":
                wanted.discard(message["content"]["execution_state"])
        return perf_counter() - began

    def close(self) -> None:
        """Leave; the kernel ends with its server."""
        self._socket.close()

    def _rest(self, path: str, body: bytes) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}{path}",
            data=body,
            headers={"Authorization": f"token {self._token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - the same
            return json.load(answer)


def _execute(name: str, code: str) -> dict[str, Any]:
    header = {
        "msg_id": name,
        "username": "",
        "session": "bench",
        "msg_type": "execute_request",
        "version": "5.3",
    }
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    return {
        "channel": "shell",
        "header": header,
        "parent_header": {},
        "metadata": {},
        "content": content,
    }


@contextmanager
def jupyter(folder: Path) -> Iterator[JupyterServer]:
    """A server of Jupyter with one kernel; both end with the block."""
    token, port = token_hex(16), _free_port()
    command = [
        sys.executable,
        "-m",
        "jupyter_server",
        "--allow-root",
        "--no-browser",
        f"--ServerApp.port={port}",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={folder}",
    ]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        command, env=own_jupyter(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _until_answered(port, token)
            server = JupyterServer(port, token).connect()
            try:
                yield server
            finally:
                server.close()
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _until_answered(port: int, token: str) -> None:
    until = monotonic() + PATIENCE
    while monotonic() < until:
        try:
            url = f"http://127.0.0.1:{port}/api/status?token={token}"
            with urllib.request.urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            sleep(LOOK_EVERY)
    raise TimeoutError("jupyter_server did not come up")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
