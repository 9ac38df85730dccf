"""What builds wrote and have no more is removed from the output folder; whatever else lies there is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from entry_fixture import SOURCE, run_record, write_run
from small_site import Site
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError

from apidiff.sphinxext.outdated_pages import NOTE
from apidiff.sphinxext.written_files import LIST, remove_former
from apidiff.writers.exports.listed_files import read_list

MakeSite = Callable[..., Site]
OTHER = "torch.distributed.barrier"
# What a user, another extension or another build has put into the output folder.
NOT_OURS = [
    "post.html",
    "blog/post.part-1.html",
    "blog/post.parts.json",
    "_modules/torch.html",
    "mappings/mine.html",
    f"zh/mappings/{OTHER}.html",
    "zh/_runs/torch-2.13.0/gloo-cpu-2-0.json",
    "_runs/mine.json",
    "_runs/torch-2.13.0/mine.minisig",
    "_records/mine.yaml",
    "_examples/mine/example.py",
]


def test_what_no_build_of_ours_wrote_is_kept(make_site: MakeSite) -> None:
    site = make_site()
    run, site.content.runs[run] = write_run(site.folder / "data", run_record(world_size=2))
    out = site.build().out
    gone = [out / f"mappings/{OTHER}.html", out / f"_runs/{run}.json", out / f"_records/{SOURCE}.yaml"]
    assert [path.is_file() for path in gone] == [True] * 3
    put(out, NOT_OURS)
    del site.content.entries[OTHER], site.content.runs[run], site.content.records[SOURCE]
    site.build()
    assert [path.exists() for path in gone] == [False] * 3
    assert [name for name in NOT_OURS if (out / name).read_text() != f"mine: {name}"] == []


def test_what_is_written_in_the_place_of_a_page_that_is_gone_is_kept(make_site: MakeSite) -> None:
    site = make_site(conf="html_extra_path = ['extra']\n")
    put(site.conf / "extra", ["other.html"])
    (site.src / "notes.md").write_text("# Notes\n")
    (site.src / "gone.md").write_text("---\norphan: true\n---\n# Gone\n")
    out = site.build().out
    assert (out / "gone.html").is_file()
    (site.src / "gone.md").unlink()
    put(site.conf / "extra", ["gone.html"])
    site.build()
    assert (out / "gone.html").read_text() == "mine: gone.html"


def test_page_left_by_a_broken_build_disappears(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sphinx has forgotten the page by the time a build succeeds; its output has to go all the same."""
    site = make_site()
    page = site.build().out / f"mappings/{OTHER}.html"
    assert page.is_file()
    del site.content.entries[OTHER]

    def broken(*_: object) -> None:
        raise ExtensionError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(StandaloneHTMLBuilder, "prepare_writing", broken)
        with pytest.raises(ExtensionError, match="broken"):
            site.build()
    site.build()
    assert not page.exists()


LONG = "z" * 246 + ".html"  # the table of its parts would have a name that is too long
# What a list that is there says; what is removed of the files beside and below the folder.
LISTS: list[tuple[str, list[str]]] = [
    ('["a.html"]', ["a.html"]),
    ('["a.html", "b/a.html", "gone.html"]', ["a.html", "b/a.html"]),
    ('["x.html"]', ["x.html", "x.part-1.html", "x.parts.json"]),
    ('["y.html"]', ["y.html"]),
    ('["kept.html"]', []),
    ('["../beside.html", "b/../a.html", "", ".", "b", "a\\u0000", 1, null]', []),
    ('{"a.html": 1}', []),
    (json.dumps(["a" * 5000, "b/" * 5000 + "a.html", "/".join(["a" * 5000, "b"]), "a.html"]), ["a.html"]),
    (json.dumps([LONG]), [LONG]),
    ("1", []),
    ("[", []),
    ("[" * 100_000, []),
    (
        r'["\ud800/x.html", "b/\ud800/x.html", "\udcff/x.html", "y.html"]',
        ["y.html"],
    ),  # half of a character
]


