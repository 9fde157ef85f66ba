"""What settings mean for agents: which model, told what, within which limits, with whose keys.

A person's key goes to the provider, or to an address that the person set. To an address that a
project's file sets goes the key that is written out in that same file, or none: otherwise whoever
writes such a file would be sent the keys of all who work with it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from hearth.core.vocabulary import lines
from hearth.core.vocabulary.lines import Dialect
from hearth.core.vocabulary.prompting import Effort
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import Entry
from hearth.settings.providers import Provider, Providers
from hearth.settings.schema import DEFAULT_MODEL
from hearth.settings.snapshot import Snapshot

USUAL_BUDGET: Final = 4_000
"""So many tokens of what is remembered go into a request if nobody says how many."""
USUAL: Final = lines.TurnLimits()


@dataclass(frozen=True)
class ProviderSettings:
    """How one provider of models is reached. Nothing of a key is ever in its `repr`."""

    name: str
    base_url: str | None = None
    """None: the provider's own address."""
    api_key: str | None = field(default=None, repr=False)
    key_command: str | None = field(default=None, repr=False)
    key_file: str | None = None
    """An absolute path."""
    dialect: Dialect | None = None
    """None: the provider's own."""
    window: int | None = None
    """Tokens that fit into a request together with its answer; None: by the model."""
    max_output: int | None = None
    """Tokens that an answer may have; None: by the model."""
    withheld: str = ""
    """Why a key that the person has is not in here, in a sentence."""


@dataclass(frozen=True)
class AgentSettings:
    """The settings of an agent in one place."""

    model: str
    effort: Effort | None = None
    """None: nobody set it."""
    system_prompt: str | None = None
    instructions: tuple[str, ...] = ()
    max_steps: int = USUAL.max_steps
    max_retries: int = USUAL.max_retries
    compaction: bool = USUAL.compaction
    reserve_tokens: int = USUAL.reserve_tokens
    keep_recent_tokens: int = USUAL.keep_recent_tokens
    knowledge: bool = True
    nudge_interval: int = USUAL.nudge_interval
    injection_budget: int = USUAL_BUDGET
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    root: str = ""
    """The root of the project; "" if it is nobody's but the person's."""
    trusted: bool = False
    """Whether the person trusts the project."""

    @property
    def remembers(self) -> bool:
        """Whether agents note here what they learn, and are told what was noted."""
        return self.knowledge and self.trusted


def usual_agents(_directory: str) -> AgentSettings:
    """What holds where nobody has set anything."""
    return AgentSettings(DEFAULT_MODEL)


def agents_settings(keeper: SettingsKeeper) -> Callable[[str], AgentSettings]:
    """What holds for agents in a directory, as of now; "" is for those that belong to no project.

    May wait for the disk.
    """

    def settings(directory: str) -> AgentSettings:
        return agent_settings(keeper.current(Path(directory) if directory else None))

    return settings


def agent_settings(snapshot: Snapshot) -> AgentSettings:
    """What a snapshot of all settings means for agents."""
    said = snapshot.settings
    knowledge, compaction = said.knowledge, said.compaction
    return AgentSettings(
        model=said.model,
        effort=None if said.effort is None else Effort(said.effort),
        system_prompt=said.system_prompt,
        instructions=said.instructions or (),
        max_steps=said.max_turns or USUAL.max_steps,
        max_retries=said.max_retries or USUAL.max_retries,
        compaction=compaction.enabled is not False,
        reserve_tokens=compaction.reserve_tokens or USUAL.reserve_tokens,
        keep_recent_tokens=compaction.keep_recent_tokens or USUAL.keep_recent_tokens,
        knowledge=knowledge.enabled is not False,
        nudge_interval=knowledge.nudge_interval or USUAL.nudge_interval,
        injection_budget=knowledge.injection_budget or USUAL_BUDGET,
        providers=MappingProxyType(dict(_providers(snapshot))),
        root=snapshot.root,
        trusted=snapshot.trusted,
    )


def _providers(snapshot: Snapshot) -> Iterator[tuple[str, ProviderSettings]]:
    for one in msgspec.structs.fields(Providers):
        said: Provider = getattr(snapshot.settings.provider, one.name)
        yield one.encode_name, _provider(snapshot, one.encode_name, said)


def _provider(snapshot: Snapshot, name: str, said: Provider) -> ProviderSettings:
    keyless = ProviderSettings(
        name=name,
        base_url=said.base_url,
        dialect=None if said.dialect is None else Dialect(said.dialect),
        window=said.window,
        max_output=said.max_output,
    )
    address = _project_address(snapshot, name)
    if address is None:
        return replace(
            keyless,
            api_key=said.api_key,
            key_command=said.key_command,
            key_file=_path(snapshot, f"provider.{name}.keyFile", said.key_file),
        )
    own = _project_key(snapshot, name)
    has_other = bool(said.api_key or said.key_command or said.key_file)
    withheld = (
        f"your key for {name} is not sent to {said.base_url}, which {address.where} sets; "
        f"if it should be, set provider.{name}.baseUrl to that address in your own hearth.jsonc"
    )
    return replace(keyless, api_key=own, withheld=withheld if has_other and own is None else "")


def _project_address(snapshot: Snapshot, name: str) -> Entry | None:
    """The address that counts, if it is the project's wish alone."""
    counting = _counting(snapshot, f"provider.{name}.baseUrl")
    if not counting or not _is_of_project(snapshot, counting[-1]):
        return None
    address = counting[-1]
    agreed = any(one.value == address.value for one in counting[:-1])
    return None if agreed else address


def _project_key(snapshot: Snapshot, name: str) -> str | None:
    """The key that the project's file holds itself. One out of the environment is the person's."""
    for one in _counting(snapshot, f"provider.{name}.apiKey"):
        if _is_of_project(snapshot, one) and not one.is_filled:
            return str(one.value)
    return None


def _counting(snapshot: Snapshot, name: str) -> list[Entry]:
    return [one.entry for one in snapshot.said.get(name, ()) if one.counts]


def _is_of_project(snapshot: Snapshot, entry: Entry) -> bool:
    return bool(snapshot.project) and entry.source == snapshot.project


def _path(snapshot: Snapshot, name: str, said: str | None) -> str | None:
    """A path as it is meant: from the folder of the file that says it."""
    if said is None:
        return None
    try:
        path = Path(said).expanduser()
    except RuntimeError:  # `~somebody`, and there is nobody of this name: it is not there, then
        path = Path(said)
    return str(Path(snapshot.given[name].source).parent / path)
