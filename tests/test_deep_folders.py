"""Folders that lie deeper than Python calls functions are gone through and removed, wherever a user may have put them."""

from __future__ import annotations

import ast
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from deep_folders import deep

from apidiff import site_builder
from apidiff.atomic_write import remove_left
from apidiff.database.paths import PACKAGE
from apidiff.execute.matrix.cells import Block, Deadlines
from apidiff.execute.matrix.environment import Environment
from apidiff.lookup import cache, made_entries
from apidiff.process_group import remove_folder
from apidiff.real_path import real_path
from apidiff.sphinxext import page_parts, stub_pages
from apidiff.sphinxext.build_cache import BuildCache
from apidiff.sphinxext.written_files import remove_former
from apidiff.writers.exports.address import LANGUAGES
from apidiff.writers.exports.files import replace_folder
from apidiff.writers.exports.listed_files import replace_listed
from apidiff.writers.exports.site_folder import MARK
from apidiff.writers.exports.sitemap import pages

LEVELS = 400


@pytest.fixture(autouse=True)
def few_calls() -> Iterator[None]:
    """To go through as many folders as Python calls functions by default takes seconds."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(sum(1 for _ in traceback.walk_stack(None)) + LEVELS // 2)
    yield
    sys.setrecursionlimit(limit)


def _sitemap(folder: Path) -> list[str]:
    return list(pages(folder.parent, [language for language in LANGUAGES if language.folder == folder.name]))


# What goes through a folder, given as its argument; what it finds in the last of those below, or the files there after it.
WALKS: dict[str, tuple[str, Callable[[Path], Iterable[object]], list[str]]] = {
    "temporary files": ("", lambda folder: [remove_left(folder)], []),
    "code": ("page.py", lambda folder: [path.name for path in made_entries.code_files([str(folder)])], ["page.py"]),
    "derived files": ("page.json", lambda folder: [Path(key).name for key in BuildCache(folder).keys("")], ["page"]),
    "files of a work folder": ("page.json", lambda folder: [replace_folder(folder, {}, "**/*.json")], []),
    "published files": ("page.json", lambda folder: [replace_listed(folder, {})], ["page.json"]),
    "pages": ("page.html", lambda folder: [remove_former(folder, [])], ["page.html"]),
    "pages of the sitemap": ("page.html", lambda folder: [Path(path).name for path in _sitemap(folder)], ["page.html"]),
    "stubs": ("page.md", lambda folder: [stub_pages._replace_stubs(folder, {})], ["page.md"]),
    "sites below": (MARK, lambda folder: [site_builder._holds_another(folder)], [True]),
}


@pytest.mark.parametrize("what", WALKS)
def test_deep_folders_are_gone_through(what: str, tmp_path: Path) -> None:
    name, walk, expected = WALKS[what]
    with deep(tmp_path / "en", LEVELS, [name] if name else []) as last:
        found = list(walk(tmp_path / "en"))
        assert ([path.name for path in Path(last).iterdir()] if found == [None] else found) == expected


def test_pages_to_lead_again_are_found_in_deep_folders(tmp_path: Path) -> None:
    with deep(tmp_path / "out", LEVELS, ["page.html"]) as last:
        page = f"{last}/page".removeprefix(f"{tmp_path}/out/")
        assert list(page_parts.pages_below(tmp_path / "out", {page})) == [f"{page}.html"]


def test_the_state_of_the_data_holds_what_lies_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path)
    looked_up: list[str] = []
    monkeypatch.setattr(cache, "real_path", lambda path: looked_up.append(path) or real_path(path))
    with deep(tmp_path / "data", LEVELS, ["page.yaml"]) as last:
        listed = [line.split()[0] for line in cache._listing(tmp_path)]
    assert listed == [f"{last}/page.yaml"]
    assert looked_up == []  # each time takes longer than all the rest


def _forget_unlisted(folder: Path) -> None:
    kept = folder.parent / "doctrees" / "en"
    kept.parent.mkdir()
    folder.rename(kept)
    site_builder._forget_unlisted(folder.parent / "out", folder.parent, LANGUAGES[:1])
    assert not kept.exists()


def _clear(folder: Path) -> None:
    deadlines = Deadlines(environment=1, run=1)
    block = Block(
        name="torch", versions=["1.2.3"], python=["3.11"], backends=["gloo"], world_sizes=[2], deadlines=deadlines
    )
    Environment(block, "1.2.3", folder, folder.parent.parent)._clear()


# What removes a folder, given as its argument.
REMOVALS: dict[str, Callable[[Path], object]] = {
    "temporary files": lambda folder: remove_folder(str(folder)),
    "a work folder": lambda folder: site_builder._remove(folder.parent),
    "what is kept of a language": _forget_unlisted,
    "an environment": _clear,
}


@pytest.mark.parametrize("what", REMOVALS)
def test_deep_folders_are_removed(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "torch-1.2.3" / "en"
    with deep(folder, LEVELS, ["file"]):
        (folder.parent / "pyvenv.cfg").touch()
        REMOVALS[what](folder)
        assert not folder.exists()


def test_a_link_is_no_folder_to_remove(tmp_path: Path) -> None:
    (tmp_path / "mine" / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to("mine")
    remove_folder(str(tmp_path / "link"))
    assert (tmp_path / "mine" / "a" / "b").is_dir()


@pytest.mark.parametrize("name", ["gone", "a" * 300, "file"])
def test_where_no_folder_is_nothing_is_removed(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    remove_folder(str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def _fill(top: Path, levels: int) -> None:
    """Puts two files into the folder and each of those in it."""
    at = os.open(top, os.O_RDONLY)
    for level in range(levels + 1):
        for name in ("a", "z"):
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
        if level < levels:
            inner = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = inner
    os.close(at)


def test_a_removal_looks_at_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def count(called: Callable[..., object], *given: object, **named: object) -> object:
        calls[-1] += 1
        return called(*given, **named)

    for levels in (LEVELS, 2 * LEVELS):
        calls.append(0)
        with deep(tmp_path / "top", levels), monkeypatch.context() as patch:
            _fill(tmp_path / "top", levels)
            for name in ("stat", "lstat", "fstat", "open", "close", "scandir", "listdir", "rename", "unlink", "rmdir"):
                patch.setattr(os, name, partial(count, getattr(os, name)))
            remove_folder(str(tmp_path / "top"))
            assert not (tmp_path / "top").exists()
    assert calls[1] < 2.2 * calls[0]


def test_what_cannot_be_removed_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/a", "a/b/stays", "a/b/c/a", "z/z"):
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "top" / name).touch()
    (tmp_path / "mine").touch()
    (tmp_path / "top" / "a" / "link").symlink_to(tmp_path)
    unlink = os.unlink

    def refuse(path: str, **how: int) -> None:
        if Path(path).name == "stays":
            raise PermissionError
        unlink(path, **how)

    monkeypatch.setattr(os, "unlink", refuse)
    remove_folder(str(tmp_path / "top"))
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*")) if path.is_file()] == [
        "mine",
        "top/a/b/stays",
    ]
    assert sorted(path.name for path in (tmp_path / "top" / "a").rglob("*")) == ["b", "stays"]


def test_nothing_is_removed_where_a_folder_was_moved_to_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "top" / "a" / "b").mkdir(parents=True)
    (tmp_path / "mine" / "a").mkdir(parents=True)
    (tmp_path / "top" / "a" / "b" / "file").touch()
    unlink = os.unlink

    def move(path: str, **how: int) -> None:
        unlink(path, **how)
        (tmp_path / "top" / "a" / "b").rename(tmp_path / "mine" / "b")

    monkeypatch.setattr(os, "unlink", move)
    remove_folder(str(tmp_path / "top"))
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["a", "b"]


# What calls itself for each level, or each link, in Python 3.11, and may do so here: (file, call).
ALLOWED = {
    ("scratch_folder.py", "TemporaryDirectory"): "`remove_folder` comes first, and again",
    ("site_builder.py", "glob(FAULTS)"): "a pattern of names in one folder",
    ("signatures/result_types.py", "glob(pattern)"): "patterns of the module's own, without **",
}


CALLS = {"rglob", "rmtree", "copytree", "fwalk", "TemporaryDirectory", "realpath"}


def _recursive(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Attribute | ast.alias):
            name = node.attr if isinstance(node, ast.Attribute) else node.name
            of_system = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
            if name in CALLS or (name == "walk" and of_system):
                yield name
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"glob", "iglob"}
        ):
            pattern = ast.unparse(node.args[0])
            if "**" in pattern or not isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.Attribute):
                yield f"glob({pattern})"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "resolve":
            path = ast.unparse(node.func.value)
            # With an argument it is no path's; to a module that runs few links lead.
            if not node.args and path != "Path(__file__)":
                yield f"{path}.resolve()"


def test_nothing_else_calls_itself_for_each_level() -> None:
    """`walk_folders`, `visible_files`, `remove_folder`, `scratch_folder` and `real_path` do not."""
    found = {
        (file.relative_to(PACKAGE).as_posix(), call) for file in PACKAGE.rglob("*.py") for call in _recursive(file)
    }
    assert found == set(ALLOWED)


# (code, what it calls)
CODE = [
    ("for _ in os.walk(top): pass", ["walk"]),
    ("from shutil import rmtree", ["rmtree"]),
    ("with tempfile.TemporaryDirectory() as top: pass", ["TemporaryDirectory"]),
    ("top.rglob('*')", ["rglob"]),
    ("top.glob('**/*.md')", ["glob('**/*.md')"]),
    ("glob.glob(f'{top}/**')", ["glob(f'{top}/**')"]),
    ("os.path.realpath(top)", ["realpath"]),
    ("from os.path import realpath", ["realpath"]),
    ("Path(top).resolve(), top.parent.resolve(strict=True)", ["Path(top).resolve()", "top.parent.resolve()"]),
    ("top.glob('*.md'), ast.walk(tree), Path(__file__).resolve(), links.resolve(name)", []),
]


@pytest.mark.parametrize(("code", "calls"), CODE)
def test_calls_that_call_themselves_are_found(code: str, calls: list[str], tmp_path: Path) -> None:
    (tmp_path / "case.py").write_text(code)
    assert list(_recursive(tmp_path / "case.py")) == calls
