"""The command that builds and serves the site: its errors, its port, its processes."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import http.client
import io
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import psutil
import pytest

from apidiff import site_builder as site
from apidiff.database import Data, DataError, InvalidData
from apidiff.sphinxext.written_files import LIST
from apidiff.standard_streams import print_text
from apidiff.writers.exports.address import API
from apidiff.writers.exports.site_folder import MARK, TOP, mark, refuse_links


def broken(**_: Path) -> None:
    raise InvalidData([DataError("reduce.yaml", 3, "unknown key 'x'", "Remove it.")])


@pytest.mark.parametrize("output", ["out", "new/folders/out"])
def test_bad_data_is_one_error_and_nothing_is_written(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    assert site.main(["build", "--output", str(tmp_path / output)]) == 2
    assert capsys.readouterr().err == "reduce.yaml:3: unknown key 'x'. Remove it.\n"
    assert list(tmp_path.iterdir()) == []


def test_of_a_build_that_fails_nothing_stays_in_a_folder_that_was_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, beside = tmp_path / "out", tmp_path / "beside"
    output.mkdir(mode=0o750)
    beside.mkdir()

    def fail(**_: Path) -> None:
        assert write([f"{output}/llms.txt", f"{output}/en/api/a.html", f"{beside}/mine"])
        (output / "en" / "link").symlink_to(beside)
        os.mkfifo(output / "en" / "pipe")
        broken()

    before = output.stat().st_ino
    monkeypatch.setattr(site.database, "load", fail)
    assert site.main(["build", "--output", str(output)]) == 2
    assert list(output.iterdir()) == []
    assert output.stat().st_ino == before
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["beside", "mine", "out"]


def test_data_that_do_not_pass_the_checks_are_told_whatever_else_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], database: Data
) -> None:
    def found(_data: Data) -> list[DataError]:
        return [DataError("reduce.yaml", 3, "en and zh name different numbers: 2", "Name the same in both.")]

    def make(*_given: object, **_named: object) -> None:
        raise KeyError("what no check would have let through")

    monkeypatch.setattr(site.database, "load", lambda **_: database)
    monkeypatch.setattr(site, "run_checks", found)
    monkeypatch.setattr(site, "check_records", found)
    monkeypatch.setattr("apidiff.sphinxext.site_content.make", make)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    told = "reduce.yaml:3: en and zh name different numbers: 2. Name the same in both.\n"
    assert capsys.readouterr().err == told
    assert list(tmp_path.iterdir()) == []


def test_missing_extra_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site.importlib.util, "find_spec", lambda name: None)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == "sphinx is not installed. Install what the site needs: pip install -e '.[site]'\n"


def test_hostile_repository_is_one_error_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("APIDIFF_REPOSITORY", "javascript:alert(1)")
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("APIDIFF_REPOSITORY='javascript:alert(1)' is no http(s) address. Set APIDIFF_REPOSITORY to")
    assert list(tmp_path.iterdir()) == []


def test_folder_that_cannot_be_written_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert site.main(["build", "--output", str(tmp_path / "file" / "site")]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "file" in error
    assert "--output" in error


NOT_BUILT = "holds files that no build wrote, and a build would remove or replace some of them"
REFUSED: list[tuple[list[str], str, str]] = [
    ([], "/", "is the root of all folders"),
    ([], "//", "is the root of all folders"),
    ([], "git", ".git, which is git's"),
    ([], "/dev/null", "is no folder"),
    (["site"], "site", "is no folder"),
    ([], "s\udcff", "has a name that is not UTF-8, which Sphinx does not take"),
    ([".site"], "site", ".site, which is not its own"),
    ([".site/notes"], "site", ".site, which is not its own"),
    ([".site/lock"], "site", ".site, which is not its own"),  # it holds something, and a build would empty it
    ([".site/lock", "site/index.html"], "site", ".site, which is not its own"),
    ([".site/lock", ".site/notes/derived"], "site", ".site, which is not its own"),
    ([".site/lock", ".site/derived", f"site/{MARK}"], "site", ".site, which is not its own"),
    ([".site/derived/outline.json"], "site", ".site, which is not its own"),
    (["site/index.html"], ".", NOT_BUILT),
    (["site/index.html"], "site/..", NOT_BUILT),
    (["site/en/about.html"], "site", NOT_BUILT),
    (["site/api/v1/mine.json"], "site", NOT_BUILT),
    (["site/sitemap.xml"], "site", NOT_BUILT),
    (["site/.hidden"], "site", NOT_BUILT),
    # A site of the name was moved away, without what is kept of it.
    ([".site/lock", ".site/doctrees/", "site/en/index.html"], "site", NOT_BUILT),
    ([".site/lock", ".site/derived/", "site/en/.buildinfo", "site/en/.apidiff-files"], "site", NOT_BUILT),
]


@pytest.mark.parametrize(("there", "output", "told"), REFUSED)
def test_a_folder_that_is_none_of_a_site_is_left_alone(
    there: list[str],
    output: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    files = write(there)
    assert site.main(["build", "--output", output]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.endswith(
        ". Give --output another folder: a new or empty one, or one that a site was built into before.\n"
    )
    assert {path for path in Path().rglob("*") if path.is_file()} == files


TAKEN: list[list[str]] = [
    [],
    ["site/"],
    [".site/", "site/"],
    [f"site/{MARK}", "site/api/v1/index.json"],
    [f"site/{MARK}", "site/en/mappings/"],
    [f"site/{MARK}", f"site/en/{LIST}", "site/en/.buildinfo", "site/en/index.html"],
    [f"site/{MARK}", "site/en/mappings/.apidiff-published", "site/en/llms.txt"],  # ended before pages were listed
    [".site/lock", ".site/doctrees/", ".site/derived/"],
]


@pytest.mark.parametrize("there", TAKEN)
def test_a_folder_that_is_empty_or_built_before_is_marked_first(
    there: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked: list[bool] = []

    def load(**_: Path) -> None:
        marked.append(Path("site", MARK).is_file())
        broken()

    monkeypatch.setattr(site.database, "load", load)
    monkeypatch.chdir(tmp_path)
    write(there)
    with pytest.raises(InvalidData):
        site.build_site(Path("site"))
    assert marked == [True]


def test_of_a_language_that_is_not_listed_nothing_is_kept_but_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of that is a user's nobody would know."""
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    listed = ["site/zh-cn/.apidiff-files", "site/zh-cn/index.html", ".site/doctrees/zh-cn/index.doctree"]
    written = ["site/en/mappings/.apidiff-published", "site/en/.buildinfo", "site/en/index.html", "site/en/CNAME"]
    write([".site/lock", f"site/{MARK}", ".site/doctrees/en/gone.doctree", *written, *listed])
    with pytest.raises(InvalidData):
        site.build_site(Path("site"))
    assert not Path(".site/doctrees/en/gone.doctree").exists()
    assert all(Path(name).exists() for name in (*listed, *written))


