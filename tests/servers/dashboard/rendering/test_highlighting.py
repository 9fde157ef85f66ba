import re

import pytest

from hearth.servers.dashboard.rendering.highlighting import (
    _LANGUAGES,
    MOST,
    STEP,
    highlighted,
    language,
)

CODE = "def f(x):\n    return 'a' + str(1)  # why\n"


def _plain(html: str) -> str:
    return re.sub("<[^>]*>", "", html).replace("&#x27;", "'")


def test_code_has_a_few_roles_as_classes() -> None:
    html = highlighted(CODE)
    assert '<span class="hk">def </span>' in html
    assert '<span class="hf">f</span>' in html
    assert '<span class="hc"># why\n</span>' in html
    assert "style" not in html
    assert _plain(html) == CODE


@pytest.mark.parametrize("name", sorted(set(_LANGUAGES.values())))
def test_every_language_of_the_list_is_there_and_loses_no_letter(name: str) -> None:
    words = '# <a> "b" {c: 1}\n$ x = [1, 2] // ?\n\tdef end\n\n'
    html = highlighted(words, name)
    assert _plain(html).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"') == words


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("py", "python"),
        ("Python title=x", "python"),
        ("{.rust #x}", "rust"),
        ("{python}", "python"),
        ("../../x", ""),
        ("", ""),
    ],
)
def test_only_known_words_name_a_language(info: str, name: str) -> None:
    assert language(info) == name


def test_what_is_long_is_text_at_its_end() -> None:
    words = "x = 1\n" * 20_000
    html = highlighted(words)
    assert html.count("<span") <= MOST
    assert _plain(html) == words


def test_what_grows_gets_its_colours_later_and_keeps_them() -> None:
    words = "x = 1\n" * 1000
    short = highlighted(words[: STEP - 5], grows=True)
    assert "<span" not in short
    long = highlighted(words[: STEP + 50], grows=True)
    assert long.startswith(highlighted(words[: STEP // 6 * 6], grows=False)[:100])
    assert not long[-20:].count("<span")
