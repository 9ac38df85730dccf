"""Correcting a mapping: its files, the prepared issue, and the repository's address that is taken or refused."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from entry_fixture import COMPOSED, NEW, OLD, SOURCE
from small_site import Site

from apidiff.sphinxext.repository import VARIABLE, Repository, RepositoryError, checked, find_repository, from_remote

MakeSite = Callable[..., Site]
PAGE = f"evidence/{SOURCE}"
HOME = "https://example.org/owner/name"


def _set(site: Site, **values: str) -> None:
    lines = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    conf = site.conf / "conf.py"
    conf.write_text(conf.read_text() + lines)


# language, what the prepared text says
ISSUE = [
    ("en", ["Correction: ", "Newest versions known to the page: PyTorch 2.14.0, MindSpore 2.10.0", "What is wrong:"]),
    ("zh_CN", ["更正：", "本页所知的最新版本：PyTorch 2.14.0、MindSpore 2.10.0", "有误之处："]),
]
BOTH = [
    f"apidiff/data/mappings/{SOURCE.replace('.', '/')}.yaml",
    f"apidiff verify {SOURCE}",
    f"- {SOURCE}#others-keep-tensor",
    NEW,
    OLD,
]


@pytest.mark.parametrize(("language", "said"), ISSUE)
def test_without_a_repository_the_site_has_the_files_and_the_text(
    make_site: MakeSite, language: str, said: list[str]
) -> None:
    built = make_site("site", language).build()
    html = built.html(PAGE)
    text = unescape(re.sub(r"<[^>]+>", "", html[html.index('id="contribute"') :]))
    assert [words for words in [*said, *BOTH] if words not in text] == []
    assert "issues/new" not in html
    for path, held in (
        (f"_records/{SOURCE}.yaml", f"id: {SOURCE}\n"),
        (f"_examples/{SOURCE}/torch_example.py", '"""Reduce to rank 0."""'),
    ):
        assert f'href="../{path}"' in html
        assert (built.out / path).read_text().startswith(held)
    assert f'href="../_examples/{COMPOSED}/mindspore_recipe.py"' in built.html(f"evidence/{COMPOSED}")


@pytest.mark.parametrize(("language", "said"), ISSUE)
def test_with_a_repository_the_page_links_there(make_site: MakeSite, language: str, said: list[str]) -> None:
    site = make_site("site", language)
    _set(site, apidiff_repository=HOME, apidiff_commit="0123abc")
    html = site.build().html(PAGE)
    assert f'href="{HOME}/blob/0123abc/apidiff/data/mappings/torch/distributed/reduce.yaml"' in html
    assert f'href="{HOME}/blob/0123abc/executable_examples/{SOURCE}/torch_example.py"' in html
    assert f'href="../_records/{SOURCE}.yaml"' in html
    link = re.search(rf'href="({HOME}/issues/new\?[^"]+)"', html)
    assert link
    asked = parse_qs(urlsplit(unescape(link[1])).query)
    whole = "\n".join([*asked["title"], *asked["body"]])
    assert [words for words in [*said, *BOTH] if words not in whole] == []


def test_files_of_a_mapping_that_is_gone_disappear(make_site: MakeSite) -> None:
    site = make_site()
    built = site.build()
    assert (built.out / f"_records/{SOURCE}.yaml").exists()
    site.content.records.clear()
    del site.content.entries[COMPOSED]
    site.build()
    assert not (built.out / f"_records/{SOURCE}.yaml").exists()
    assert not (built.out / f"_examples/{COMPOSED}/mindspore_recipe.py").exists()


def test_another_repository_makes_every_page_anew(make_site: MakeSite) -> None:
    site = make_site()
    site.build()
    _set(site, apidiff_commit="0123abc")
    assert site.build().read == set()
    _set(site, apidiff_repository=HOME)
    assert PAGE in site.build().read


def test_a_long_text_is_cut() -> None:
    found = Repository(address=HOME).issue("a title", "归约\n" * 5000)
    assert len(found) <= 6000
    assert parse_qs(urlsplit(found).query)["body"][0].endswith("\n…")


ADDRESSES = [
    (HOME, HOME),
    (f"{HOME}/", HOME),
    (f"{HOME}.git", HOME),
    ("http://localhost:3000/a/b", "http://localhost:3000/a/b"),
]


@pytest.mark.parametrize(("address", "expected"), ADDRESSES)
def test_address(address: str, expected: str) -> None:
    assert checked(address) == expected


HOSTILE = [
    ("javascript:alert(1)", "is no http(s) address"),
    ("data:text/html,<script>", "is no http(s) address"),
    ("//example.org/a", "is no http(s) address"),
    ("https://", "is no http(s) address"),
    ("file:///etc/passwd", "is no http(s) address"),
    ("https://user:secret@example.org/a/b", "a user name or a password"),
    ("https://user:secret@example.org:port/a", "a user name or a password"),
    ("https://user:secret@[::1", "a user name or a password"),
    ('https://example.org/a"onclick="x', "more than a host and a path"),
    ("https://example.org/a?b=c", "more than a host and a path"),
    ("https://example.org/a/../b", "more than a host and a path"),
    ("https://example.org/a b", "more than a host and a path"),
    ("https://[::1", "is no address"),
    ("https://example.org:port/a", "is no address"),
]


@pytest.mark.parametrize(("address", "said"), HOSTILE)
def test_hostile_address_is_refused(tmp_path: Path, address: str, said: str) -> None:
    with pytest.raises(RepositoryError) as caught:
        find_repository(tmp_path, {VARIABLE: address})
    assert said in str(caught.value)
    assert f"Set {VARIABLE} to the address" in str(caught.value)
    assert "secret" not in str(caught.value)


REMOTES = [
    (f"{HOME}.git", HOME),
    ("git@example.org:owner/name.git", HOME),
    ("ssh://git@example.org/owner/name", HOME),
    ("https://user:secret@example.org/owner/name.git", HOME),
    ("http://example.org/owner/name", None),
    ("/work/somewhere.git", None),
    ("file:///work/somewhere.git", None),
    ("", None),
    ("git@example.org:owner/na me", None),
    ("https://example.org:owner/name.git", None),
    ("https://example.org:99999/owner/name", None),
    ("https://[fe80::1/owner/name", None),
]


@pytest.mark.parametrize(("remote", "expected"), REMOTES)
def test_remote(remote: str, expected: str | None) -> None:
    assert from_remote(remote) == expected


def test_the_variable_goes_before_the_remote(tmp_path: Path) -> None:
    assert find_repository(tmp_path, {}) is None
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(
        ["git", "-C", str(tmp_path), "remote", "add", "origin", "git@example.org:owner/name.git"], check=True
    )
    assert find_repository(tmp_path, {}) == Repository(address=HOME)
    other = "https://example.com/fork"
    assert find_repository(tmp_path, {VARIABLE: other}) == Repository(address=other)
