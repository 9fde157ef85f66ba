"""Approvals as they come out of views, for tests."""

from typing import Any

TOUCH: dict[str, Any] = {
    "approval": "a1",
    "calls": ["k1"],
    "why": "execute touch x; write x (written by touch)",
    "name": "run_shell",
    "details": "$ touch x",
    "judged": [
        {"need": {"permission": "execute", "target": "touch x"}, "verdict": "ask", "by": "usual"},
        {
            "need": {"permission": "write", "target": "x", "why": "written by touch"},
            "verdict": "ask",
            "by": 'write "*": ask (/etc/hearth.jsonc:4)',
        },
    ],
    "offers": [
        {"permission": "execute", "pattern": "touch *"},
        {"permission": "write", "pattern": "x"},
    ],
    "at": "2026-01-02T03:04:05Z",
    "agent": "scripted:weaver",
}
ONCE: dict[str, Any] = {**TOUCH, "approval": "a2", "offers": []}
GOING_ON: dict[str, Any] = {"approval": "a3", "calls": [], "why": "three equal calls"}
