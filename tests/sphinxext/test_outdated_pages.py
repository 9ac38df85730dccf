"""Pages of the output folder that are not as a build wrote them are written again, they alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from entry_fixture import SOURCE
from small_site import Site

from apidiff.sphinxext import outdated_pages
from apidiff.sphinxext.outdated_pages import NOTE

MakeSite = Callable[..., Site]
Damage = Callable[[bytes], bytes]

HEAVY = f"evidence/{SOURCE}"
# A file in the output folder, what becomes of it, and the page that is written again.
DAMAGED: list[tuple[str, Damage | None, str]] = [
    ("index.html", lambda page: page[:900], "index"),
    ("index.html", lambda _: b"", "index"),
    ("notes.html", lambda page: page.replace(b"Text.", b"Test."), "notes"),
    ("notes.html", lambda page: page + b"<!-- mine -->", "notes"),
    ("notes.html", lambda page: b"\xff" + page[1:], "notes"),
    ("notes.html", None, "notes"),
    (f"mappings/{SOURCE}.html", lambda page: page[:900], f"mappings/{SOURCE}"),
    (f"{HEAVY}.html", lambda page: page[:900], HEAVY),
    (f"{HEAVY}.part-1.html", lambda page: page[:900], HEAVY),
    (f"{HEAVY}.part-1.html", None, HEAVY),
    (f"{HEAVY}.part-2.html", lambda page: page.replace(b"rank", b"rang"), HEAVY),
    (f"{HEAVY}.parts.json", lambda table: table[:40], HEAVY),
    (f"{HEAVY}.parts.json", lambda _: b"{}", HEAVY),
    (f"{HEAVY}.parts.json", None, HEAVY),
]


@pytest.fixture
def heavy(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site some pages of which have parts."""
    monkeypatch.setattr("apidiff.sphinxext.page_parts.LIMIT", 3000)
    monkeypatch.setattr("apidiff.sphinxext.page_parts._SHARED", 2000)
    return make_site()


@pytest.mark.parametrize(("name", "damage", "page"), DAMAGED)
def test_a_page_that_is_not_as_it_was_written_is_written_again(
    heavy: Site, name: str, damage: Damage | None, page: str
) -> None:
    out = heavy.build().out
    before = files(out)
    if damage:
        assert damage(before[name]) != before[name]
        (out / name).write_bytes(damage(before[name]))
    else:
        (out / name).unlink()
    built = heavy.build(parallel=2)
    assert (built.warnings, built.read) == ("", set())
    assert {name for name, content in before.items() if files(out).get(name) != content} == set()
    assert page in built.written
    # Sphinx writes the pages whose contents list a page that is written, too.
    assert not built.written - {page, "index", "mappings", "runs", "search"} - parts(out, page)
    assert heavy.build().written <= {"search"}


def test_a_part_too_many_is_removed(heavy: Site) -> None:
    out = heavy.build().out
    before = files(out)
    (out / f"{HEAVY}.part-77.html").write_text("words")
    heavy.build()
    assert files(out) == before


def test_a_document_with_the_name_of_a_part_is_a_page_of_its_own(heavy: Site) -> None:
    (heavy.src / "plain.part-2.md").write_text("---\norphan: true\n---\n# More\n")
    out = heavy.build().out
    before = files(out)
    (out / "plain.part-2.html").write_text("words")
    assert heavy.build().written - {"search"} == {"plain.part-2"}
    assert files(out) == before


# What stands in the place of the note: what says nothing of a page has it written, what says nothing of all has all written.
NOTES: list[tuple[Callable[[dict[str, object]], bytes], bool]] = [
    (lambda _: b"", True),
    (lambda _: b"[]", True),
    (lambda _: b"[" * 100_000, True),
    (lambda _: b"\xff", True),
    (lambda said: json.dumps(said | {"from": 1}).encode(), True),
    (lambda said: json.dumps(said | {"pages": []}).encode(), True),
    (lambda said: json.dumps(said | {"pages": pages_of(said) | {"notes": 1}}).encode(), False),
]


@pytest.mark.parametrize(("note", "every"), NOTES)
def test_a_note_that_is_damaged_is_not_believed(
    make_site: MakeSite, note: Callable[[dict[str, object]], bytes], every: bool
) -> None:
    site = make_site()
    built = site.build()
    said = (built.out / NOTE).read_bytes()
    (built.out / NOTE).write_bytes(note(json.loads(said)))
    again = site.build()
    written = {name.removesuffix(".html") for name in built.pages()} if every else {"notes"}
    assert (again.written - {"search", "index"}, again.warnings) == (written - {"search", "index"}, "")
    assert (built.out / NOTE).read_bytes() == said


def test_each_file_is_looked_through_once(heavy: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is written; what was written is looked through once more."""
    out = heavy.build().out
    looked: list[str] = []
    digest = outdated_pages.file_digest

    def counted(path: Path) -> str:
        looked.append(path.relative_to(out).as_posix())
        return digest(path)

    monkeypatch.setattr(outdated_pages, "file_digest", counted)
    heavy.build()
    assert sorted(looked) == sorted(files(out).keys() - {"search.html", "genindex.html"})


def files(out: Path) -> dict[str, bytes]:
    """What the pages below the folder are made of, but for Sphinx' own, which it writes each time."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.name.endswith((".html", ".parts.json")) and path.name != "search.html"
    }


def parts(out: Path, page: str) -> set[str]:
    return {path.relative_to(out).as_posix().removesuffix(".html") for path in out.glob(f"{page}.part-*.html")}


def pages_of(said: dict[str, object]) -> dict[str, object]:
    pages = said["pages"]
    assert isinstance(pages, dict)
    return pages
