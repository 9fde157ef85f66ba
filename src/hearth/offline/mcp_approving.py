"""`hearth mcp approve`: a person looks at what a project's servers would run, and lets them."""

import sys
from typing import Any

from hearth.offline.answering import Answer, Trouble
from hearth.offline.mcp_settings import check_name, here, say
from hearth.offline.words import Asked
from hearth.settings.mcp import SERVERS, ServerSpec, servers_of
from hearth.settings.mcp_approvals import McpApprovals
from hearth.settings.snapshot import Snapshot


def approve(asked: Asked) -> Answer:
    """Show each of the project's servers that waits for it, ask, and approve it. Trouble."""
    where = here(asked.given.get("--proj"))
    snapshot = where.snapshot()
    approvals = McpApprovals(where.home)
    meant = _meant(asked, snapshot, approvals)
    approved, refused = [], []
    for spec in meant:
        _show(spec)
        if "--yes" in asked.given or _asks(spec.name):
            _keep(approvals, spec)
            approved.append(spec.name)
        else:
            refused.append(spec.name)
    value = {"root": snapshot.root, "approved": approved, "refused": refused}
    if not meant:
        return Answer(("nothing of this project waits for an approval",), value)
    lines = [f"{name} is approved, as it is now" for name in approved]
    if refused:
        say(f"not approved: {', '.join(refused)}")
        if not _is_person():
            say("hint: nobody is there to ask; `--yes` approves what was shown")
    return Answer(tuple(lines), value, 1 if refused else 0)


def _meant(asked: Asked, snapshot: Snapshot, approvals: McpApprovals) -> list[ServerSpec]:
    servers = servers_of(snapshot).servers
    name = asked.given.get("NAME")
    if name is not None:
        spec = servers.get(check_name(name))
        if spec is None:
            raise _unknown(name, snapshot)
        if not spec.is_project:
            raise Trouble("yours", f"{name} is your own server: it needs no approval", "")
        return [] if approvals.is_approved(spec) else [spec]
    waiting = [one for one in servers.values() if one.is_project and not approvals.is_approved(one)]
    if not waiting and any(
        _is_untrusted(key, snapshot) for key in snapshot.said if key.startswith(SERVERS)
    ):
        raise _untrusted(snapshot)
    return waiting


def _unknown(name: str, snapshot: Snapshot) -> Trouble:
    if _is_untrusted(f"{SERVERS}{name}", snapshot):
        return _untrusted(snapshot)
    return Trouble(
        "not_there", f"there is no server {name} here", "`hearth mcp list` shows which there are"
    )


def _is_untrusted(key: str, snapshot: Snapshot) -> bool:
    said = snapshot.said.get(key, ())
    ours = any(one.entry.source == snapshot.project and not one.counts for one in said)
    return ours and not snapshot.trusted


def _untrusted(snapshot: Snapshot) -> Trouble:
    return Trouble(
        "not_trusted",
        f"the project {snapshot.root} is not trusted, so nothing of it counts",
        "look at it and trust it first: `hearth trust`",
    )


def _show(spec: ServerSpec) -> None:
    what = "would be reached" if spec.is_http else "would be run"
    say(f"{spec.name}, configured in {spec.source}; {what}:")
    say(f"  {spec.shown()}")


def _keep(approvals: McpApprovals, spec: ServerSpec) -> None:
    try:
        approvals.approve(spec)
    except OSError as error:
        raise Trouble(
            "not_written",
            f"the approval cannot be kept: {error.strerror or error}",
            "make hearth's home yours to write",
        ) from None


def _is_person() -> bool:
    streams: tuple[Any, ...] = (sys.stdin, sys.stderr)
    return all(one is not None and one.isatty() for one in streams)


def _asks(name: str) -> bool:
    """Whether a person says yes. Without one, nobody does."""
    if not _is_person():
        return False
    sys.stderr.write(f"Let {name} run as shown, with your rights? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
