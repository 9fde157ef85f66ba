"""What can go wrong between a client and the daemon, drawn as a tree.

Unreachable
├── DaemonGone     it cannot be reached, and did not come back in time
├── WrongVersion   it is there, but speaks another language
└── Rejected       it answered, and will not: no token, not allowed, a defect

A refusal is none of these: it is a value (`hearth.core.vocabulary.refusals`).
"""


class Unreachable(Exception):
    """The daemon did not do it. `sentence` is for people, `hint` is what would help."""

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(f"{sentence}; hint: {hint}" if hint else sentence)
        self.sentence = sentence
        self.hint = hint


class DaemonGone(Unreachable):
    """Nobody answers."""


class WrongVersion(Unreachable):
    """The daemon is of another version, which this client cannot talk to."""


class Rejected(Unreachable):
    """The daemon will not do it, and it is no refusal of a session. `code` is its word for why."""

    def __init__(self, status: int, code: str, sentence: str, hint: str = "") -> None:
        super().__init__(sentence, hint)
        self.status = status
        self.code = code
