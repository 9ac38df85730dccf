"""Pages of the extension are made by the builder ``html``; what the other builders make of plain pages is left to Sphinx."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_site import Site
from sphinx.errors import ConfigError, ExtensionError

MakeSite = Callable[..., Site]
# Sphinx' builders: whether each makes pages of its own of what it is given.
BUILDERS = {
    **dict.fromkeys(
        ("dirhtml", "singlehtml", "epub", "htmlhelp", "json", "pickle", "text", "man", "latex", "texinfo"), True
    ),
    **dict.fromkeys(("xml", "pseudoxml", "gettext", "dummy", "changes"), False),
}
ONLY_INDEX = "exclude_patterns = ['[!i]*']\nepub_copyright = version = '1'\nlanguage = 'en'\n"
ONLY_INDEX += "man_pages = [('index', 'index', '', [], 1)]\n"
HELD = [
    "```{apidiff-mapping} torch.distributed.reduce\n```\n",
    "```{apidiff-index} risk\n```\n",
    "```{apidiff-runs}\n```\n",
]


@pytest.mark.parametrize(("builder", "writes_pages"), BUILDERS.items())
def test_a_page_of_ours_is_refused_and_a_plain_one_is_not(
    make_site: MakeSite, builder: str, writes_pages: bool
) -> None:
    site = make_site(conf=ONLY_INDEX)
    (site.src / "index.md").write_text("# Index\n\nSee `x`.\n")
    built = site.build(builder=builder, out="plain")
    assert [line for line in built.warnings.splitlines() if "unknown mimetype" not in line] == []
    assert not (built.out / "_search").exists()
    (site.src / "index.md").write_text(f"# Index\n\n{HELD[0]}")
    if not writes_pages:
        site.build(builder=builder)
        return
    with pytest.raises(ExtensionError) as caught:
        site.build(builder=builder)
    told = (
        f"index: holds what apidiff writes for the builder html alone, not for {builder}. Build with -b html, or leave"
    )
    assert told in str(caught.value)


@pytest.mark.parametrize("directive", HELD)
def test_whatever_a_directive_makes_is_refused(make_site: MakeSite, directive: str) -> None:
    site = make_site(conf=ONLY_INDEX)
    (site.src / "index.md").write_text(f"# Index\n\n{directive}")
    with pytest.raises(
        ExtensionError, match="index: holds what apidiff writes for the builder html alone, not for text"
    ):
        site.build(builder="text")


def test_a_writer_that_cannot_write_our_pages_is_refused(make_site: MakeSite) -> None:
    code = "from {module} import {base}\nclass Own({base}): pass\n"
    code += "def setup(app): app.set_translator('html', Own, override=True)\n"
    with pytest.raises(
        ConfigError, match=r"Own, which cannot write those of apidiff\. Derive it from apidiff\.sphinxext\.nodes"
    ):
        make_site(conf=ONLY_INDEX + code.format(module="sphinx.writers.html5", base="HTML5Translator")).build()


def test_a_writer_that_is_derived_from_ours_is_taken(make_site: MakeSite) -> None:
    code = "from apidiff.sphinxext.nodes import Translator\nclass Own(Translator): pass\n"
    code += "def setup(app): app.set_translator('html', Own, override=True)\n"
    assert "<h1" in make_site(conf=ONLY_INDEX + code).build().html("index")


def test_a_users_own_interface_is_left_to_sphinx(make_site: MakeSite) -> None:
    """Its pages may lie below ``api/``, as this project's do."""
    site = make_site(conf=ONLY_INDEX.replace("[!i]*", "[!ia]*"))
    (site.src / "index.md").write_text("# Index\n\n```{toctree}\napi/own\n```\n")
    (site.src / "api").mkdir()
    (site.src / "api" / "own.md").write_text(
        "# Own\n\n````{py:class} Layer\n\n```{py:method} call()\n\nCalls it.\n```\n````\n"
    )
    text = (site.build(builder="text", out="plain").out / "api" / "own.txt").read_text()
    assert all(words in text for words in ("Layer", "call()", "Calls it."))
