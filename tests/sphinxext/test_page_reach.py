"""Pages may be a stranger's: they run nothing, and publish nothing of the machine that builds them."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import pytest
from docutils import nodes
from docutils.parsers.rst import directives, roles
from sphinx.addnodes import pending_xref
from sphinx.util.tags import Tags

from apidiff.database.paths import examples_folder
from apidiff.sphinxext.api_pages import resolve_annotation
from apidiff.sphinxext.page_reach import ExampleInclude, keep_pages

_ROOT = Path(__file__).parents[2]
_SITE = runpy.run_path(str(_ROOT / "conf" / "conf.py"), {"tags": Tags()})
_CONF = f"""
import sys

sys.path.insert(0, {str(_ROOT)!r})
extensions = ["myst_parser"]
myst_enable_extensions = {_SITE["myst_enable_extensions"]}
myst_disable_syntax = {_SITE["myst_disable_syntax"]}
myst_all_links_external = {_SITE["myst_all_links_external"]}


def setup(app):
    from apidiff.sphinxext.page_reach import keep_pages

    keep_pages(app)
"""
_RUN = "{{ cycler.__init__.__globals__.os.system('touch ran') }}"
_SETTINGS = "Its front matter may set `html_theme.sidebar_secondary.remove: true` and `orphan: true`"
_BOMB = "a: &a {z: 1}\n" + "".join(f"{b}: &{b} {{<<: [{','.join([f'*{a}'] * 9)}]}}\n" for a, b in pairwise("abcdefgh"))
FRONTS = [
    "myst:\n  enable_extensions: [substitution]\n---",
    "{myst: {enable_extensions: [substitution]}}\n---",
    '"\\x6Dyst": {enable_extensions: [substitution]}\n---',
    "myst:\n  enable_extensions: [substitution]\n...",
    "a: [\n---",
    "- a\n---",
    f"{_BOMB}---",
    f"orphan: true\n---a: 1\n{_BOMB}---",
    f"orphan: {'1:' * 200}1.5\n---",
    f"orphan: true\n---a: 1\nb: {'1:' * 24_000}1\n---",
    "orphan: true\n-----\na: 1\n-----",
    "orphan: true\norphan: [true]\n---",
    "orphan: true\n--- \nmyst: 1\n---",
]
DEEP = [
    f"# A\n\n{'*' * 24_000}a{'*' * 24_000}\n",
    f"# {'*' * 600}a{'*' * 600}\n",
    f"# A\n\n{'*a _a ' * 100}{'a* a_ ' * 100}\n",
    "# A\n\n"
    + "".join(f"{':' * n}{{note}}\n" for n in range(203, 3, -1))
    + "a\n"
    + "".join(f"{':' * n}\n" for n in range(4, 204)),
]
REFUSED = [  # a page, what is said of it
    *((f"---\n{front}\n# A\n\n{_RUN}\n", _SETTINGS) for front in FRONTS),
    ("# A\n\n" + "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "b\n" * 200, "Its tables have more than 10,000 cells"),
    (
        "# A\n\n" + "|a" * 200 + "|\u2028\n" + "|-" * 200 + "|\n" + "b\u2028\n" * 200,
        "Its tables have more than 10,000 cells",
    ),
    ("# A\n\n" + "(b)=\n" * 501, "It has more than 500 targets"),
    ("# A\n\n```{include} ../secret.txt\n```\n", "This page has no `include`"),
    ("# A\n\n```{raw} html\n:file: ../secret.txt\n```\n", "This page has no `raw`"),
    ("# A\n\n```{csv-table}\n:file: ../secret.txt\n```\n", "This page has no `csv-table`"),
    ("# A\n\n```{eval-rst}\n.. include:: ../secret.txt\n```\n", "It has reStructuredText (`eval-rst`)"),
    ("# A\n\n:::{figure} ../secret.txt\n:::\n", "This page has no `figure`"),
    ("# A\n\n```{autodoc2-docstring} a.b\n:parser: antigravity\n```\n", "This page has no `autodoc2-docstring`"),
    ("# A\n\n```{py:class} A\n```\n", "This page has no `py:class`"),
    ("# A\n\n```{warning}\n~~~{include} ../secret.txt\n~~~\n```\n", "This page has no `include`"),
    ("# A\n\n```{apidiff-statements}\n```\n", "This page has no `apidiff-statements`"),
    (f"# A\n\n```{{toctree}}\n:glob:\n\n{'*a' * 40}\n```\n", "Unknown option key"),
    ("# A\n\n```{literalinclude} ../secret.txt\n```\n", "../secret.txt lies outside of executable_examples/"),
    (
        "# A\n\n```{literalinclude} /../../../../../../../../../../../dev/zero\n```\n",
        "lies outside of executable_examples/",
    ),
    ("# A\n\n```{literalinclude} EXAMPLE\n:diff: ../secret.txt\n```\n", "Unknown option key"),
    (
        "# A\n\n```{literalinclude} EXAMPLE\n---\ncaption: |\n  ~~~{include} ../secret.txt\n  ~~~\n---\n```\n",
        "Unknown option key",
    ),
    ("# A\n\n```{literalinclude} EXAMPLE\n:encoding: punycode\n```\n", "Unknown option key"),
    (f"# A\n\n```{{literalinclude}} {'a' * 3000}\n```\n", "cannot be shown"),
    (f"# A\n\n```{{toctree}}\n{'a' * 3000}\n```\n", "nonexisting document"),
    (f"# A\n\n{{doc}}`{'a' * 3000}`\n", "unknown document"),
    (f"# A\n\n![a]({'a' * 3000})\n", "is a file of this machine"),
    ("# A\n\n![a](../secret.txt)\n", "'../secret.txt' is a file of this machine"),
    ("# A\n\n{download}`a <../secret.txt>`\n", "This page has no role `download`"),
    (f"# A\n\n{{cpp:expr}}`{'(' * 24}a{')' * 24}`\n", "This page has no role `cpp:expr`"),
    ("# A\n\n{py:obj}`apidiff.data.evil.x`\n", "This page has no role `py:obj`"),
    ("# A\n\n```csharp\na\n```\n", "Code in 'csharp' is shown without colours"),
    ("# A\n\n```{code-block} csharp\na\n```\n", "Code in 'csharp' is shown without colours"),
    ("# A\n\n```{toctree}\n```\n\n```{toctree}\n```\n", "This page has no `toctree`"),
    (f"# A\n\n## [b](http://x/{'&' * 2000})\n", "This title is too long, and cut"),
    *((page, "It has emphasis, notes or lists in one another in more than 60 layers") for page in DEEP),
]


def _built(folder: Path, page: str) -> tuple[int, str, str]:
    """The exit code of a build of one page, what it says, and all that it wrote."""
    conf = folder / "conf"
    conf.mkdir()
    (conf / "conf.py").write_text(_CONF)
    (conf / "docutils.conf").write_bytes((_ROOT / "conf" / "docutils.conf").read_bytes())
    source = folder / "docs"
    source.mkdir()
    (folder / "secret.txt").write_text("what nobody publishes")
    example = next(examples_folder().glob("*/torch_example.py"))
    (source / "index.md").write_text(page.replace("EXAMPLE", f"{'../' * 20}{str(example).lstrip('/')}"))
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-c",
        conf,
        source,
        folder / "out",
    ]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": str(folder)}
    )
    written = [path for path in (folder / "out").rglob("*") if path.suffix in {".html", ".txt"}]
    return done.returncode, done.stderr, "".join(path.read_text() for path in written)


@pytest.mark.parametrize(("page", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_a_page_may_not_have_is_named_and_left_out(tmp_path: Path, page: str, said: str) -> None:
    code, told, written = _built(tmp_path, page)
    assert (code != 0, said in told, "Traceback" in told) == (True, True, False), told
    assert "docs/index.md:" in told
    assert "what nobody publishes" not in written
    assert not (tmp_path / "ran").exists()


def test_a_page_shows_an_example(tmp_path: Path) -> None:
    front = "---\norphan: true\nhtml_theme.sidebar_secondary.remove: true\n---\n"
    shown = "```{literalinclude} EXAMPLE\n:language: python\n```\n"
    code, told, written = _built(tmp_path, f"{front}# A\n\n{shown}")
    assert (code, told) == (0, "")
    assert "init_process_group" in written


def test_of_a_block_of_code_no_option_is_read(tmp_path: Path) -> None:
    _, _, written = _built(tmp_path, "# A\n\n```{CODE-BLOCK} python\n:emphasize-lines: 1-90000000\n\na\n```\n")
    assert "1-90000000" in re.sub("<[^>]*>", "", written)


PLAIN = [  # text that is Markdown elsewhere, and how it is written here
    ("<script>b</script>", "&lt;script&gt;b&lt;/script&gt;"),
    ("<p>\n<script>b</script>", "&lt;script&gt;b&lt;/script&gt;"),
    ("b <img src=http://c.d>", "b &lt;img src=http://c.d&gt;"),
    ("[b]: http://c.d/\n\n[b]", "<p>[b]: http://c.d/</p>\n<p>[b]</p>"),
    ("- [b]: http://c.d/\n\n[b]", "<p>[b]: http://c.d/</p>"),
    ("[b](../secret.txt)", 'href="../secret.txt">b</a>'),
    (f"[b]({'c' * 3000})", f'href="{"c" * 3000}">b</a>'),
    ("[b](http://[)", 'href="http://%5B">b</a>'),
    ("[b](path:../secret.txt)", 'href="path:../secret.txt">b</a>'),
]


@pytest.mark.parametrize(("text", "shown"), PLAIN)
def test_what_is_no_syntax_of_the_site_is_shown_as_it_stands(text: str, shown: str, tmp_path: Path) -> None:
    _, told, written = _built(tmp_path, f"# A\n\n{text}\n")
    assert (shown in written, "Traceback" in told, "what nobody publishes" in written) == (True, False, False)


@pytest.mark.parametrize(
    ("page", "name", "said"),
    [
        ("guide/index", "toctree", False),
        ("guide/other", "toctree", True),
        ("statements", "apidiff-statements", False),
        ("statements", "apidiff-runs", True),
        ("mappings/torch.div", "apidiff-mapping", False),
        ("api/apidiff.lookup/apidiff.lookup.errors", "py:class", False),
        ("api/apidiff.lookup/apidiff.lookup", "autodoc2-docstring", False),
        ("api/apidiff.lookup/apidiff.lookup.none", "py:class", True),
        ("api/apidiff.lookup/apidiff.errors", "py:class", True),
        ("api/apidiff.data/apidiff.data.evil", "py:class", True),
        ("api/errors", "py:class", True),
    ],
)
def test_each_page_has_its_own_directives(page: str, name: str, said: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directives, "directive", lambda *_: (None, []))
    monkeypatch.setattr(roles, "role", None)
    packages = [{"module": "apidiff.lookup", "path": ""}, {"module": "apidiff.errors", "path": ""}]
    app = MagicMock(config=SimpleNamespace(autodoc2_packages=packages))
    keep_pages(app)
    kept = dict(made.args for made in app.connect.call_args_list if made.args[1].__name__ == "_keep_to_lists")
    kept["source-read"](app, page, [""])
    found, _ = directives.directive(name, None, None)
    assert (found is not None) == said


@pytest.mark.parametrize("name", ["apidiff.data.evil.x", "x", ".x", "os.x"])
def test_no_module_that_has_no_page_is_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> None:
        raise AssertionError

    monkeypatch.setattr("importlib.import_module", fail)
    app = MagicMock(config=SimpleNamespace(autodoc2_packages=[{"module": "apidiff.model"}]))
    link = pending_xref(refdomain="py", reftarget=name, refdoc="index", **{"py:module": None})
    assert resolve_annotation(app, MagicMock(), link, nodes.literal()) is None


def test_the_site_keeps_its_pages_to_that() -> None:
    app = MagicMock()
    _SITE["setup"](app)
    assert call("literalinclude", ExampleInclude, override=True) in app.add_directive.call_args_list
    assert _SITE["source_suffix"] == {".md": "markdown"}
