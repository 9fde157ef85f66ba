"""The settings that count here, and where each is from."""

import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.dashboard.panels.looking_at import HOSTILE, NOW, Read, looking, tame
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.origin import Origin
from hearth.servers.dashboard.panels.parts import MOST
from hearth.servers.dashboard.panels.settings import show
from hearth.servers.http.around import Around, ConfigShown, TrustShown


class Configured:
    """Settings as a test says."""

    def __init__(self, values: dict[str, Any], sources: dict[str, str], *warnings: str) -> None:
        self._shown = (values, sources, warnings)

    async def shown(self, directory: str) -> ConfigShown:
        values, sources, warnings = self._shown
        return ConfigShown(directory=directory, values=values, sources=sources, warnings=warnings)


class Trusting:
    """A project that is trusted or not."""

    def __init__(self, *files: str, digest: str = "d", trusted: bool = False) -> None:
        self._files, self._digest, self._trusted = files, digest, trusted

    async def look(self, directory: str) -> TrustShown:
        assert directory
        return TrustShown(root="/p", files=self._files, digest=self._digest, trusted=self._trusted)

    async def grant(self, root: str, digest: str, by: Origin) -> TrustShown | str:
        raise AssertionError(f"a viewer grants nothing: {root} {digest} {by}")


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def shown(around: Around, **wanted: str) -> Read:
    return tame(await show(looking(around, **wanted), NOW))


def rows(read: Read) -> list[str]:
    return [one.text for one in read.all("tr")][1:]


async def test_each_setting_has_its_value_and_where_it_is_from(daemon: Served) -> None:
    values: dict[str, Any] = {"b.list": [1, "x"], "a.none": None, "a.text": "4GB", "a.empty": {}}
    config = Configured(values, {"b.list": "/p/hearth.jsonc:4", "a.none": "default"})
    read = await shown(dataclasses.replace(daemon.around, config=config))
    assert rows(read) == [
        'b.list [1,"x"] /p/hearth.jsonc:4',
        "a.empty {} default",
        "a.none null default",
        'a.text "4GB" default',
    ]
    assert "4 settings, 1 set" in read.text


async def test_warnings_come_first(daemon: Served) -> None:
    config = Configured({}, {}, "there is no setting `x`")
    read = await shown(dataclasses.replace(daemon.around, config=config))
    assert "there is no setting `x`" in read.all("section")[0].text
    assert "Nothing is set." in read.text
    assert "Warnings" not in (await shown(daemon.around)).text


async def test_a_filter_looks_at_names_values_and_sources(daemon: Served) -> None:
    config = Configured({"a": 1, "b": "zeta"}, {"a": "/p/Q.jsonc:1", "b": "default"})
    around = dataclasses.replace(daemon.around, config=config)
    assert rows(await shown(around, filter="ZETA")) == ['b "zeta" default']
    assert rows(await shown(around, filter="q.json")) == ["a 1 /p/Q.jsonc:1"]
    assert "No setting has this in it." in (await shown(around, filter="nope")).text


@pytest.mark.parametrize(
    ("trust", "words"),
    [
        (Trusting("init.py", trusted=True), "takes effect, as it is now"),
        (Trusting("init.py"), "is left out. hearth trust lets it in."),
        (Trusting(), "brings nothing that takes effect by itself"),
        (Trusting(digest=""), "cannot be looked at"),
    ],
)
async def test_whether_the_project_is_trusted_is_said_in_words(
    daemon: Served, trust: Trusting, words: str
) -> None:
    read = await shown(dataclasses.replace(daemon.around, trust=trust))
    assert words in read.text


async def test_without_a_session_the_settings_are_those_of_the_person(daemon: Served) -> None:
    read = tame(await show(looking(daemon.around, None), NOW))
    assert "interpreter.memory" in read.text
    assert "As they count in ~" in read.text


async def test_hostile_settings_are_text_and_many_are_bounded(daemon: Served) -> None:
    values: dict[str, Any] = {f"k{number}": number for number in range(MOST + 50)}
    values |= {HOSTILE: HOSTILE, "odd": {1, 2}, "worse": object()}
    config = Configured(values, dict.fromkeys(values, HOSTILE), HOSTILE)
    trust = Trusting(*[HOSTILE] * 30)
    read = await shown(dataclasses.replace(daemon.around, config=config, trust=trust))
    assert "<script>" in read.text
    assert "53 more settings not shown" in read.text
    assert "10 more files not shown" in read.text
