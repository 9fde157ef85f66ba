"""`hearth completion`: scripts by which shells complete verbs, flags and the names of sessions."""

from __future__ import annotations

from hearth.clients.cli.flags import VERSION
from hearth.clients.cli.showing import out
from hearth.clients.cli.troubles import OK
from hearth.clients.cli.verb import Flag, Verb
from hearth.clients.cli.words import ALONE, EVERYWHERE, VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

NAMES: Final = "hearth sessions --names 2>/dev/null"
"""What a shell asks for the names of sessions. It answers in a blink, or says nothing."""
FOLDERS: Final = frozenset({"DIR", "[DIR]"})
FILES: Final = "[FILE…]"
SESSIONS: Final = frozenset(
    {"session", "stop-session", "undo", "redo", "try", "keep", "fork", "tree", "compare"}
)
"""The flag and the verbs behind which a session is named."""


def carry_out(asked: Asked) -> int:
    """Print the script for a shell; the exit code."""
    scripts = {"bash": bash, "zsh": zsh, "fish": fish}
    out(scripts[asked.words[0]]())
    return OK


def bash() -> str:
    """The script for bash."""
    cases = "\n".join(
        f"    {verb.name or chr(34) * 2}) words='{' '.join(_offered(verb))}' ;;"
        for verb in (ALONE, *VERBS)
    )
    named = "|".join(_spelled(ALONE, "session"))
    folders = "|".join(sorted({one for verb in VERBS for one in _spelled(verb, "proj")}))
    valued = "|".join(sorted(_valued()))
    chosen = "\n".join(_bash_values(*one) for one in sorted(_chosen().items()))
    files = "|".join(one.name for one in VERBS if FILES in one.takes)
    return f"""\
# hearth for bash. Made by `hearth completion bash`.
# Names are taken as they are: compgen would carry out what is written in them.
_hearth_sessions() {{
  local name
  while IFS= read -r name; do
    [[ $name == "$1"* ]] && COMPREPLY+=("$(printf %q "$name")")
  done < <({NAMES})
}}
_hearth() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {valued}) ((i++)) ;;
      -*) ;;
      *) verb=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  COMPREPLY=()
  case $prev in
    {named}) _hearth_sessions "$cur"; return ;;
    {folders}) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
{chosen}
    {valued}) return ;;
  esac
  case $verb in
{cases}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  case $verb in
    {"|".join(one.name for one in VERBS if one.name in SESSIONS)}) _hearth_sessions "$cur" ;;
  esac
  case $verb in
    {files}) mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$cur") ;;
    trust) mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -d -- "$cur") ;;
  esac
}}
complete -F _hearth hearth"""


def zsh() -> str:
    """The script for zsh."""
    verbs = "\n".join(f"    {_quoted(f'{one.name}:{one.says}')}" for one in VERBS)
    cases = "\n".join(_zsh_case(verb) for verb in VERBS)
    alone = " \\\n    ".join(_zsh_flag(one) for one in (*ALONE.flags, *EVERYWHERE, VERSION))
    return f"""\
#compdef hearth
# hearth for zsh. Made by `hearth completion zsh`.
_hearth_sessions() {{
  local -a names
  names=("${{(@f)$({NAMES})}}")
  compadd -a names
}}
_hearth() {{
  local -a verbs
  verbs=(
{verbs}
  )
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \\
    {alone} \\
    '1: :->verb' '*:: :->rest' && return
  case $state in
    verb) _describe verb verbs ;;
    rest)
      case $line[1] in
{cases}
      esac ;;
  esac
}}
if [ "$funcstack[1]" = _hearth ]; then
  _hearth "$@"
else
  compdef _hearth hearth
fi"""


def fish() -> str:
    """The script for fish."""
    lines = ["# hearth for fish. Made by `hearth completion fish`.", "complete -c hearth -f"]
    alone = "-n __fish_use_subcommand"
    lines += [f"complete -c hearth {alone} -a {one.name} -d {_quoted(one.says)}" for one in VERBS]
    lines += [_fish_flag(one, alone) for one in (*ALONE.flags, *EVERYWHERE, VERSION)]
    for verb in VERBS:
        here = f"-n '__fish_seen_subcommand_from {verb.name}'"
        lines += [_fish_flag(one, here) for one in (*verb.flags, *EVERYWHERE)]
        if verb.choices:
            lines.append(f"complete -c hearth {here} -a {_quoted(' '.join(verb.choices))}")
        if verb.name in SESSIONS:
            lines.append(f"complete -c hearth {here} -a {_quoted(f'({NAMES})')}")
        if FILES in verb.takes:
            lines.append(f"complete -c hearth {here} -F")
        if FOLDERS & set(verb.takes):
            lines.append(f"complete -c hearth {here} -a '(__fish_complete_directories)'")
        if verb.name == "help":
            names = " ".join(one.name for one in VERBS)
            lines.append(f"complete -c hearth {here} -a {_quoted(names)}")
    return "\n".join(lines)


