import subprocess
import sys

from tests.performers.mcp_client.faking import Fakes, call

from hearth.performers.mcp_client.recorded import FOLDER

LOADED = """
import sys
import hearth.app, hearth.serving.running
print([one for one in sys.modules if one.split(".")[0] in {"mcp", "mcp_types", "httpx2"}])
"""


async def test_what_runs_is_written_down_until_it_has_ended(fakes: Fakes) -> None:
    server = await fakes.starter().connect(fakes.spec())
    (note,) = (fakes.home / FOLDER).iterdir()
    assert str(server.pid) in note.read_text()
    assert (await server.call(call("where"))).text == str(fakes.folder)
    await server.close()
    assert list((fakes.home / FOLDER).iterdir()) == []


def test_a_daemon_that_uses_no_server_has_not_loaded_the_library() -> None:
    argv = [sys.executable, "-c", LOADED]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - our own Python
    assert done.stdout.strip() == "[]"
