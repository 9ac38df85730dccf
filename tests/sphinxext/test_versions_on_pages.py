"""What of a page is marked to be shown for which versions."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from entry_fixture import COMPOSED, NEW, OLD, RELEASES, SOURCE
from small_site import Site

from apidiff.derive.answers import answers
from apidiff.sphinxext.versions import Releases

MakeSite = Callable[..., Site]


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The pages of two mappings."""
    from apidiff.sphinxext import site_content

    with pytest.MonkeyPatch.context() as patch:
        site = Site(tmp_path_factory.mktemp("versions"), "en", lambda load: patch.setattr(site_content, "load", load))
        built = site.build()
        assert built.warnings == ""
        return {name: built.html(f"mappings/{name}") for name in (SOURCE, COMPOSED)}


# page, what the tag of a marked part and what follows it begin with, torch, MindSpore, whether hidden until chosen
MARKED = [
    (SOURCE, f'<section [^>]*id="{NEW}"', None, "2.9.0..2.10.0", False),
    (SOURCE, f'<section [^>]*id="{OLD}"', None, "2.4.0..2.8.0", False),  # steps back by script only
    (SOURCE, rf'<div class="apidiff-box"[^>]*>(?=.{{0,200}}#{NEW}")', None, "2.9.0..2.10.0", False),
    (SOURCE, rf'<div class="apidiff-box"[^>]*>(?=.{{0,200}}#{OLD}")', None, "2.4.0..2.8.0", True),
    (SOURCE, r'<div class="apidiff-box"[^>]*>(?=<p>No target)', None, "2.3.0", True),
    (SOURCE, r'<div [^>]*id="difference-others"[^>]*', None, None, False),
    (SOURCE, r'<div class="apidiff-notice"[^>]*>(?=.{0,200}is not in PyTorch)', "2.9.1", None, True),
    (SOURCE, r'<div class="apidiff-notice"[^>]*>(?=.{0,200}Whether PyTorch)', "2.5.0", None, True),
    (SOURCE, r'<div [^>]*>(?=<p class="apidiff-aside">PyTorch)', "2.14.0 2.5.0..2.9.1", None, False),
    (SOURCE, r'<tr [^>]*>(?=<td><p><code[^>]*>group_dst)', "2.9.1..2.14.0", None, False),
    (SOURCE, r'<tr [^>]*>(?=<td><p><em>absent</em></p></td>\s*<td[^>]*><p><code.{0,80}>wait)', None, "2.8.0..2.9.0", True),
    (COMPOSED, r'<div class="apidiff-box"[^>]*>(?=.{0,300}composed)', None, "2.8.0..2.10.0", False),
    (COMPOSED, r'<section [^>]*id="otherwise--first"', None, "2.3.0..2.7.1", False),
]  # fmt: skip


@pytest.mark.parametrize(("page", "pattern", "torch", "mindspore", "hidden"), MARKED)
def test_a_part(
    html: dict[str, str], page: str, pattern: str, torch: str | None, mindspore: str | None, hidden: bool
) -> None:
    found = re.search(pattern, html[page], re.DOTALL)
    assert found
    tag = found[0]
    spans = [one[1] if (one := re.search(f'data-{name}="([^"]*)"', tag)) else None for name in ("torch", "mindspore")]
    assert (*spans, 'hidden="hidden"' in tag) == (torch, mindspore, hidden)


def test_answers_share_the_releases_among_them(make_site: MakeSite) -> None:
    entry = make_site().content.entries[SOURCE]
    found = answers(entry, RELEASES.known["mindspore"])
    assert [(one.target.name if one.target else None, one.releases) for one in found] == [
        (NEW, ["2.10.0", "2.9.0"]),
        (OLD, ["2.8.0", "2.7.1", "2.4.0"]),
        (None, ["2.3.0"]),
    ]


def test_a_new_release_is_written_into_every_page(make_site: MakeSite) -> None:
    site = make_site()
    site.build()
    assert site.build().written == set()
    known = RELEASES.known | {"torch": ["2.15.0", *RELEASES.known["torch"]]}
    site.content = msgspec.structs.replace(site.content, releases=Releases(known=known, signed=RELEASES.signed))
    built = site.build()
    assert {f"mappings/{SOURCE}", "notes", "index"} <= built.written
    assert ">2.15.0</span>" in built.html(f"mappings/{SOURCE}")
    assert site.build().written == set()