# What lies in the folder of the second language; of the first, what is kept would be removed.
NOT_LISTED = ["notes.txt", "mappings/mine.html", "d/d/.hidden", ".buildinfo", ".apidiff-written-from"]


@pytest.mark.parametrize("name", NOT_LISTED)
def test_what_no_build_listed_is_refused_before_anything_is_removed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    built = ["site/en/mappings/.apidiff-published", "site/en/index.html", ".site/doctrees/en/index.doctree"]
    files = write([".site/lock", f"site/{MARK}", *built, f"site/zh-cn/{name}"])
    assert site.main(["build", "--output", "site"]) == 2
    found = f"{tmp_path}/site/zh-cn holds files and no list of what a build wrote ({LIST})"
    remedy = "Move them away, or give --output another folder.\n"
    assert capsys.readouterr().err == f"{found}, so that a build would replace some of them. {remedy}"
    assert {path for path in Path().rglob("*") if path.is_file()} >= files


def _a_circle(path: Path) -> None:
    for name in ("a", "b"):
        (path / name).mkdir(parents=True)
        for link in ("c", "d", "e"):
            (path / name / link).symlink_to("..")


# A link in a language's folder or in its place, what lies where it leads, whether a build is refused.
LINKED_OUT: list[tuple[str, Callable[[Path], object], bool]] = [
    ("en", Path.mkdir, False),
    ("en", _a_circle, False),
    ("en", lambda mine: write([f"{mine}/{LIST}", f"{mine}/index.html"]), False),
    ("en", lambda mine: write([f"{mine}/mappings/.apidiff-published", f"{mine}/index.html"]), False),
    ("en", lambda mine: write([f"{mine}/index.html"]), True),
    ("zh-cn", lambda mine: write([f"{mine}/a/b/index.html"]), True),
    ("en/mappings", Path.mkdir, False),
    ("en/mappings", lambda mine: write([f"{mine}/index.html"]), True),
    ("en/a/b", lambda mine: write([f"{mine}/c/index.html"]), True),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "put_there", "refused"), LINKED_OUT)
