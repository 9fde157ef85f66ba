"""The colours of the dashboard can be read by everybody: WCAG AA, computed."""

import re
from pathlib import Path

import pytest

import hearth.servers.dashboard

STATIC = Path(hearth.servers.dashboard.__file__).parent / "static"
TEXTS = ["text", "muted", "accent", "good", "warn", "bad", "info", "person", "agent", "client"]
GROUNDS = ["bg", "surface", "raised", "code-bg"]
SOFT = [f"{name}-soft" for name in ("good", "warn", "bad", "info", "accent")]


def palettes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r"(:root[^{]*)\{([^}]*)\}", (STATIC / "tokens.css").read_text())
    return {
        name.strip(): dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", body))
        for name, body in blocks
    }


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", palettes())
def test_text_can_be_read_on_every_ground(name: str) -> None:
    colours = palettes()[name]
    for text in TEXTS:
        for ground in (*GROUNDS, *SOFT):
            assert contrast(colours[text], colours[ground]) >= 4.5, f"{text} on {ground}"
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5


@pytest.mark.parametrize("name", palettes())
def test_the_focus_and_the_edges_of_fields_can_be_seen(name: str) -> None:
    colours = palettes()[name]
    for ground in (*GROUNDS, *SOFT):
        assert contrast(colours["focus"], colours[ground]) >= 3, ground
    for ground in GROUNDS:
        assert contrast(colours["edge"], colours[ground]) >= 3, ground


@pytest.mark.promise("DP-UI-16")
def test_there_is_light_and_dark_and_who_chooses_gets_it() -> None:
    found = palettes()
    light, by_system, chosen = (
        found[":root"],
        found[':root:not([data-theme="light"])'],
        found[':root[data-theme="dark"]'],
    )
    assert by_system == chosen
    assert light != chosen
    assert set(light) == set(chosen)


def test_no_other_file_names_a_colour() -> None:
    for file in STATIC.glob("*.css"):
        if file.name != "tokens.css":
            named = re.findall(r":\s[^;{]*(?:#[0-9a-fA-F]{3,8}\b|\brgba?\()", file.read_text())
            assert not named, file.name
