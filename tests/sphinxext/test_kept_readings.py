"""What Sphinx keeps of the pages that it read is used as the former build left it, and made anew where it is not."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from small_site import Site

import apidiff.sphinxext.kept_readings as kept_readings_module
from apidiff.sphinxext.kept_readings import _DIGESTS

MakeSite = Callable[..., Site]
Damage = Callable[[bytes], bytes]

# What becomes of what is kept of a page: cut by a full disk, damaged with its length, its frames and its end as they were,
# or another page's.
DAMAGED: list[Damage] = [
    lambda _: b"",
    lambda kept: kept[:1],
    lambda kept: kept[:-1],
    lambda kept: kept[: len(kept) // 2],
    lambda kept: kept[: kept.rindex(b".", 0, -1) + 1],
    lambda kept: kept[: len(kept) // 2] + b"\xff" * 40 + kept[len(kept) // 2 + 40 :],
    lambda kept: kept.replace(b"Text.", b"Test."),
    lambda kept: kept[:-20] + b"garbage" + kept[-20:],
    lambda _: b"\x80\x04\x95garbage" * 10,
    lambda _: pickle.dumps({"foreign": True}, pickle.HIGHEST_PROTOCOL),
    lambda _: b"words.",
]
# What becomes of what is known of all pages; each is a pickle still.
RENAMED = [(b"titles", b"tytles"), (b"parts", b"pbrts"), (b"all_docs", b"bll_docs"), (b"A page", b"B page")]


@pytest.mark.parametrize("damage", DAMAGED, ids=range(len(DAMAGED)))
def test_a_page_that_is_not_as_it_was_left_is_read_anew(
    make_site: MakeSite, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    site = make_site()
    before = site.build().pages()
    path = site.folder / "out-doctrees" / "notes.doctree"
    left = path.read_bytes()
    path.write_bytes(damage(left))
    assert path.read_bytes() != left
    (site.folder / "out" / "notes.html").unlink()  # so that it is written from what is kept
    built = site.build()
    assert (built.read, built.warnings, built.pages()) == ({"notes"}, "", before)
    assert capsys.readouterr().err.startswith(f"{path}: what is kept of the page is not as the last build left it")
    assert (site.build().read, capsys.readouterr().err) == (set(), "")


@pytest.mark.parametrize(
    "damage",
    [
        *(lambda kept, pair=pair: kept.replace(*pair) for pair in RENAMED),
        lambda kept: kept[:-1],
        lambda kept: kept[: len(kept) // 2],
        lambda _: b"",
    ],
)
def test_what_is_known_of_all_pages_is_made_anew_where_it_is_not_as_it_was_left(
    make_site: MakeSite, damage: Damage, capsys: pytest.CaptureFixture[str]
) -> None:
    site = make_site()
    (site.src / "notes.md").write_text("# A page\n")
    built = site.build()
    path = site.folder / "out-doctrees" / "environment.pickle"
    left = path.read_bytes()
    path.write_bytes(damage(left))
    assert path.read_bytes() != left
    again = site.build()
    assert (again.read, again.warnings, again.pages()) == (built.read, "", built.pages())
    assert capsys.readouterr().err == f"{path}: is not as the last build left it; all pages are read anew.\n"
    assert (site.build().read, capsys.readouterr().err) == (set(), "")


# What stands in the place of the digests, and whether all pages are read anew for it, or one.
NOTES: list[tuple[Callable[[dict[str, str]], bytes], bool]] = [
    (lambda _: b"", True),
    (lambda _: b"[]", True),
    (lambda _: b"[" * 100_000, True),
    (lambda _: b"\xff", True),
    (lambda known: json.dumps(known | {"environment.pickle": 1}).encode(), True),
    (lambda known: json.dumps(known | {"notes": 1}).encode(), False),
    (lambda known: json.dumps(known | {"notes": ""}).encode(), False),
    (lambda known: json.dumps({name: one for name, one in known.items() if name != "notes"}).encode(), False),
    (lambda known: json.dumps(known | {"notes": "", "a\0": "1", "\ud800": "1", "x" * 5000: "1"}).encode(), False),
]


@pytest.mark.parametrize(("note", "every"), NOTES)
def test_digests_that_are_damaged_are_not_believed(
    make_site: MakeSite, note: Callable[[dict[str, str]], bytes], every: bool
) -> None:
    site = make_site()
    first = site.build()
    path = site.folder / "out-doctrees" / _DIGESTS
    kept = path.read_bytes()
    path.write_bytes(note(json.loads(kept)))
    built = site.build()
    assert (built.read, built.warnings, built.pages()) == (first.read if every else {"notes"}, "", first.pages())
    assert json.loads(path.read_bytes()).keys() == json.loads(kept).keys()
    assert site.build().read == set()


def test_each_file_is_looked_through_once(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a build that reads one page, too: what is kept of the others is known from the beginning."""
    site = make_site()
    pages = site.build().read
    looked: list[Path] = []
    digest = kept_readings_module.file_digest
    monkeypatch.setattr(kept_readings_module, "file_digest", lambda path: looked.append(path) or digest(path))
    site.build()
    everything = sorted([*(f"{page}.doctree" for page in pages), "environment.pickle"])
    assert sorted(str(path.relative_to(site.folder / "out-doctrees")) for path in looked) == everything
    looked.clear()
    (site.src / "notes.md").write_text("# Other notes\n")
    assert site.build(parallel=2).read == {"notes"}
    again = sorted([*everything, "notes.doctree", "environment.pickle"])
    assert sorted(str(path.relative_to(site.folder / "out-doctrees")) for path in looked) == again
    assert site.build().read == set()


@pytest.mark.parametrize("builder", ["dummy", "html"])
def test_a_page_that_is_gone_and_comes_again_is_read(make_site: MakeSite, builder: str) -> None:
    site = make_site()
    page = site.src / "more.md"
    for text in ("First", "Second"):
        page.write_text(f"---\norphan: true\n---\n# {text}\n")
        assert "more" in site.build().read
        page.unlink()
        site.build(builder=builder)
    page.write_text("---\norphan: true\n---\n# Third\n")
    assert "Third" in site.build().html("more")