def test_files_that_links_lead_to_are_refused_as_those_in_a_folder(
    name: str,
    put_there: Callable[[Path], object],
    refused: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    put_there(Path("mine"))
    kept = write([f"site/{MARK}", ".site/lock", ".site/doctrees/en/index.doctree"])
    files = {path for path in Path("mine").rglob("*") if path.is_file()} | (kept if refused else set())
    link = Path("site", name)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("mine").absolute())
    assert site.main(["build", "--output", "site"]) == 2
    found = f"{tmp_path / link.parts[0] / link.parts[1]} holds files and no list of what a build wrote ({LIST})"
    assert capsys.readouterr().err.startswith(found) is refused
    assert all(file.read_text() == "mine" for file in files)


def test_what_was_published_before_pages_were_listed_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that was ended at once can be done again, and nothing but what it listed is its own."""
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    files = write([f"site/{MARK}", "site/en/mappings/.apidiff-published", "site/en/mine.html"])
    with pytest.raises(InvalidData):
        site.build_site(Path("site"))
    assert {path for path in Path().rglob("*") if path.is_file()} == files


def test_what_sphinx_wrote_about_former_faults_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    kept = ["logs/en.log", "logs/mine.log", "logs/sphinx-err-mine.txt", "logs/sphinx-err-folder.log/mine"]
    faults = ["logs/sphinx-err-0deyznhx.log", "logs/sphinx-err-_0043zmd.log"]
    write([".site/lock", ".site/doctrees/", *(f".site/{name}" for name in kept + faults)])
    Path("mine").write_text("mine")
    Path(".site/logs/sphinx-err-link.log").symlink_to(Path("mine").absolute())
    with pytest.raises(InvalidData):
        site.build_site(Path("site"))
    assert [name for name in kept + faults if Path(".site", name).exists()] == kept
    assert not Path(".site/logs/sphinx-err-link.log").is_symlink()
    assert Path("mine").is_file()


# Where a link of the user's stands in the work folder.
LINKED = [
    "logs",
    "derived",
    "derived/pictures",
    "doctrees",
    "doctrees/en",
    "kept",
    "kept/mappings",
    "sources",
    "sources/docs",
    "sources/docs/en",
]


@pytest.mark.parametrize("name", LINKED)
def test_what_links_in_the_work_folder_lead_to_is_left_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    mine = ["en.log", "sphinx-err-0deyznhx.log", "my.json", "my.msgpack", "lock"]
    built = [".site/lock", ".site/d/", f"site/{MARK}", f"site/en/{LIST}"]
    write([*built, *(f"mine/{file}" for file in mine)])
    Path(".site/d").rename(".site/derived" if not name.startswith("derived") else ".site/doctrees")
    link = Path(".site", name)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("mine").absolute())
    assert site.main(["build", "--output", "site"]) == 2
    remedy = "Take away what stands in its place, free the space or give --output another folder."
    assert capsys.readouterr().err == f"{tmp_path / link}: it is a link. {remedy}\n"
    assert {path.name: path.read_text() for path in Path("mine").iterdir()} == dict.fromkeys(mine, "mine")


def test_links_that_builds_make_are_no_users(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for name in ("apidiff", "executable_examples"):
        (tmp_path / "sources" / name).symlink_to(tmp_path)
    refuse_links(tmp_path)


@pytest.mark.parametrize("there", [[], [".site/sources/"]])
def test_a_build_that_was_ended_at_once_can_be_done_again(
    there: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    write([".site/", *there])
    Path(".site/lock").touch()
    with pytest.raises(InvalidData):
        site.build_site(Path("site"))


def _a_link_to_my_file(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(MINE.absolute())
    MINE.write_text("mine")


def _a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _a_link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


MINE = Path("mine.txt")
# Where a build locks or writes a file, what stands there, what is said of it.
IN_THE_WAY: list[tuple[str, Callable[[Path], None], str]] = [
    (".site/lock", _a_link_to_my_file, "it is a link"),
    (".site/derived/lock", _a_link_to_my_file, "it is a link"),
    (".site/logs/en.log", _a_link_to_my_file, "it is a link"),
    (".site/derived/lock", os.mkfifo, "it is no regular file"),
    (".site/derived/lock", Path.mkdir, "Is a directory"),
    (".site/logs/en.log", os.mkfifo, "it is no regular file"),
    (".site/logs/en.log", Path.mkdir, "Is a directory"),
    ("site/en/.buildinfo", os.mkfifo, "it is no regular file"),
    (".site/doctrees/en/environment.pickle", os.mkfifo, "it is no regular file"),
    ("site/zh-cn", os.mkfifo, "it is no regular file"),
    ("site/zh-cn", _a_socket, "it is no regular file"),
    ("site/zh-cn", _a_link_to_nowhere, "it is a link that leads nowhere"),
    (".site/doctrees/zh-cn", os.mkfifo, "it is no regular file"),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "put_there", "said"), IN_THE_WAY)
def test_what_stands_in_the_way_of_a_build_is_named_and_not_waited_for(
    name: str,
    put_there: Callable[[Path], None],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.chdir(tmp_path)
    write([".site/lock", ".site/derived/", ".site/logs/", ".site/doctrees/en/", f"site/{MARK}", f"site/en/{LIST}"])
    put_there(Path(name))
    assert site.main(["build", "--output", "site"]) == 2
    told = f"{tmp_path / name}: {said}. Take away what stands in its place, free the space or give --output another folder.\n"
    assert capsys.readouterr().err == told
    assert not MINE.exists() or MINE.read_text() == "mine"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["conf/static/pipe.css", "docs/zh/guide/pipe.md"])
def test_a_pipe_among_the_sources_is_named_and_not_waited_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "conf").mkdir()
    for page in ("404.html", "root.html"):
        shutil.copy(site._ROOT / "conf" / page, tmp_path / "conf")
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.setattr(site, "_ROOT", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: it is no regular file. Take away what stands in its place")
    assert not (tmp_path / "out").exists()


def write(names: list[str]) -> set[Path]:
    """Make files with these names, and a folder where one ends in a slash; returns the files."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            Path(name).mkdir()
        else:
            Path(name).write_text("mine")
    return {Path(name) for name in names if not name.endswith("/")}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "root.html",
            b"<p>\n{% if %}",
            "conf/root.html:2: Expected an expression, got 'end of statement block'. Mend it",
        ),
        ("root.html", b"{{ nope }}", "conf/root.html: 'nope' is undefined. Mend it"),
        ("root.html", b"{{ 1/0 }}", "conf/root.html: division by zero. Mend it"),
        ("root.html", b"{% include 'x' %}", "conf/root.html: no loader for this environment specified. Mend it"),
        (
            "root.html",
            b"{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
            "conf/root.html: maximum recursion depth exceeded",
        ),
        ("root.html", b"{{ '\\ud800' }}", "conf/root.html: 'utf-8' codec can't encode"),
        ("root.html", b"\xff", "conf/root.html: is not UTF-8 (byte 0)"),
        (
            "templates/head.html",
            b"<p>\n\n{% if %}",
            "conf/templates/head.html:3: Expected an expression, got 'end of statement block'. Mend it",
        ),
        ("templates/sections/header.html", b"{{ 'a' ", "conf/templates/sections/header.html:1: unexpected end"),
        ("templates/icons.html", b"{% trans %}", "conf/templates/icons.html:1: unclosed translation block"),
        ("templates/icons.html", b"{{ " + b"(" * 5000, "conf/templates/icons.html: maximum recursion depth exceeded"),
        ("templates/icons.html", b"\xff", "conf/templates/icons.html: is not UTF-8 (byte 0)"),
        ("404.html", None, "conf/404.html: cannot be read (No such file or directory). Restore it"),
        ("404.html", b"<p>\xff", "conf/404.html: is not UTF-8 (byte 3)"),
    ],
)
def test_a_page_of_its_own_that_is_broken_is_one_error_before_anything_is_built(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: bytes | None,
    told: str,
) -> None:
    shutil.copytree(site._ROOT / "conf", tmp_path / "conf")
    (tmp_path / "conf" / name).unlink()
    if text is not None:
        (tmp_path / "conf" / name).write_bytes(text)
    monkeypatch.setattr(site, "_ROOT", tmp_path)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    assert told in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["conf"]