@pytest.mark.parametrize(("listed", "removed"), LISTS)
def test_only_what_the_list_names_is_removed(tmp_path: Path, listed: str, removed: list[str]) -> None:
    out = tmp_path / "out"
    names = [
        "a.html",
        "b/a.html",
        "x.html",
        "x.part-1.html",
        "x.parts.json",
        "x.part-two.html",
        "y.html",
        "y.part-1.html",
        "kept.html",
        LONG,
    ]
    files = {*put(out, names), *put(tmp_path, ["beside.html", "out.parts.json", "out.part-1.html"])}
    (out / LIST).write_text(listed)
    remove_former(out, [out / "kept.html", out / "not yet.html"])
    there = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert files - there == {out / name for name in removed}
    assert json.loads((out / LIST).read_text()) == ["kept.html", "not yet.html"]


def test_names_that_no_file_has_are_passed_over_before_they_are_followed(tmp_path: Path) -> None:
    """The time to follow one grows with the square of its parts."""
    names = {"a/" * 2047 + "b", "a.html"}
    longer = ["a/" * 2048 + "b", "\u00e9/" * 1366 + "b"]
    (tmp_path / LIST).write_text(json.dumps([*names, *longer]))
    assert read_list(tmp_path / LIST) == names


# A file below the folder that tells of a site, and what is removed of pages that were listed there once.
SITES: list[tuple[str, set[str]]] = [
    ("zh/.apidiff-site", {"a.html"}),
    ("zh/.apidiff-files", {"a.html"}),
    ("zh/.buildinfo", {"a.html"}),
    ("zh/b/.buildinfo", {"a.html", "zh/a.html"}),
    (".buildinfo", {"a.html", "zh/a.html", "zh/b/a.html"}),
    ("zh/index.html", {"a.html", "zh/a.html", "zh/b/a.html"}),
]


@pytest.mark.parametrize(("there", "removed"), SITES)
def test_pages_of_another_site_below_this_one_are_kept(tmp_path: Path, there: str, removed: set[str]) -> None:
    pages = ["a.html", "zh/a.html", "zh/b/a.html"]
    put(tmp_path, [*pages, there])
    (tmp_path / LIST).write_text(json.dumps(pages))
    remove_former(tmp_path, [])
    assert {page for page in pages if not (tmp_path / page).exists()} == removed


def test_an_absolute_name_is_passed_over(tmp_path: Path) -> None:
    [beside] = put(tmp_path, ["beside.html"])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LIST).write_text(json.dumps([str(beside)]))
    remove_former(tmp_path / "out", [])
    assert beside.is_file()


@pytest.mark.parametrize(("link", "there"), [("link", True), ("inner", False)])
def test_nothing_is_removed_through_a_link_that_leads_out(tmp_path: Path, link: str, there: bool) -> None:
    out = tmp_path / "out"
    beside, within = put(tmp_path, ["beside/a.html", "out/b/a.html"])
    (out / "link").symlink_to(beside.parent)
    (out / "inner").symlink_to("b")
    (out / LIST).write_text(json.dumps([f"{link}/a.html"]))
    remove_former(out, [])
    assert beside.is_file()
    assert within.is_file() is there


def _a_file(path: Path) -> None:
    path.write_text("in the way")


def _a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def _a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


