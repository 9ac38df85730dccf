"""A small site whose content is made by hand, built as often as a test wants."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from entry_fixture import content
from sphinx.application import Sphinx
from sphinx.locale import translators
from sphinx.util.docutils import docutils_namespace, patch_docutils
from whole_page import whole_page

from apidiff.sphinxext.domain import ApidiffDomain
from apidiff.sphinxext.search_index import SearchData
from apidiff.sphinxext.site_content import Content

_PAGES = {
    "index": "# Index\n\n```{toctree}\nmappings\nrisks\nstatements\ndocuments\nruns\nnotes\nglance\ncounterparts\n```\n",
    "mappings": "# Mappings\n\n```{apidiff-table}\n:toctree:\n```\n",
    "risks": "# Risks\n\n```{apidiff-index} risk\n```\n",
    "glance": "# At a glance\n\n```{apidiff-index} category\n```\n",
    "counterparts": "# From the other side\n\n```{apidiff-counterparts}\n```\n",
    "statements": "# Statements\n\n```{apidiff-statements}\n```\n",
    "documents": "# Documents\n\n```{apidiff-documents}\n```\n",
    "runs": "# Runs\n\n```{apidiff-runs}\n:toctree:\n```\n",
    "notes": "# Notes\n\nSee {apidiff:api}`mindspore.ops.communication.reduce` and "
    "{apidiff:claim}`torch.distributed.reduce#others-keep-tensor`.\n\n(twin)=\n## 标题\n\nText.\n",
}


@dataclass
class Built:
    """What a build did: pages it read, pages it wrote, what it warned of, and what it left."""

    out: Path
    read: set[str]
    written: set[str]
    warnings: str
    domain: ApidiffDomain

    def html(self, docname: str) -> str:
        """The page, with what it keeps on pages of its own."""
        return whole_page(self.out / f"{docname}.html")

    def search(self) -> SearchData:
        script = (self.out / "_search" / "index.js").read_bytes()
        return msgspec.json.decode(script.removeprefix(b"window.apidiffSearch=").removesuffix(b";\n"), type=SearchData)

    def pages(self) -> dict[str, str]:
        return {
            path.relative_to(self.out).as_posix(): path.read_text("utf-8")
            for path in sorted(self.out.rglob("*.html"))
            if path.name != "genindex.html"
        }


class Site:
    """A source folder and its content. ``content`` may be replaced between builds; ``conf`` is added to its configuration."""

    def __init__(
        self, folder: Path, language: str, use: Callable[[Callable[[], Content]], None], conf: str = ""
    ) -> None:
        self.folder, self.language = folder, language
        self.content = content(folder / "data")
        self.src = folder / "src"
        self.src.mkdir()
        self.conf = folder / "conf"
        self.conf.mkdir()
        own = conf
        conf = f"extensions = ['myst_parser', 'apidiff.sphinxext']\nlanguage = {language!r}\nsmartquotes = False\n"
        conf += "html_theme = 'basic'\nhtml_copy_source = False\nhtml_use_index = False\nnitpicky = True\n"
        (self.conf / "conf.py").write_text(conf + own)
        for name, text in _PAGES.items():
            (self.src / f"{name}.md").write_text(text, "utf-8")
        use(lambda: self.content)

    def build(self, parallel: int = 1, out: str = "out", builder: str = "html", pages: Sequence[str] = ()) -> Built:
        """Build the site, or those ``pages`` alone."""
        target = self.folder / out
        before = {path: path.stat().st_mtime_ns for path in target.rglob("*.html")}
        read: set[str] = set()
        warnings = io.StringIO()
        doctrees = self.folder / f"{out}-doctrees"
        translators.clear()  # Sphinx keeps the language of an earlier build of the process
        with patch_docutils(str(self.conf)), docutils_namespace():
            app = Sphinx(
                self.src, self.conf, target, doctrees, builder, status=None, warning=warnings, parallel=parallel
            )
            app.connect("env-before-read-docs", lambda _app, _env, names: read.update(names))
            app.build(filenames=[self.src / f"{page}.md" for page in pages] or None)
            domain = app.env.get_domain("apidiff")
        written = {
            path.relative_to(target).with_suffix("").as_posix()
            for path in target.rglob("*.html")
            if before.get(path) != path.stat().st_mtime_ns
        }
        assert isinstance(domain, ApidiffDomain)
        return Built(target, read, written, warnings.getvalue(), domain)
