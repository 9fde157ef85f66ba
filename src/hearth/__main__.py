"""The command `hearth`: looks at its words just far enough to know which part of hearth they need.

A part is imported when it is chosen: most commands are asked for often and need next to nothing.
"""

import os
import sys

INTERRUPTED = 130
BROKEN_PIPE = 141
"""As a shell counts what SIGINT and SIGPIPE end."""
DEFECT = 70
OFFLINE = frozenset({"config", "doctor", "log", "permissions"})
"""Verbs that need no daemon."""


def main(argv: list[str] | None = None) -> int:
    """Run what these words ask for; the code to exit with. No traceback ever reaches a person."""
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        code = _run(words)
        # Here, where a reader that went away can still be met: afterwards nobody would catch it.
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes once more at its end, into what is then nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as defect:  # noqa: BLE001 - the last line of defence: what it is, is told
        from hearth.daemon.defects import tell  # noqa: PLC0415 - met almost never

        tell(defect)
        return DEFECT
    return code


def _run(words: list[str]) -> int:
    if "--server" in words[:1]:
        return _serve(words[1:])
    if "--supervised" in words and not {"-d", "--daemon"} & set(words):
        from hearth.daemon.home import hearth_home  # noqa: PLC0415 - as the module says
        from hearth.daemon.supervising import supervise  # noqa: PLC0415 - as the module says

        return supervise(hearth_home(), [word for word in words if word != "--supervised"])
    verb = next((word for word in words if word != "--json"), "")
    if verb in OFFLINE:
        return _offline(verb, _without(verb, words))
    if verb == "mcp" and _names_action(words):
        from hearth.offline.mcp import main as mcp  # noqa: PLC0415 - as the module says

        return mcp(_without(verb, words))
    if verb == "demo":
        from hearth.demo.main import main as demo  # noqa: PLC0415 - as the module says

        return demo(words)
    from hearth.clients.cli import main as client  # noqa: PLC0415 - as the module says

    return client(words)


def _without(verb: str, words: list[str]) -> list[str]:
    rest = list(words)
    rest.remove(verb)
    return rest


def _names_action(words: list[str]) -> bool:
    """Whether `mcp` is followed by a word: alone it serves, which needs no settings."""
    rest = [word for word in words if word != "--json"][1:]
    return bool(rest) and not rest[0].startswith("-")


def _serve(words: list[str]) -> int:
    from hearth.performers.interpreter import early  # noqa: PLC0415 - as the module says

    # Beside the imports that follow, which take as long.
    early.begin(sys.executable)
    try:
        from hearth.serving.main import main as serve  # noqa: PLC0415 - the largest part of all

        return serve(words)
    finally:
        early.end()


def _offline(verb: str, words: list[str]) -> int:
    match verb:
        case "config":
            from hearth.offline.config import main as config  # noqa: PLC0415 - as the module says

            return config(words)
        case "doctor":
            from hearth.offline.doctor import main as doctor  # noqa: PLC0415 - as the module says

            return doctor(words)
        case "permissions":
            from hearth.offline.permissions import main as permissions  # noqa: PLC0415 - as above

            return permissions(words)
        case _:
            from hearth.offline.log import main as log  # noqa: PLC0415 - as the module says

            return log(words)


if __name__ == "__main__":
    sys.exit(main())
