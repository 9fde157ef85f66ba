from hearth.servers.dashboard.rendering.visible import fit, one_line, visible


def test_what_a_page_cannot_carry_is_shown_as_its_number() -> None:
    shown = fit("a\ud800b\x00c\u202ed\x85")
    assert shown == "a⟨U+D800⟩b␀c⟨U+202E⟩d\ufffd"
    shown.encode()


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    for words in ("plain", "tab\tand\nline", "é 漢字 😀 👩‍👩‍👧 עברית"):
        assert fit(words) == words


def test_what_a_person_decides_about_hides_nothing() -> None:
    assert visible("rm\u200b -rf\u3164 /\ufe0f") == "rm⟨U+200B⟩ -rf⟨U+3164⟩ /⟨U+FE0F⟩"
    assert visible("a\n\tb") == "a\n\tb"


def test_on_one_line_a_line_break_is_seen() -> None:
    assert one_line("a\nb\tc") == "a⟨U+000A⟩b⟨U+0009⟩c"
