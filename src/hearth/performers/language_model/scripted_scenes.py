"""What the scripted model says: by a script, or as a companion that runs code it is given.

Everything here follows from the messages alone, so that the same conversation is answered alike
whenever and wherever it is held.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Message,
    Returned,
    ToolMessage,
    UserMessage,
)

LONGEST_SCRIPT: Final = 4 * 1024 * 1024
LONGEST_CUE: Final = 4_000
"""Characters of what was said to the model that `when` is looked for in."""
SHOWN: Final = 2_000
"""Characters of a result that the companion repeats."""
ENDED: Final = "The script ends here."
COUNTED: Final = "Answers so far: "

_FENCED: Final = re.compile(
    r"^```[ \t]*(?:python|py|ipython)?[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL
)
_LINE: Final = re.compile(r"^[ \t]*run:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_SHELL: Final = re.compile(r"^[ \t]*\$[ \t]+(.+)$", re.MULTILINE)
_COUNT: Final = re.compile(rf"^{COUNTED}(\d+)\.$", re.MULTILINE)


class ScriptBroken(Exception):
    """A script that cannot be played. The message says what is wrong and where."""


class ScriptedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool that is called. `arguments` is an object; a text is sent as it is, valid or not."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    arguments: dict[str, Any] | str = {}

    def written(self) -> str:
        """The arguments as the model writes them."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer."""

    thinking: str = ""
    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    delay: Annotated[float, msgspec.Meta(ge=0, le=60)] = 0.0
    """Seconds before each word."""
    when: str = ""
    """The answer to any message that has this in it; without it answers come in their order."""


class Cue(msgspec.Struct, frozen=True):
    """What was said to the model since its last answer."""

    prompts: tuple[str, ...] = ()
    results: tuple[Returned, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        said = "\n".join((*(one.text[:LONGEST_CUE] for one in self.results), *self.prompts))
        return said[-LONGEST_CUE:]


class Memory:
    """What the scripted model knows of a conversation: what each of its answers was to."""

    def __init__(self) -> None:
        self._answered: list[str] = []
        self._forgotten = 0
        """Answers that a summary stands in the place of."""
        self._cue = Cue()

    def take(self, message: Message) -> None:
        """The next message of the conversation."""
        match message:
            case UserMessage():
                if counted := _COUNT.search(message.text):
                    self._forgotten = int(counted[1])
                self._cue = Cue((*self._cue.prompts, message.text), self._cue.results)
            case AssistantMessage():
                self._answered.append(self._cue.text)
                self._cue = Cue()
            case ToolMessage():
                self._cue = Cue(self._cue.prompts, message.results)

    def now(self, messages: Sequence[Message]) -> "Memory":
        """The same, with messages behind it that may still change."""
        memory = Memory()
        memory._answered = list(self._answered)
        memory._forgotten, memory._cue = self._forgotten, self._cue
        for message in messages:
            memory.take(message)
        return memory

    @property
    def cue(self) -> Cue:
        """What is to be answered."""
        return self._cue

    @property
    def answers(self) -> int:
        """How many answers there were."""
        return self._forgotten + len(self._answered)

    def plain(self, whens: Sequence[str]) -> int:
        """How many of them were none of those that wait for a text."""
        if not whens:
            return self.answers
        said = sum(not any(when in text for when in whens) for text in self._answered)
        return self._forgotten + said


def script_at(path: str, directory: str) -> tuple[Scene, ...]:
    """The script in a file; a path that is not absolute begins in the directory. ScriptBroken."""
    try:
        whole = Path(directory or "/") / Path(path).expanduser()
        with whole.open("rb") as file:
            raw = file.read(LONGEST_SCRIPT + 1)
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ScriptBroken(f"the script {path} cannot be read: {why}") from error
    if len(raw) > LONGEST_SCRIPT:
        raise ScriptBroken(f"the script {path} has more than {LONGEST_SCRIPT} bytes")
    try:
        return msgspec.json.decode(raw, type=tuple[Scene, ...])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ScriptBroken(
            f"the script {path} is not as it must be: {error}; docs/guides/models.md shows one"
        ) from error


def played(script: Sequence[Scene], memory: Memory) -> Scene:
    """The answer that a script has now."""
    text = memory.cue.text
    for scene in script:
        if scene.when and scene.when in text:
            return scene
    plain = [scene for scene in script if not scene.when]
    place = memory.plain([scene.when for scene in script if scene.when])
    return plain[place] if place < len(plain) else Scene(text=ENDED)


def companion(memory: Memory, *, can_run: bool, has_shell: bool = False) -> Scene:
    """What the built-in companion answers."""
    cue = memory.cue
    told = [_told(result) for result in cue.results]
    code = next((found for said in reversed(cue.prompts) if (found := code_in(said))), "")
    if code and can_run:
        text = "\n\n".join([*told, "I run this in the interpreter that we share."])
        return Scene(text=text, calls=(ScriptedCall("run_code", {"code": code}),))
    commands = commands_in(cue.prompts[-1]) if cue.prompts and has_shell else ()
    if commands:
        text = "\n\n".join([*told, "I run this as a command."])
        calls = tuple(ScriptedCall("run_shell", {"command": one}) for one in commands)
        return Scene(text=text, calls=calls)
    if cue.prompts:
        told.append(_small_talk(cue.prompts[-1]))
    return Scene(text="\n\n".join(told) or "There is nothing that I could answer.")


def summary_of(messages: Sequence[Message]) -> str:
    """What the scripted model writes when it is asked to sum up."""
    memory = Memory()
    prompts = []
    for message in messages[:-1]:  # the last one asks for the summary
        memory.take(message)
        if isinstance(message, UserMessage):
            prompts.append(f"- {_short(message.text)}")
    return "\n".join(("What was asked so far:", *prompts, "", f"{COUNTED}{memory.answers}."))


def code_in(text: str) -> str:
    """The code that a message asks to run: its first fenced block, or its lines with `run:`."""
    if fenced := _FENCED.search(text):
        return fenced[1].rstrip("\n")
    return "\n".join(line.strip() for line in _LINE.findall(text))


def commands_in(text: str) -> tuple[str, ...]:
    """The commands that a message asks to run: its lines that begin with `$`."""
    return tuple(line.strip() for line in _SHELL.findall(text))


def _told(result: Returned) -> str:
    text = result.text if len(result.text) <= SHOWN else result.text[:SHOWN] + "…"
    fence = "~~~~" if "~~~" in text else "~~~"
    how = "did not go well" if result.is_error else "went well"
    return f"`{result.name}` {how}:\n\n{fence}\n{text}\n{fence}"


def _small_talk(prompt: str) -> str:
    return (
        f"You said: {_short(prompt)}\n\n"
        "I am the scripted model: I need no key, and I understand nothing. Give me a line that "
        "begins with `run:`, or a fenced block of Python, and I run it in the interpreter that we "
        "share; or one that begins with `$`, and I run it as a command. To speak with a model that "
        "thinks, set `model` and the key of its provider."
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"
