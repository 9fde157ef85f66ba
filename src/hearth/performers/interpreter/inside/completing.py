"""What could come at the cursor, known without running anything of the user's.

IPython's own completer is not used: it asks `__dir__` and properties, takes milliseconds, and
changes the process's warning filters while a cell may be running in the main thread.
"""

import builtins
import keyword
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from . import candidates, describing, reading, signatures
from .candidates import Item, Proposals
from .exploring import attribute_names
from .naming import own_names, snapshot
from .resolving import Resolved, attribute, resolve
from .scanning import Place, code_before, expression_before, place_at_end

MOST = 500
DETAILED = 60
"""How many proposals are told with their signature: it takes longer than all the rest."""

_WORD = re.compile(r"\w*\Z")
_IMPORT = re.compile(r"\s*import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*(?P<parent>(?:\w+\.)*)\w*\Z")
_FROM = re.compile(r"\s*from\s+(?P<parent>(?:\w+\.)*)\w*\Z")
_FROM_WORD = re.compile(r"\s*from\s+[\w.]+\s+\w*\Z")
_FROM_IMPORT = re.compile(
    r"(?:^|\n|;)[ \t]*from\s+(?P<module>[\w.]+)\s+import\s+(?:\(\s*)?"
    r"(?:\w+(?:\s+as\s+\w+)?\s*,\s*)*\w*\Z"
)
_ASSIGNED = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)"
    r"|for[ \t]+(\w+)[ \t]+in\b"
    r"|with\b[^\n]*\bas[ \t]+(\w+)[ \t]*:"
    r"|(?:from[^\n]+)?import\b[^\n]*\b(\w+)[ \t]*$"
    r"|(\w+)[ \t]*(?::[^\n=]+)?=(?!=))",
    re.MULTILINE,
)
_OPENS_FILE = re.compile(r"(open|path|read|load|save|write|file|dir|glob)\w*\Z", re.IGNORECASE)
_TAKES_PATH = re.compile(r"\s*(?:!|%(?:cd|run|load|ls|cat|less|more|pycat|writefile)\b)")
_MAGIC = re.compile(r"\s*(%{1,2}\w*)\Z")


def complete(shell: Any, args: dict[str, Any]) -> dict[str, Any]:
    """Proposals for the place of the cursor, best first; each `label` replaces start to end."""
    code = str(args.get("code", ""))
    cursor = args.get("cursor")
    cursor = len(code) if type(cursor) is not int else max(0, min(cursor, len(code)))
    before = code_before(code, cursor)
    moved = cursor - len(before)
    found = _proposals(shell, before)
    return {
        "items": [item._asdict() for item in found.items[:MOST]],
        "start": found.start + moved,
        "end": cursor,
    }


def _proposals(shell: Any, before: str) -> Proposals:
    line = before[before.rfind("\n") + 1 :]
    place = place_at_end(before)
    magic = _MAGIC.match(line)
    if magic is not None and place.string is None and not place.brackets:
        is_first = "\n" not in before.lstrip()
        return Proposals(
            candidates.magics(shell, magic[1], is_first=is_first), len(before) - len(magic[1])
        )
    if _TAKES_PATH.match(line):
        return candidates.paths(re.split(r"[\s'\"=]", line)[-1], before)
    if place.is_comment:
        return Proposals([], len(before))
    if place.string is not None:
        return _in_string(shell, before, place)
    return _in_code(shell, before, place)


def _in_code(shell: Any, before: str, place: Place) -> Proposals:
    word = _word(before)
    start = len(before) - len(word)
    line = re.split(r"[\n;]", before)[-1]
    match = _IMPORT.match(line) or _FROM.match(line)
    if match is not None:
        names = _fitting(word, _modules(match["parent"][:-1]))
        return Proposals([Item(name, "module") for name in names[:MOST]], start)
    match = _FROM_IMPORT.search(before)
    if match is not None:
        return Proposals(_importable(match["module"], word), start)
    if _FROM_WORD.match(line):
        return Proposals([Item(one, "keyword") for one in _fitting(word, ["import"])], start)
    if before[:start].rstrip(" ").endswith("."):
        expression = expression_before(before[:start].rstrip(" ")[:-1].rstrip(" "))
        is_number = expression[:1].isdigit()
        owner = None if is_number else resolve(snapshot(shell), expression)
        return Proposals([] if owner is None else _attributes(owner, word), start)
    return Proposals(_names(shell, before, place, word), start)


def _in_string(shell: Any, before: str, place: Place) -> Proposals:
    start = place.string or 0
    content = before[start:]
    if "f" in place.prefix and content.rfind("{") > content.rfind("}"):
        inner = content[content.rfind("{") + 1 :]
        found = _in_code(shell, inner, place_at_end(inner))
        return Proposals(found.items, len(before) - len(inner) + found.start)
    if place.brackets:
        bracket, at = place.brackets[-1]
        opened = before[at + 1 : start - len(place.quote) - len(place.prefix)]
        if bracket == "[" and not opened.strip():
            owner = resolve(snapshot(shell), expression_before(before[:at]))
            keys = [] if owner is None else candidates.keys(owner.value)
            fitting = [Item(key, "other") for key in keys if key.startswith(content)]
            return Proposals(sorted(fitting)[:MOST], start)
        if not content and bracket == "(" and not _OPENS_FILE.search(before[:at]):
            return Proposals([], start)
    elif not content:
        return Proposals([], start)
    return candidates.paths(content, before)


