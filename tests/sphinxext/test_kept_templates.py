"""Compiled templates are taken over as they were written, and compiled again where they were damaged or others made them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2.bccache import bc_magic
from small_site import Built, Site
from sphinx.errors import ExtensionError

from apidiff.sphinxext.kept_templates import KeptTemplates

MakeSite = Callable[..., Site]
# What becomes of the bytes of a compiled template, which begin with a seal of 32.
DAMAGED: list[Callable[[bytes], bytes]] = [
    lambda _: b"",
    lambda kept: kept[:15],
    lambda kept: kept[:-1],
    lambda kept: kept[:32] + bc_magic + b"garbage",
    lambda kept: bc_magic + b"garbage",
    lambda kept: kept.replace(b"</html>", b"</htmX>"),
    lambda kept: kept[32:][:15],
    lambda kept: kept[32:].replace(b"</html>", b"</htmX>"),
]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_compiled_template_that_was_damaged_is_compiled_again(
    make_site: MakeSite, damage: Callable[[bytes], bytes]
) -> None:
    site = make_site()
    pages = site.build().pages()
    before = kept_templates(site)
    assert any(b"</html>" in content for content in before.values())
    for file, content in before.items():
        file.write_bytes(damage(content))
    again = write_again(site)
    assert (again.warnings, again.read, again.pages()) == ("", set(), pages)
    assert kept_templates(site) == before


def test_a_compiled_template_of_other_versions_is_compiled_again(
    make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = make_site()
    site.build()
    before = kept_templates(site)
    monkeypatch.setattr("apidiff.sphinxext.kept_templates._MAKERS", "3.0.0 CPython 3.11.0")
    write_again(site)
    after = kept_templates(site)
    assert after.keys() == before.keys()
    assert [file for file in before if after[file] == before[file]] == []


def test_compiled_templates_are_kept(make_site: MakeSite, monkeypatch: pytest.MonkeyPatch) -> None:
    site = make_site()
    site.build()
    monkeypatch.setattr(KeptTemplates, "dump_bytecode", lambda *_: pytest.fail("compiled again"))
    write_again(site)


def test_a_file_in_the_place_of_the_folder_of_templates_is_named(make_site: MakeSite) -> None:
    site = make_site()
    site.build()
    kept = site.folder / "out-doctrees" / "apidiff"
    shutil.rmtree(kept / "templates")
    (kept / "templates").write_text("in the way")
    with pytest.raises(ExtensionError) as caught:
        site.build()
    found = f"{kept / 'templates'}: cannot be read or written (File exists)"
    assert (
        str(caught.value)
        == f"{found}. Take away what stands in its place, and make {kept} a folder that can be written to."
    )


def write_again(site: Site) -> Built:
    """Build with an output folder that is new, so that all pages are written."""
    shutil.rmtree(site.folder / "out")
    return site.build()


def kept_templates(site: Site) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in (site.folder / "out-doctrees" / "apidiff" / "templates").iterdir()}
