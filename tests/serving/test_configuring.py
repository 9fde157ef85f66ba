"""Settings are shown with where they came from, and never a secret."""

from pathlib import Path

from hearth.serving.configuring import ShownSettings
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.masking import MASKED

SECRET = "sk-very-secret"  # noqa: S105 - nobody's


def keeper(tmp_path: Path, text: str) -> SettingsKeeper:
    file = tmp_path / "hearth.jsonc"
    file.write_text(text)
    return SettingsKeeper(file, {"OPENAI_API_KEY": SECRET})


async def test_every_value_has_its_place_and_secrets_are_masked(tmp_path: Path) -> None:
    text = '{\n  "model": "m",\n  "provider": {"anthropic": {"apiKey": "sk-very-secret"}}\n}'
    shown = await ShownSettings(keeper(tmp_path, text)).shown("")
    assert shown.values["model"] == "m"
    assert shown.sources["model"] == f"{tmp_path}/hearth.jsonc:2"
    assert shown.values["provider.anthropic.apiKey"] == MASKED
    assert shown.values["provider.openai.apiKey"] == MASKED
    assert SECRET not in repr(shown)
    assert shown.warnings == ()


async def test_what_is_wrong_in_a_file_is_a_warning(tmp_path: Path) -> None:
    shown = await ShownSettings(keeper(tmp_path, "{ broken")).shown(str(tmp_path))
    assert "hearth.jsonc" in shown.warnings[0]
    assert shown.values["model"]


async def test_where_nobody_can_look_the_daemons_own_are_shown(
    tmp_path: Path,
) -> None:
    kept = keeper(tmp_path, '{"model": "m"}')

    def current(directory: Path | None = None) -> object:
        if directory is not None:
            raise PermissionError(13, "Permission denied", str(directory))
        return original()

    original = kept.current
    kept.current = current  # type: ignore[assignment,method-assign]  # a folder that is not ours
    shown = await ShownSettings(kept).shown("/somewhere")
    assert shown.values["model"] == "m"
    assert "Permission denied" in shown.warnings[-1]
    assert shown.directory == "/somewhere"