def test_an_address_that_is_none_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site.main(["build", "--output", str(tmp_path / "out"), "--site-url", "example.org"]) == 2
    assert capsys.readouterr().err.startswith("'example.org' is no address of a site. Give one like https://")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "variable", "address"),
    [
        ([], "", ""),
        ([], "https://b.org", "https://b.org"),
        (["--site-url", "https://a.org"], "https://b.org", "https://a.org"),
    ],
)
def test_address_comes_from_the_option_or_the_environment(
    given: list[str],
    variable: str,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: list[str] = []

    def build(output: Path, site_url: str) -> Path:
        found.append(site_url)
        return output / "index.html"

    monkeypatch.setenv("APIDIFF_SITE_URL", variable)
    monkeypatch.setattr(site, "build_site", build)
    assert site.main(["build", *given]) == 0
    assert found == [address]
    said = [line for line in capsys.readouterr().out.splitlines() if "sitemap.xml" in line]
    assert len(said) == (0 if address else 1)


def test_serving_what_is_not_built_says_how_to_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site.main(["serve", "--output", str(tmp_path)]) == 2
    assert "Build it first: make site" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pipe", "to-a-pipe", "nowhere", "x" * 300, "%00"])
def test_what_is_no_file_is_not_found_and_not_waited_for(tmp_path: Path, name: str) -> None:
    (tmp_path / "index.html").write_text("here")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-a-pipe").symlink_to("pipe")
    with site.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{name}", timeout=20)
        assert answer.value.code == 404
        server.shutdown()


# an address, what is answered
LINKS = [
    ("out", (404, b"no page")),
    ("out-folder/secret", (404, b"no page")),
    ("out-folder/", (404, b"no page")),
    ("shows-out/", (404, b"no page")),
    ("beside/secret", (404, b"no page")),
    ("in", (200, b"here")),
    ("in-folder/page.html", (200, b"a page")),
    ("folder/", (200, b"here")),
    ("", (200, b"here")),
]


@pytest.mark.parametrize(("address", "answered"), LINKS)
@pytest.mark.parametrize("behind_link", [False, True])
def test_no_link_is_followed_out_of_the_site(
    tmp_path: Path, address: str, answered: tuple[int, bytes], behind_link: bool
) -> None:
    folder, other = tmp_path / "site", tmp_path / "site-not"
    for made in (folder / "folder", folder / "shows-out", other):
        made.mkdir(parents=True)
    for name, text in {"index.html": "here", "404.html": "no page", "folder/page.html": "a page"}.items():
        (folder / name).write_text(text)
    (other / "secret").write_text("a key")
    links = {
        "out": "../site-not/secret",
        "out-folder": other,
        "beside": "../site-not",
        "shows-out/index.html": other / "secret",
    }
    for name, goal in (
        links | {"in": "index.html", "in-folder": "folder", "folder/index.html": "../index.html"}
    ).items():
        (folder / name).symlink_to(goal)
    (tmp_path / "link").symlink_to("site")
    with site.start_server(tmp_path / "link" if behind_link else folder, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)) as connection:
            connection.request("GET", f"/{address}")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == answered
        server.shutdown()


