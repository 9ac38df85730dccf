"""Texts that are kept are those that would be written; of a file that is not as a build left it nothing is taken over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from published_site import SOURCE, Published

from apidiff.model.base import Language
from apidiff.writers.exports.kept_texts import digests_of, mapping_texts
from apidiff.writers.markdown import MappingText

Make = Callable[..., Published]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Language]:
    """The languages of the texts that were written and not taken over."""
    languages: list[Language] = []
    plain = MappingText.made
    monkeypatch.setattr(
        MappingText, "made", lambda entry, language: languages.append(language) or plain(entry, language)
    )
    return languages


def edited(before: bytes, after: bytes) -> Callable[[bytes], bytes]:
    def edit(content: bytes) -> bytes:
        assert before in content
        return content.replace(before, after)

    return edit


# What was done to the file of a text, and whether the text is written anew.
DONE: list[tuple[Callable[[bytes], bytes], bool]] = [
    (lambda content: content, False),
    (edited(SOURCE.encode(), SOURCE.encode().upper()), True),
    (edited(SOURCE.encode(), b"\xff" * len(SOURCE)), True),
    (lambda content: content[:-5], True),
    (lambda content: b"", True),
]


@pytest.mark.parametrize(("edit", "anew"), DONE)
def test_a_text_is_taken_over_where_its_file_is_as_it_was_written(
    make: Make, tmp_path: Path, written: list[Language], edit: Callable[[bytes], bytes], anew: bool
) -> None:
    entries, keep = make().content.entries, tmp_path / "en.msgpack"
    digests = digests_of(entries)
    first = mapping_texts(entries, digests, "en", keep)
    whole = keep.read_bytes()
    keep.write_bytes(edit(whole))
    written.clear()
    assert mapping_texts(entries, digests, "en", keep) == first
    assert written == (["en"] * len(entries) if anew else [])
    assert keep.read_bytes() == whole


def test_texts_of_another_language_are_not_taken_over(make: Make, tmp_path: Path, written: list[Language]) -> None:
    entries, keep = make().content.entries, tmp_path / "kept.msgpack"
    digests = digests_of(entries)
    mapping_texts(entries, digests, "en", keep)
    assert mapping_texts(entries, digests, "zh", keep) == mapping_texts(entries, digests, "zh", None)
    assert set(written) == {"en", "zh"}
