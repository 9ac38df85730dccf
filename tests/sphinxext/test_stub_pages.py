"""Stub pages stand beside pages that users write in the same folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from apidiff.sphinxext.build_cache import Outline
from apidiff.sphinxext.stub_pages import write_stubs
from apidiff.sphinxext.versions import Releases

ABS, RUN = "torch.abs", f"torch-2.13.0/gloo-cpu-2-{'0' * 64}"
EVIDENCE = "torch-2.13.0/gloo-cpu/torch.abs"
STUBS = [
    f"evidence/{EVIDENCE}.md",
    f"evidence/{ABS}.md",
    f"mappings/{ABS}.md",
    "runs/torch-2.13.0/gloo-cpu-2-000000000000.md",
]


def write(srcdir: Path, *, some: bool = True) -> None:
    """Write the stubs of one mapping, run and API's evidence, or of none."""
    outline = Outline(
        mappings=[ABS] if some else [], runs=[RUN] if some else [], single_runs=[], records={}, releases=Releases()
    )
    write_stubs(srcdir, outline, [EVIDENCE] if some else [])


def pages(srcdir: Path) -> list[str]:
    return sorted(path.relative_to(srcdir).as_posix() for path in srcdir.rglob("*.md"))


def test_stubs_come_and_go_with_what_they_show(tmp_path: Path) -> None:
    write(tmp_path)
    assert pages(tmp_path) == STUBS
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")}
    write(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")} == before
    write(tmp_path, some=False)
    assert pages(tmp_path) == []


def test_what_a_build_that_was_killed_left_is_removed(tmp_path: Path) -> None:
    for folder in ("mappings", "runs/torch-2.13.0", "evidence"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f".{'0' * 16}.tmp").touch()
        os.utime(tmp_path / folder / f".{'0' * 16}.tmp", (0, 0))
    write(tmp_path)
    assert list(tmp_path.rglob("*.tmp")) == []


def test_of_a_page_of_the_user_no_more_is_read_than_a_stub_has(tmp_path: Path) -> None:
    page = tmp_path / "mappings" / "mine.md"
    page.parent.mkdir()
    page.touch()
    os.truncate(page, 2**40)
    write(tmp_path)
    assert page.stat().st_size == 2**40


def test_what_another_build_writes_meanwhile_is_no_page_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the two languages of a project are built at once: the folder was looked through before the pages came."""
    write(tmp_path)
    monkeypatch.setattr(Path, "glob", lambda *_: iter(()))
    write(tmp_path)
    assert pages(tmp_path) == STUBS


WRITE = """
import signal, sys
from pathlib import Path
from apidiff.sphinxext.build_cache import Outline
from apidiff.sphinxext.stub_pages import write_stubs
from apidiff.sphinxext.versions import Releases
mappings = [f"torch.a{number}" for number in range(100_000)]
write_stubs(Path(sys.argv[1]), Outline(mappings=mappings, runs=[], single_runs=[], records={}, releases=Releases()))
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_no_file_among_the_users(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    """Sphinx leaves signals as they are: without a word a file that was being written would stay."""
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)], stderr=subprocess.PIPE) as process:
            before = sum(1 for _ in tmp_path.rglob("*.md"))
            while process.poll() is None and sum(1 for _ in tmp_path.rglob("*.md")) < before + 20:
                time.sleep(0.01)
            process.send_signal(sent)
            assert (process.wait(60), process.communicate()[1]) == (code, b"")
        assert list(tmp_path.rglob(".*.tmp")) == []


# a page that a user writes into a folder of stubs, its text
OWN = [
    ("mappings/mine.md", "# Mine\n"),
    ("runs/mine.md", ""),
    ("evidence/notes/mine.md", "# Mine\n"),
    ("mappings/mine.md", f"```{{apidiff-mapping}} {ABS}\n```\n"),
    ("mappings/torch.md", f"```{{apidiff-mapping}} {ABS}\n```\n"),
    (f"mappings/{ABS}.md", f"# Mine\n\n```{{apidiff-mapping}} {ABS}\n```\n"),
]


@pytest.mark.parametrize(("page", "text"), OWN)
def test_a_page_of_the_user_is_kept(tmp_path: Path, page: str, text: str) -> None:
    (tmp_path / page).parent.mkdir(parents=True)
    (tmp_path / page).write_text(text)
    write(tmp_path, some=False)
    assert pages(tmp_path) == [page]
    if page in STUBS:
        with pytest.raises(ExtensionError) as caught:
            write(tmp_path)
        said = f"{tmp_path / page}: is no page that apidiff wrote, and stands in the way of one. Give it another name"
        assert said in str(caught.value)
    else:
        write(tmp_path)
        assert pages(tmp_path) == sorted([*STUBS, page])
    assert (tmp_path / page).read_text() == text


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "mappings").write_text("a file")
    with pytest.raises(ExtensionError, match=r"mappings: a page cannot be written \(.*\)\. Make .*mappings a folder"):
        write(tmp_path)
