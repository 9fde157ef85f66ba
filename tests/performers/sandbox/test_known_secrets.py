"""Secrets of the environment, of hearth's own files and keys in use are known."""

from pathlib import Path

from hearth.performers.sandbox.known_secrets import KnownSecrets

TOKEN = "hearth_" + "t" * 40


def test_they_come_from_everywhere(tmp_path: Path) -> None:
    (tmp_path / "tokens.json").write_text(f'{{"person": "{TOKEN}", "tokens": [{{"n": "x"}}]}}')
    (tmp_path / "daemon.json").write_text(f'{{"token": "{TOKEN}2", "socket": "/{"a" * 40}"}}')
    known = KnownSecrets(str(tmp_path), {"API_KEY": "k" * 20, "PATH": "/bin"}, lambda: ("m" * 10,))
    known.add("added-one")
    known.add("short")
    assert known() == {TOKEN, f"{TOKEN}2", "k" * 20, "m" * 10, "added-one"}


def test_new_tokens_are_known_and_old_ones_stay_so(tmp_path: Path) -> None:
    time = [0.0]
    file = tmp_path / "tokens.json"
    known = KnownSecrets(str(tmp_path), {}, now=lambda: time[0])
    assert known() == set()
    file.write_text(f'{{"person": "{TOKEN}"}}', encoding="utf-8")
    assert known() == set()
    time[0] += 2
    assert known() == {TOKEN}
    file.write_text('{"person":', encoding="utf-8")
    time[0] += 2
    assert known() == {TOKEN}
    (tmp_path / "new").write_text(f'{{"person": "{TOKEN}3"}}', encoding="utf-8")
    (tmp_path / "new").rename(file)
    time[0] += 2
    assert known() == {TOKEN, f"{TOKEN}3"}
