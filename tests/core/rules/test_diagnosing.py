"""Under what name diagnostics are kept."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.words import strategy_for

from hearth.core.rules.diagnosing import diagnostics_key
from hearth.core.vocabulary.content import Blob

HASH_OF_HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


@pytest.mark.promise("SF-PROJ-02")
def test_a_file_is_known_by_its_path_whatever_is_in_it() -> None:
    assert diagnostics_key("x", "src/a.py") == "src/a.py"
    assert diagnostics_key("y", "src/a.py") == "src/a.py"


@pytest.mark.promise("SF-PROJ-02")
def test_code_without_a_file_is_known_by_its_hash() -> None:
    assert diagnostics_key("hello", "") == f"code:{HASH_OF_HELLO[:16]}"
    assert diagnostics_key("hello", "") != diagnostics_key("hello ", "")


def test_code_kept_as_a_blob_has_the_same_key() -> None:
    blob = Blob(HASH_OF_HELLO, 5, head="hello")
    assert diagnostics_key(blob, "") == diagnostics_key("hello", "")
    assert diagnostics_key(blob, "a.py") == "a.py"


@whenever(st.text(st.characters(), max_size=10) | strategy_for(Blob), st.just(""))
def test_any_code_has_a_key(code: str | Blob, file: str) -> None:
    assert diagnostics_key(code, file).startswith("code:")


def test_text_that_is_not_unicode_has_the_key_of_what_is_stored_for_it() -> None:
    assert diagnostics_key("a\ud800", "") == diagnostics_key("a?", "")
