"""What is found out about a line while it is gone through."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, NETWORK, READ, WRITE, Need, Verdict
from hearth.performers.judging.paths import Place, path_needs, tree_needs
from hearth.performers.judging.shell import characters
from hearth.performers.judging.shell.globs import Budget
from hearth.performers.judging.shell.naming import pattern_of
from hearth.performers.judging.shell.sieves import Sieve
from hearth.performers.judging.shell.trees import Allowance, look_through

MOST_PATHS: Final = 1200
"""So many paths of one line are looked at."""
MOST_SHOWN: Final = 400
MOST_REPEATED: Final = 200
"""So many commands are looked at again for the words of loops."""

_READ_ANYWAY: Final = frozenset({"/dev/stdin", "/dev/null"})
"""What a command may read anyway, or what is nothing."""


@dataclass(slots=True)
class Findings:
    """Needs, parts and doubts, in the order in which they are found, each once."""

    budget: Budget = field(default_factory=Budget)
    allowance: Allowance = field(default_factory=Allowance)
    needs: dict[tuple[str, str, str], Need] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    doubts: dict[str, None] = field(default_factory=dict)
    told: list[tuple[int, Need]] = field(default_factory=list)
    """What is shown to people, and how deep."""
    reads_only: bool = True
    opens_files: bool = False
    """A redirection opens a file for reading."""
    reopens: bool = False
    """A redirection writes to what is open already, by its name."""
    _paths: int = 0
    _repeated: int = 0
    _seen: dict[tuple[str, str, str, bool], tuple[Need, ...]] = field(default_factory=dict)

    def doubt(self, why: str) -> None:
        """Something cannot be proven: it has to be asked for, whatever the rules say."""
        self.doubts[why] = None
        self.reads_only = False

    def may_repeat(self, commands: int) -> bool:
        """Whether a loop may be gone through so often; otherwise its variable is not known."""
        if self._repeated + commands > MOST_REPEATED:
            return False
        self._repeated += commands
        return True

    def add(self, needs: Iterable[Need], depth: int = 1) -> None:
        """More that is needed. Of two that are the same the stricter counts."""
        for need in needs:
            key = (need.permission, need.target, need.resolved)
            before = self.needs.get(key)
            if before is None:
                self.needs[key] = need
                if len(self.told) < MOST_SHOWN:
                    self.told.append((depth, need))
            elif _rank(need) > _rank(before):
                self.needs[key] = need

    def path(
        self, path: str, permission: str, place: Place, why: str, *, below: bool = False
    ) -> tuple[Need, ...]:
        """What it takes to use a path; nothing for what is read anyway."""
        if path == "/dev/null" or (permission == READ and path in _READ_ANYWAY):
            return ()
        key = (path, permission, place.directory, below)
        found = self._seen.get(key)
        if found is None:
            self._paths += 1
            if self._paths > MOST_PATHS:
                self.doubt(f"more than {MOST_PATHS} paths would have to be looked at")
                return ()
            ask = tree_needs if below else path_needs
            found = self._seen[key] = ask(path, permission, place, why)
        return found

    def read(self, path: str, place: Place, why: str, *, below: bool = False) -> None:
        """A path is read."""
        self.add(self.path(path, READ, place, why, below=below), 2)

    def search(
        self, path: str, sieve: Sieve, place: Place, why: str, *, follows: bool = False
    ) -> None:
        """All that is in the files below a folder is read, or in a file."""
        needs = self.path(path, READ, place, why, below=True)
        top = next((need.resolved for need in needs), "")
        if not top or place.is_outside(top):
            self.add(needs, 2)
            return
        tree = look_through(top, sieve, self.allowance)
        doubt = ""
        if not tree.is_whole:
            doubt = "too much lies below it to say that no file there may hold secrets"
        elif follows and tree.has_links:
            doubt = "links below it are followed"
        if doubt:
            needs = tuple(_asked(need, f"{why}: {doubt}") for need in needs)
        self.add(needs, 2)
        for secret in tree.secrets:
            self.read(secret, place, why)

    def write(self, path: str, place: Place, why: str, *, below: bool = False) -> None:
        """A path is written to."""
        if path != "/dev/null":
            self.reads_only = False
            self.add(self.path(path, WRITE, place, why, below=below), 2)

    def touch(self, path: str, place: Place, why: str) -> None:
        """A path is used in a way that nobody knows."""
        self.add(self.path(path, EXTERNAL, place, why), 2)
        is_protected = [
            need for need in self.path(path, WRITE, place, why) if need.least is Verdict.DENY
        ]
        self.add(is_protected, 2)

    def network(self, target: str, why: str, *, least: Verdict = Verdict.ALLOW) -> None:
        """Others are talked to."""
        self.reads_only = False
        pattern = target if least is Verdict.ALLOW else ""
        self.add([Need(NETWORK, target, "", Verdict.ASK, least, why, pattern)], 2)

    def execute(self, words: tuple[str, ...], usual: Verdict, least: Verdict, why: str) -> None:
        """A command is run."""
        target = " ".join(words)
        self.parts.append(target)
        if usual is not Verdict.ALLOW:
            self.reads_only = False
        pattern = pattern_of(words) if least is Verdict.ALLOW else ""
        usual = max(usual, least, key=_ORDER.__getitem__)
        self.add([Need(EXECUTE, target, "", usual, least, why, pattern)])

    def settled(self, line: str) -> tuple[Need, ...]:
        """All needs; if there is a doubt, no command may be run without being asked for."""
        if not self.doubts:
            return tuple(self.needs.values())
        why = "; ".join(list(self.doubts)[:3])
        if not any(need.permission == EXECUTE for need in self.needs.values()):
            self.add([Need(EXECUTE, line, "", Verdict.ASK, Verdict.ASK, why)])
        return tuple(_doubted(need, why) for need in self.needs.values())


_ORDER: Final = {verdict: rank for rank, verdict in enumerate(Verdict)}


def _rank(need: Need) -> tuple[int, int]:
    return _ORDER[need.least], _ORDER[need.usual]


def _doubted(need: Need, why: str) -> Need:
    if need.permission != EXECUTE or need.least is not Verdict.ALLOW:
        return need
    said = f"{need.why}; {why}" if need.why else why
    return replace_need(need, usual=Verdict.ASK, least=Verdict.ASK, why=said, pattern="")


def _asked(need: Need, why: str) -> Need:
    if need.usual is not Verdict.ALLOW:
        return need
    return replace_need(need, usual=Verdict.ASK, least=need.least, why=why, pattern=need.pattern)


def replace_need(need: Need, *, usual: Verdict, least: Verdict, why: str, pattern: str) -> Need:
    """The same need with other verdicts."""
    return Need(need.permission, need.target, need.resolved, usual, least, why, pattern)


def shown(need: Need) -> str:
    """A need for people."""
    least = f", at least {need.least}" if need.least is not Verdict.ALLOW else ""
    leads = (
        f" -> {need.resolved}" if need.resolved and not need.resolved.endswith(need.target) else ""
    )
    why = f" ({need.why})" if need.why else ""
    text = f"{need.permission} {need.target}{leads}: {need.usual}{least}{why}"
    return characters.visible(text)