def _names(shell: Any, before: str, place: Place, word: str) -> list[Item]:
    """Names at the top level: what the call takes, one's own, keywords, builtins, private ones."""
    own = own_names(shell)
    taken = {item.label: item for item in _parameters(shell, before, place)}
    written = {one for match in _ASSIGNED.findall(before[: -len(word) or None]) for one in match}
    groups: list[Iterable[str]] = [taken, own.keys() | (written - {""})]
    if word:
        groups += [[*keyword.kwlist, *_SOFT], vars(builtins)]
    labels = dict.fromkeys(label for group in groups for label in _fitting(word, group))
    # What is told of a value takes longer than to choose it: only of those that are shown.
    chosen = sorted(labels, key=lambda label: label.startswith("_"))[:MOST]
    known = {**vars(builtins), **own}
    return [
        taken.get(label) or _named(label, known, detailed=number < DETAILED)
        for number, label in enumerate(chosen)
    ]


_SOFT = ["match", "case", "type"]


def _named(label: str, known: dict[str, Any], *, detailed: bool) -> Item:
    if label not in known:
        is_keyword = keyword.iskeyword(label) or label in _SOFT
        return Item(label, "keyword" if is_keyword else "variable")
    value = known[label]
    if keyword.iskeyword(label):
        return Item(label, "keyword")  # True, False, None
    kind = describing.kind(value)
    if detailed and kind in {"function", "class", "method"}:
        return Item(label, kind, signatures.type_and_signature(value))
    return Item(label, kind, describing.type_text(value))


def _attributes(owner: Resolved, word: str) -> list[Item]:
    """What stands after a dot; of instances what they store and their class defines."""
    if owner.is_computed:
        return []  # What a property gives is not known before it is asked.
    value = owner.looked_at
    names = attribute_names(value)
    if describing.is_a(value, type) and owner.instance_of is None:
        names |= {"__name__", "__mro__", "__doc__", "__module__", "mro"}
    chosen = _fitting(word, names)
    if not word.startswith("_"):
        # Dunders only when they are asked for.
        chosen = [label for label in chosen if not label.startswith("__")]
    found = []
    for number, label in enumerate(chosen[:MOST]):
        shown = attribute(owner, label)
        if shown is None:
            found.append(Item(label, "other"))
        elif shown.is_computed:
            found.append(Item(label, "property"))
        else:
            found.append(_attribute(label, shown.value, owner, detailed=number < DETAILED))
    return found


def _attribute(name: str, value: Any, owner: Resolved, *, detailed: bool) -> Item:
    kind = describing.kind(value)
    is_instance = owner.instance_of is not None or not describing.is_a(
        owner.value, (type, type(os))
    )
    if kind == "function" and is_instance:
        kind = "method"
    elif kind == "variable" and is_instance:
        kind = "property"
    if owner.instance_of is not None and kind == "method":
        return Item(name, kind, f"method {signatures.signature(value, bound=True)}")
    detail = signatures.type_and_signature if detailed else describing.type_text
    return Item(name, kind, detail(value))


def _parameters(shell: Any, before: str, place: Place) -> Iterator[Item]:
    """`name=` for what the call at the cursor can be given by name and was not yet."""
    if not place.brackets or place.brackets[-1][0] != "(":
        return
    at = place.brackets[-1][1]
    function = resolve(snapshot(shell), expression_before(before[:at]))
    given = before[at + 1 :]
    if function is None or function.instance_of is not None or re.search(r"=\s*\w*\Z", given):
        return
    already = set(re.findall(r"(\w+)\s*=(?!=)", given))
    for one in signatures.parameters(function.value):
        if one.name not in already and one.name != "self":
            yield Item(f"{one.name}=", "parameter", describing.cut(signatures.parameter_text(one)))


def _modules(parent: str) -> frozenset[str]:
    if not parent:
        return reading.top_level()
    spec = reading.spec_of(parent)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    inside = f"{parent}."
    loaded = {one[len(inside) :] for one in tuple(sys.modules) if one.startswith(inside)}
    return reading.submodules(folders) | {one for one in loaded if "." not in one}


def _importable(module: str, word: str) -> list[Item]:
    """What `from module import` can bring: of a loaded module what it has, else what is written."""
    found = resolve({}, module)
    if found is not None and describing.is_a(found.value, type(os)):
        stored = dict(vars(found.value))
        names = {name for name in stored if type(name) is str} | _modules(module)
        return [
            _named(name, stored, detailed=False) if name in stored else Item(name, "module")
            for name in _fitting(word, names)[:MOST]
        ]
    source = reading.read_module(module)
    members = {} if source is None else {one.name: one for one in source.members}
    chosen = [members[name] for name in _fitting(word, members)]
    return [Item(one.name, one.kind, one.signature) for one in chosen]


def _fitting(word: str, labels: Iterable[str]) -> list[str]:
    """Those that go on from the word, private ones last; by any case if none does by its own."""
    every = list(labels)
    chosen = [one for one in every if one.startswith(word)]
    if not chosen:
        chosen = [one for one in every if one.lower().startswith(word.lower())]
    return sorted(chosen, key=lambda one: (_privacy(one), one.lower(), one))


def _privacy(label: str) -> int:
    return min(2, len(label) - len(label.lstrip("_")))


def _word(before: str) -> str:
    match = _WORD.search(before)
    return "" if match is None else match[0]