IN_THE_WAY = [
    ("_search", _a_file),
    ("_search/index.js", _a_folder),
    ("_port", _a_dangling_link),
    ("_runs", _a_dangling_link),
    (LIST, _a_folder),
    (NOTE, _a_folder),
    ("objects.inv", _a_folder),
    ("objects.inv", _a_dangling_link),
]
# Where an earlier build wrote a file.
PIPES = [
    LIST,
    NOTE,
    "notes.html",
    "_port/data.js",
    f"_records/{SOURCE}.yaml",
    "../out-doctrees/apidiff/anchors_of_parts.json",
    "../out-doctrees/environment.pickle",
    "../out-doctrees/index.doctree",
    ".buildinfo",
    "objects.inv",
    "_static/basic.css",
]
# What a user may have in the output folder that Sphinx never opens.
NOT_OPENED: list[tuple[str, Callable[[Path], None]]] = [
    (".git/fsmonitor--daemon.ipc", os.mkfifo),
    ("latest", _a_dangling_link),
]


@pytest.mark.parametrize(("name", "put_there"), IN_THE_WAY)
def test_what_stands_in_the_way_is_named(make_site: MakeSite, name: str, put_there: Callable[[Path], None]) -> None:
    site = make_site()
    out = site.folder / "out"
    out.mkdir()
    put_there(out / name)
    with pytest.raises(ExtensionError) as caught:
        site.build()
    assert str(caught.value).startswith(f"{out / name}")
    assert ": cannot be read or written (" in str(caught.value)
    assert f"Take away what stands in its place, and make {out} a folder" in str(caught.value)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", PIPES)
def test_a_pipe_in_the_place_of_a_file_is_named_and_not_waited_for(make_site: MakeSite, name: str) -> None:
    site = make_site()
    file = (site.build().out / name).resolve()
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ExtensionError) as caught:
        site.build()
    assert f"{file}: cannot be read or written (it is no regular file). Take away what stands in" in str(caught.value)


def test_a_folder_in_the_place_of_what_sphinx_knows_of_pages_is_named(make_site: MakeSite) -> None:
    site = make_site()
    kept = site.folder / "out-doctrees"
    _a_folder(kept / "environment.pickle")
    with pytest.raises(ExtensionError) as caught:
        site.build()
    told = (
        f"{kept / 'environment.pickle'}: cannot be read or written (Is a directory). Take away what stands in its place"
    )
    assert str(caught.value) == f"{told}, and make {kept} a folder that can be written to."


def _a_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    ("folder", "name", "put_there", "found"),
    [
        ("out", "_sources", _a_file, "Not a directory"),
        ("out", "_static", _a_file, "Not a directory"),
        ("out", "_static", _a_link_to_itself, "it is a link that leads nowhere"),
        ("out", "mappings", _a_file, "Not a directory"),
        ("out", "notes.html", _a_folder, "Is a directory"),
        ("out-doctrees", "mappings", _a_file, "Not a directory"),
        ("out-doctrees", "notes.doctree", _a_folder, "Is a directory"),
        ("out-doctrees", "notes.doctree", _a_dangling_link, "it is a link that leads nowhere"),
    ],
)
def test_what_no_page_can_be_written_to_is_named(
    make_site: MakeSite, folder: str, name: str, put_there: Callable[[Path], None], found: str
) -> None:
    site = make_site()
    path = site.folder / folder / name
    path.parent.mkdir()
    put_there(path)
    with pytest.raises(ExtensionError) as caught:
        site.build()
    told = f"{path}: cannot be read or written ({found}). Take away what stands in its place"
    assert str(caught.value) == f"{told}, and make {path.parent} a folder that can be written to."


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("name", "put_there"), NOT_OPENED)
def test_what_sphinx_never_opens_is_left_alone(
    make_site: MakeSite, name: str, put_there: Callable[[Path], None]
) -> None:
    site = make_site()
    file = site.folder / "out" / name
    file.parent.mkdir(parents=True)
    put_there(file)
    before = file.lstat()
    assert site.build().warnings == ""
    assert (file.lstat().st_ino, file.lstat().st_mode) == (before.st_ino, before.st_mode)


def put(folder: Path, names: list[str]) -> list[Path]:
    """Write a file of each name."""
    paths = [folder / name for name in names]
    for name, path in zip(names, paths, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"mine: {name}")
    return paths