def _offered(verb: Verb) -> list[str]:
    """What can come next: verbs or choices, and flags."""
    flags = [f"--{one.name}" for one in (*verb.flags, *EVERYWHERE)]
    words = [one.name for one in VERBS] if verb.name in {"", "help"} else list(verb.choices)
    return [*words, *flags, *(["--version"] if verb is ALONE else [])]


def _spelled(verb: Verb, name: str) -> list[str]:
    """The ways in which a flag of this verb can be written."""
    return [
        spelling
        for flag in verb.flags
        if flag.name == name
        for spelling in (f"--{flag.name}", *([f"-{flag.short}"] if flag.short else []))
    ]


def _valued() -> set[str]:
    """All flags that are followed by a value."""
    return {
        spelling
        for verb in (ALONE, *VERBS)
        for flag in verb.flags
        if flag.takes and not flag.is_optional
        for spelling in _spelled(verb, flag.name)
    }


def _values(flag: Flag) -> list[str]:
    """Those of which one stands behind a flag; none if it may be anything."""
    return flag.among.split("|") if flag.among else []


def _chosen() -> dict[str, list[str]]:
    """By each flag that takes one of a few values, what they are."""
    return {
        flag.name: _values(flag) for verb in (ALONE, *VERBS) for flag in verb.flags if _values(flag)
    }


def _bash_values(name: str, values: list[str]) -> str:
    offered = f"""compgen -W '{" ".join(values)}' -- "$cur\""""
    return f"    --{name}) mapfile -t COMPREPLY < <({offered}); return ;;"


def _zsh_case(verb: Verb) -> str:
    words = [_zsh_flag(one) for one in (*verb.flags, *EVERYWHERE)]
    if verb.choices:
        words.append(f"'1: :({' '.join(verb.choices)})'")
    elif FILES in verb.takes:
        words.append("'1: :{_hearth_sessions; _files}' '*: :_files'")
    elif verb.name in SESSIONS:
        words.append("'1: :_hearth_sessions'")
    elif FOLDERS & set(verb.takes):
        words.append("'1: :_files -/'")
    elif verb.name == "help":
        words.append(f"'1: :({' '.join(one.name for one in VERBS)})'")
    inner = " \\\n          ".join(words)
    return f"        {verb.name}) _arguments \\\n          {inner} ;;"


def _zsh_flag(flag: Flag) -> str:
    says = flag.says.replace("[", "(").replace("]", ")").replace(":", ",")
    value = ""
    if flag.takes:
        action = {"session": "_hearth_sessions", "proj": "_files -/"}.get(flag.name, "")
        action = action or (f"({' '.join(_values(flag))})" if _values(flag) else "")
        value = f"{'::' if flag.is_optional else ':'}{flag.takes.strip('[]')}:{action}"
    tail = f"[{says}]{value}"
    if not flag.short:
        return _quoted(f"--{flag.name}{tail}")
    both = f"(-{flag.short} --{flag.name})"
    return f"{_quoted(both)}{{-{flag.short},--{flag.name}}}{_quoted(tail)}"


def _fish_flag(flag: Flag, where: str) -> str:
    short = f" -s {flag.short}" if flag.short else ""
    value = ""
    if flag.takes and not flag.is_optional:
        offers = {"session": f"({NAMES})", "proj": "(__fish_complete_directories)"}
        if _values(flag):
            offers = {flag.name: " ".join(_values(flag))}
        value = f" -x -a {_quoted(offers[flag.name])}" if flag.name in offers else " -x"
    return f"complete -c hearth {where} -l {flag.name}{short}{value} -d {_quoted(flag.says)}"


def _quoted(text: str) -> str:
    """The text as one word of a shell."""
    inner = text.replace("'", "'\\''")
    return f"'{inner}'"
