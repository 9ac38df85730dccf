"""The command that builds the site: its errors, and the folders that it writes into."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from apidiff import site_builder as site
from apidiff.database import Data, DataError, InvalidData
from apidiff.sphinxext.written_files import LIST
from apidiff.writers.exports.site_folder import MARK, refuse_links


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
@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("conf/static/pipe.css", os.mkfifo, "it is no regular file"),
        ("docs/zh/guide/pipe.md", os.mkfifo, "it is no regular file"),
        ("conf/static/secret.css", lambda path: path.symlink_to("/etc/passwd"), "it is a link"),
        ("docs/en/secret.md", lambda path: path.symlink_to("/etc/passwd"), "it is a link"),
        ("docs/zh/guide/again", lambda path: path.symlink_to("."), "it is a link"),
        ("docs/en", lambda path: path.symlink_to("/"), "it is a link"),
    ],
)
def test_a_pipe_or_a_link_among_the_sources_is_named_and_not_followed(
    name: str,
    make: Callable[[Path], None],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "conf").mkdir()
    for page in ("404.html", "root.html"):
        shutil.copy(site._ROOT / "conf" / page, tmp_path / "conf")
    monkeypatch.setattr(site.database, "load", broken)
    monkeypatch.setattr(site, "_ROOT", tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    (path.parent / f".#{path.name}").symlink_to("somebody@a-machine")  # as Emacs locks a page
    make(path)
    assert site.main(["build", "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: {said}. Take away what stands in its place")
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