def test_a_page_for_wrong_addresses_outside_the_site_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("here")
    (tmp_path / "key").write_text("a key")
    (tmp_path / "site" / "404.html").symlink_to("../key")
    with site.start_server(tmp_path / "site", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/nowhere", timeout=20)
        assert (answer.value.code, b"a key" in answer.value.read()) == (404, False)
        server.shutdown()


@pytest.mark.parametrize("time", [-(2**60), 253402300800, 2**60])
def test_a_file_of_a_time_that_no_date_says_is_served(
    tmp_path: Path, time: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("here")
    real = os.fstat

    def fstat(file: int) -> os.stat_result:  # few file systems keep such a time
        found = list(real(file))
        return os.stat_result([*found[:8], time, found[9]])

    monkeypatch.setattr("http.server.os.fstat", fstat)
    with site.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/index.html", timeout=20) as answer:
            assert (answer.status, answer.read()) == (200, b"here")
        server.shutdown()
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_read_to_its_end_closes_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("here")
    monkeypatch.setattr("http.server.shutil.copyfileobj", _fail)
    with site.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        answer = urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/index.html", timeout=20)
        with answer, pytest.raises(http.client.IncompleteRead):
            answer.read()
        server.shutdown()
    assert capsys.readouterr().err == ""


def _fail(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_a_page_for_wrong_addresses_that_cannot_be_read_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("here")
    (tmp_path / "404.html").write_text("no page")
    monkeypatch.setattr(Path, "read_bytes", _fail)
    with site.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/nowhere", timeout=20)
        assert answer.value.code == 404
        assert b"File not found" in answer.value.read()
        server.shutdown()


# encoding of standard output, name of a folder, how it is shown
NAMES = [("utf-8", "a\udcff", b"a\\udcff"), ("ascii", "站", b"\\u7ad9"), ("utf-8", "站", "站".encode())]


@pytest.mark.parametrize(("encoding", "name", "shown"), NAMES)
def test_a_name_that_standard_output_has_no_letters_for_is_escaped(
    encoding: str, name: str, shown: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding))
    print_text(name)
    assert written.getvalue() == shown


def test_server_takes_a_free_port_where_its_own_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("here")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with site.start_server(tmp_path, port) as server:
            assert server.server_port != port
            assert server.server_address[0] == "127.0.0.1"
            Thread(target=server.serve_forever, daemon=True).start()
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as reply:
                assert reply.read() == b"here"
            server.shutdown()


def test_a_connection_that_says_nothing_more_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site._Handler, "timeout", 0.2)
    (tmp_path / "index.html").write_text("here")
    with site.start_server(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert slow.recv(1) == b""
        server.shutdown()


def test_a_reader_who_leaves_half_way_is_not_told_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "index.html").write_bytes(bytes(2**26))
    with site.start_server(tmp_path, 0) as server:
        server.daemon_threads = False  # so that closing it waits for the thread of the connection
        Thread(target=server.serve_forever, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as leaving:
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            leaving.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert leaving.recv(1)
        server.shutdown()
    assert capsys.readouterr().err == ""


def test_failed_step_names_its_log_and_shows_its_end(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "step.log"
    script = "print('the reason'); raise SystemExit(3)"
    with pytest.raises(site.SiteError) as caught:
        site.Step("a step", [sys.executable, "-c", script], log, deadline_s=300).finish()
    assert str(caught.value).startswith(f"a step ended with exit code 3. Read {log}, correct what it names")
    assert "the reason" in str(caught.value)


_CHILD = "[sys.executable, '-c', 'import time; time.sleep(601.25)']"


@pytest.mark.parametrize(
    ("script", "deadline_s", "told"),
    [
        (f"import subprocess, sys; subprocess.run({_CHILD})", 5, "was killed after 5 s"),
        (f"import subprocess, sys; subprocess.Popen({_CHILD}); sys.exit(3)", 300, "ended with exit code 3"),
    ],
)
def test_step_that_fails_leaves_no_children(tmp_path: Path, script: str, deadline_s: int, told: str) -> None:
    step = site.Step("a step", [sys.executable, "-c", script], tmp_path / "step.log", deadline_s)
    with pytest.raises(site.SiteError, match=told):
        step.finish()
    step.kill()
    left = [
        one
        for one in psutil.process_iter(["cmdline", "status"])
        if "time.sleep(601.25)" in " ".join(one.info["cmdline"] or [])
        # One that is dead but not yet reaped by whoever inherited it does no harm.
        and one.info["status"] != psutil.STATUS_ZOMBIE
    ]
    # Killed and gone are two things on a busy machine.
    assert psutil.wait_procs(left, timeout=120)[1] == []


def test_page_at_the_root_names_every_language() -> None:
    page = (Path(site.__file__).parents[1] / "conf" / "root.html").read_text("utf-8")
    for language in site.LANGUAGES:
        assert f'href="{language.folder}/index.html"' in page


# What waits in a build: the check of the data and the content that is made beside it, or for Sphinx, which writes, or for what
# is written beside that.
STAGES = {
    "made": "site_builder._check = site_content.make = wait",
    "written": """
import apidiff.sphinxext.build_cache, apidiff.writers.exports
nothing = lambda *_, **__: SimpleNamespace(entries={}, counterparts={}, documents=[])
site_builder._check = site_content.make = site_content.run_heads = nothing
apidiff.sphinxext.build_cache.BuildCache.publish = nothing
apidiff.writers.exports.publish = lambda output, *_: (output / "llms.txt").write_text("half")
site_builder.Step.finish = wait
""",
    "published": """
import apidiff.sphinxext.build_cache, apidiff.writers.exports
nothing = lambda *_, **__: SimpleNamespace(entries={}, counterparts={}, documents=[])
site_builder._check = site_content.make = site_content.run_heads = nothing
apidiff.sphinxext.build_cache.BuildCache.publish = nothing
def write_on(output, *_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as where it goes to the process of the command alone
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout.write("begun\\n")
    sys.stdout.flush()
    while True:
        output.mkdir(exist_ok=True)
        (output / "llms.txt").write_text("half")
apidiff.writers.exports.publish = write_on
""",
}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("sent", "code", "there"),
    [
        (signal.SIGTERM, 143, []),
        (signal.SIGTERM, 143, ["out"]),
        (signal.SIGHUP, 129, []),
        (signal.SIGINT, 130, []),
    ],
)
def test_a_build_that_is_ended_says_nothing_and_leaves_nothing(
    sent: signal.Signals, code: int, there: list[str], stage: str, tmp_path: Path
) -> None:
    """The signal goes to all its processes, as that of a terminal does."""
    script = f"""
import signal, sys, time
from types import SimpleNamespace
from apidiff import site_builder
from apidiff.sphinxext import site_content
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests were started in the background
signal.signal(signal.SIGHUP, signal.SIG_DFL)
def wait(*_, **__):
    sys.stdout.write("begun\\n")  # at once, whole
    sys.stdout.flush()
    time.sleep(600)
site_builder.database.load = lambda **_: SimpleNamespace(unread=[], unchecked=[])
{STAGES[stage]}
sys.exit(site_builder.main())
"""
    for name in there:
        (tmp_path / name).mkdir()
    command = [sys.executable, "-c", script, "build", "--output", str(tmp_path / "out")]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        assert process.stdout
        waiting = 2 if stage == "made" else 1
        assert [process.stdout.readline() for _ in range(waiting)] == ["begun\n"] * waiting
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= waiting + 1  # Sphinx for each language, and what checks the data
        os.killpg(process.pid, sent)
        assert process.communicate(timeout=60) == ("", "")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert process.returncode == code
    assert psutil.wait_procs(children, timeout=30)[1] == []
    assert [path.name for path in tmp_path.rglob("*")] == there


@pytest.mark.parametrize("added", [[], ["CNAME"]])
def test_a_file_that_a_user_adds_meanwhile_stays_where_a_build_is_ended(added: list[str], tmp_path: Path) -> None:
    output, work = tmp_path / "out", tmp_path / ".out"
    output.mkdir()
    work.mkdir()

    def ended() -> None:
        for name in TOP - {API.partition("/")[0]}:
            (output / name).write_text("ours")
        (output / API).mkdir(parents=True)
        (output / f".{'0' * 16}.tmp").write_text("half")
        for name in added:
            (output / name).write_text("example.org")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), site._removing_what_is_new(output, work, [], []):
        ended()
    assert {path.name for path in output.iterdir()} == {*added, *([MARK] if added else [])}


# What is started in a build: what is done beside it, and Sphinx.
STARTED = {
    "beside": """
with site_builder._beside(lambda: time.sleep(600)):
    print("not reached")
""",
    "Sphinx": """
site_builder._sphinx = lambda *_: site_builder.Step("a step", ["sleep", "600"], folder / "log", 900)
with ExitStack() as ending:
    site_builder._start_languages(site_builder.LANGUAGES, folder, folder, "", folder, ending)
    print("not reached")
""",
}


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("started", STARTED)
def test_what_is_being_started_at_a_signal_ends_before_the_build(
    started: str, sent: signal.Signals, tmp_path: Path
) -> None:
    """What goes on would write into folders that are removed meanwhile."""
    script = f"""
import multiprocessing.process, os, signal, subprocess, sys, time
from contextlib import ExitStack
from pathlib import Path
import psutil
from apidiff import ending_signals, site_builder
folder = Path({str(tmp_path)!r})
def interrupting(start):
    def started(*arguments, **names):
        made = start(*arguments, **names)
        os.kill(os.getpid(), {int(sent)})
        return made
    return started
forking = multiprocessing.process.BaseProcess
forking.start = interrupting(forking.start)
site_builder.start = interrupting(site_builder.start)
signal.signal({int(sent)}, signal.SIG_DFL)  # also where tests were started in the background
ending_signals.end_in_order()
try:
{textwrap.indent(STARTED[started], "    ")}
except BaseException as error:
    print(type(error).__name__, psutil.Process().children())
    sys.stdout.flush()
    os.killpg(0, signal.SIGKILL)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True, timeout=60
    )
    expected = "KeyboardInterrupt" if sent == signal.SIGINT else "SystemExit"
    assert process.stdout == f"{expected} []\n"


def test_a_step_that_fails_leaves_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is to be read, and what is kept of the other language the next build takes up."""

    def nothing(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(entries={}, counterparts={}, documents=[], unread=[], unchecked=[])

    def fail(language: site.SiteLanguage, output: Path, work: Path, *_: object) -> site.Step:
        return site.Step("sphinx", [sys.executable, "-c", "raise SystemExit(3)"], work / "logs" / "en.log", 60)

    for place, name in [
        ("apidiff.database", "load"),
        ("apidiff.site_builder", "_check"),
        ("apidiff.sphinxext.site_content", "make"),
        ("apidiff.sphinxext.site_content", "run_heads"),
        ("apidiff.sphinxext.build_cache.BuildCache", "publish"),
        ("apidiff.writers.exports", "publish"),
    ]:
        monkeypatch.setattr(f"{place}.{name}", nothing)
    monkeypatch.setattr(site, "_sphinx", fail)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    log = tmp_path / ".out" / "logs" / "en.log"
    assert f"Read {log}, correct what it names" in capsys.readouterr().err
    assert log.is_file()


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set when a build is about to wait for another."""
    asked = Event()

    def flock(*given: int) -> None:
        asked.set()
        fcntl.flock(*given)

    monkeypatch.setattr(site, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=fcntl.LOCK_EX))
    return asked


@contextlib.contextmanager
def another_build(work: Path) -> Iterator[None]:
    work.mkdir()
    with (work / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_a_build_that_fails_leaves_the_site_of_the_one_it_waited_for(
    tmp_path: Path, waiting: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site.database, "load", broken)
    output = tmp_path / "out"
    with ThreadPoolExecutor() as pool:
        with another_build(tmp_path / ".out"):
            failing = pool.submit(site.build_site, output)
            assert waiting.wait(60)
            output.mkdir()
            (output / "index.html").write_text("the other's")
            (tmp_path / ".out" / "kept").mkdir()
        assert isinstance(failing.exception(), InvalidData)
    assert (output / "index.html").read_text() == "the other's"
    assert (tmp_path / ".out" / "kept").is_dir()


def test_a_build_that_fails_leaves_a_site_below_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out"

    def fail(**_: Path) -> None:
        (output / "below").mkdir()
        mark(output / "below")
        raise InvalidData([DataError("reduce.yaml", 3, "unknown key 'x'", "Remove it.")])

    monkeypatch.setattr(site.database, "load", fail)
    assert site.main(["build", "--output", str(output)]) == 2
    assert (output / "below" / MARK).is_file()


def test_a_build_that_fails_takes_no_lock_away_that_another_holds(tmp_path: Path, waiting: Event) -> None:
    work = tmp_path / ".out"
    with ThreadPoolExecutor() as pool:
        with another_build(work):
            next_one = pool.submit(site._lock, work)
            assert waiting.wait(60)
            site._remove(work)
            assert not work.exists()
        with next_one.result() as lock:
            assert os.path.samestat((work / "lock").stat(), os.fstat(lock.fileno()))


@pytest.mark.timeout(60)
def test_a_build_that_fails_waits_for_no_pipe_where_it_removes(tmp_path: Path) -> None:
    work = tmp_path / ".out"
    (work / "derived").mkdir(parents=True)
    os.mkfifo(work / "pipe")
    (tmp_path / "mine").mkdir()
    (work / "link").symlink_to(tmp_path / "mine")
    site._remove(work)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
