"""The extension's options in conf.py: one that no page could be made with ends the build with what to write instead."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from small_site import Site
from sphinx.errors import ConfigError, ExtensionError

from apidiff.sphinxext.build_cache import BuildCache, Outline

MakeSite = Callable[..., Site]
# option, value, what is said of it
WRONG: list[tuple[str, object, str]] = [
    ("derived", 5, "apidiff_derived = 5 is no text. Write text in quotes, or leave apidiff_derived out."),
    ("derived", "/nowhere", "apidiff_derived = '/nowhere' is no folder. Name the folder of files that"),
    ("derived", "a\0b", "is no folder"),
    ("derived", "a" * 5000, "is no folder"),
    ("derived", "/usr", "apidiff_derived = '/usr' has no outline.json that can be read. Name the folder"),
    (
        "repository",
        "javascript:alert(1)",
        "apidiff_repository='javascript:alert(1)' is no http(s) address. Set apidiff_r",
    ),
    ("repository", ["a"], "apidiff_repository = ['a'] is no text"),
    ("repository", "https://user:secret@host/a", "apidiff_repository holds a user name or a password"),
    ("commit", 5, "apidiff_commit = 5 is no text"),
    ("commit", "\udc80", r"apidiff_commit = '\udc80' is no commit. Write its digest or the name of a tag"),
    ("site_url", ["a"], "apidiff_site_url = ['a'] is no text"),
    (
        "site_url",
        "https://[::1",
        "apidiff_site_url = 'https://[::1' is no address of a site. Write one such as https://",
    ),
    ("site_url", "https://a/\udc80", r"'https://a/\udc80' is no address of a site"),
    ("site_url", "javascript:alert(1)//", "is no address of a site"),
    ("site_url", "https://user:secret@host/", "apidiff_site_url holds a user name or a password, which pages would"),
    ("site_url", "https://user:secret@host:port/", "apidiff_site_url holds a user name or a password"),
]


@pytest.mark.parametrize(("option", "value", "said"), WRONG)
def test_a_value_that_cannot_be_is_told_with_its_remedy(
    make_site: MakeSite, option: str, value: object, said: str
) -> None:
    site = make_site(conf=f"apidiff_{option} = {value!r}\n")
    with pytest.raises(ConfigError) as caught:
        site.build()
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


# How pages are written: option of Sphinx, value, what is said of it.
WRONG_PAGES: list[tuple[str, object, str]] = [
    (
        "output_encoding",
        "gb18030",
        "is not UTF-8, which apidiff writes. Write 'utf-8', or leave html_output_encoding out",
    ),
    ("output_encoding", "utf-8-sig", "html_output_encoding = 'utf-8-sig' is not UTF-8"),
    ("output_encoding", "no\0 such", r"html_output_encoding = 'no\x00 such' is not UTF-8"),
    (
        "file_suffix",
        ".htm",
        "html_file_suffix = '.htm' is not '.html', to which apidiff links. Write '.html', or leave",
    ),
    ("file_suffix", "", "html_file_suffix = '' is not '.html'"),
    ("link_suffix", "", "html_link_suffix = '' is not '.html'"),
    ("link_suffix", [".html"], "html_link_suffix = ['.html'] is not '.html'"),
]


@pytest.mark.parametrize(("option", "value", "said"), WRONG_PAGES)
def test_pages_that_parts_and_links_do_not_fit_are_refused(
    make_site: MakeSite, option: str, value: object, said: str
) -> None:
    site = make_site(conf=f"html_{option} = {value!r}\n")
    with pytest.raises(ConfigError) as caught:
        site.build()
    assert said in str(caught.value)
    site.build(out="other", builder="dummy")  # which writes no pages


def test_what_fits_may_be_written_in_another_way(make_site: MakeSite) -> None:
    conf = "html_output_encoding = 'UTF8'\nhtml_file_suffix = html_link_suffix = '.html'\n"
    assert make_site(conf=conf).build().html("notes")


@pytest.mark.parametrize("outline", [b"", b'{"runs":["\xff"]}'])
def test_a_folder_whose_outline_is_damaged_is_told(make_site: MakeSite, tmp_path: Path, outline: bytes) -> None:
    (tmp_path / "derived").mkdir()
    (tmp_path / "derived" / "outline.json").write_bytes(outline)
    site = make_site(conf=f"apidiff_derived = {str(tmp_path / 'derived')!r}\n")
    with pytest.raises(ConfigError, match=r"has no outline\.json that can be read\. Name the folder"):
        site.build()


def _a_socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:  # the name of one may have 107 bytes
        made.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


# A derived file, what stands in its place, what is said of it.
IN_ITS_PLACE: list[tuple[str, Callable[[Path], None], str]] = [
    ("lock", os.mkfifo, "it is no regular file"),
    ("lock", _a_socket, "it is no regular file"),
    ("lock", Path.mkdir, "Is a directory"),
    ("mappings/torch.distributed.reduce.json", os.mkfifo, "it is no regular file"),
    ("mappings/torch.distributed.reduce.json", Path.mkdir, "Is a directory"),
    ("lists/risk.json", os.mkfifo, "it is no regular file"),
    ("search/en.json", os.mkfifo, "it is no regular file"),
    ("examples.json", os.mkfifo, "it is no regular file"),
    ("runs/RUN.json", os.mkfifo, "it is no regular file"),
    ("single_runs/torch-2.13.0/x.json", os.mkfifo, "it is no regular file"),
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("name", "put_there", "said"), IN_ITS_PLACE)
def test_what_stands_in_the_place_of_a_derived_file_is_named_and_not_waited_for(
    make_site: MakeSite, tmp_path: Path, name: str, put_there: Callable[[Path], None], said: str
) -> None:
    derived = BuildCache(tmp_path / "derived")
    site = make_site(conf=f"apidiff_derived = {str(derived.folder)!r}\n")
    derived.publish(site.content)
    outline = derived.read("outline", Outline)
    if name.startswith("single_runs"):  # of these pages show what a list says; only the files are copied
        derived.file("outline").write_bytes(msgspec.json.encode(replace(outline, single_runs=["torch-2.13.0/x"])))
    path = derived.folder / name.replace("RUN", outline.runs[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    put_there(path)
    with pytest.raises(ExtensionError) as caught:
        site.build()
    assert str(caught.value).startswith(f"{path}: cannot be read or written ({said}). Take away what stands in its")


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    BuildCache(tmp_path / "derived").wait()
    assert not (tmp_path / "derived").exists()


def test_addresses_are_made_such_as_links_need_them(make_site: MakeSite) -> None:
    conf = "apidiff_site_url = 'https://host/site'\napidiff_repository = 'https://host/a/b.git'\n"
    page = make_site(conf=conf).build().html("mappings/torch.distributed.reduce")
    assert 'href="https://host/site/en/mappings/torch.distributed.reduce.html"' in page
