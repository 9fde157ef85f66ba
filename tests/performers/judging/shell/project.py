"""A project for command lines to be judged in, with something outside of it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.core.rules.permission import judge, strictest
from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.judging.shell.analysis import Analysis, analyse

_FILES: Final = {
    "README.md": "# Project\n",
    "a.txt": "one\ntwo\n",
    "b.txt": "two\nthree\n",
    "data.json": '{"items": [1, 2]}\n',
    "data.csv": "a,b\n1,2\n",
    "Makefile": "all:\n",
    ".env": "SECRET=1\n",
    "src/app.py": "print(1)\n",
    "src/lib/words.py": "X = 1\n",
    "src/lib/more.py": "Y = 2\n",
    "tests/test_app.py": "",
    "docs/guide.md": "guide\n",
    "logs/app.log": "ERROR x\n",
    "build/out.o": "",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = x\n',
    ".git/hooks/pre-commit.sample": "",
    "bare/HEAD": "ref: refs/heads/main\n",
    "bare/config": "[core]\n\tfsmonitor = touch canary\n",
    "bare/objects/x": "",
    "bare/refs/x": "",
    "worktree/HEAD": "ref: refs/heads/main\n",
    "worktree/commondir": "../common\n",
    "worktree/config.worktree": "[core]\n\tbare = false\n\tworktree = ../\n",
    "common/config": "[core]\n\tfsmonitor = touch canary\n[extensions]\n\tworktreeConfig = true\n",
    "common/objects/x": "",
    "common/refs/x": "",
    "named/@more": "../outside/canary\n",
    ".odd/unhidden/.ignore": "!.env\n",
    ".odd/unhidden/.env": "SECRET=1\n",
    "odd/-rf": "",
    "odd/plain": "",
}
CANARY: Final = "canary"


@dataclass(frozen=True, slots=True)
class Project:
    """Where a line is judged."""

    root: Path
    outside: Path
    home: Path
    """Hearth's own, which nobody may touch."""

    def place(self) -> Place:
        """As the tools give it."""
        return Place(str(self.root), str(self.root), (str(self.home),))

    def line(self, text: str) -> str:
        """A line of a corpus for this project."""
        return (
            text.replace("@OUT@", str(self.outside))
            .replace("@HOME@", str(self.home))
            .replace("@PID@", str(os.getpid()))
        )

    def analyse(self, text: str) -> Analysis:
        """What is found out about a line of a corpus."""
        return analyse(self.line(text), self.place())

    def verdict(self, text: str) -> Verdict:
        """What a line of a corpus gets where nobody has made any rules."""
        return strictest(judge(need, ()).verdict for need in self.analyse(text).needs)


def make_project(top: Path) -> Project:
    """A project, a folder beside it with a canary, and links from the one to the other."""
    project = Project(top / "project", top / "outside", top / "hearth")
    for name, content in _FILES.items():
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    project.outside.mkdir()
    (project.outside / CANARY).write_text("alive\n")
    project.home.mkdir()
    (project.home / "token").write_text("secret\n")
    (top / "project-sibling").mkdir()
    (top / "project-sibling" / "file").write_text("other\n")
    (project.root / "link_out").symlink_to(project.outside)
    (project.root / "link_file").symlink_to(project.outside / CANARY)
    (project.root / "link_in").symlink_to("src")
    (project.root / "packed.gz").symlink_to(project.outside / CANARY)
    (project.root / "zipped.zip").symlink_to(project.outside / CANARY)
    (project.root / "links").mkdir()
    (project.root / "links" / "one").symlink_to(project.outside / CANARY)
    return project
