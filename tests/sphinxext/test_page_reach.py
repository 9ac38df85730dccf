"""Pages may be a stranger's: they run nothing, and publish nothing of the machine that builds them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock, call

import pytest

from apidiff.database.paths import examples_folder
from apidiff.sphinxext.extension import register
from apidiff.sphinxext.page_reach import ExampleInclude, refuse_files, refuse_settings

_ROOT = Path(__file__).parents[2]
_CONF = f"""
import sys

sys.path.insert(0, {str(_ROOT)!r})
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]


def setup(app):
    from apidiff.sphinxext.page_reach import ExampleInclude, refuse_files, refuse_settings

    app.connect("source-read", refuse_settings)
    app.add_directive("literalinclude", ExampleInclude, override=True)
    app.connect("doctree-read", refuse_files, priority=100)
"""
_RUN = "{{ cycler.__init__.__globals__.os.system('touch ran') }}"
_SETTINGS = "sets `myst`, which conf/conf.py alone does"
REACHING = [  # a page, what is said of it
    (f"---\nmyst:\n  enable_extensions: [substitution]\n---\n# A\n\n{_RUN}\n", _SETTINGS),
    (f"---\n{{myst: {{enable_extensions: [substitution]}}}}\n---\n# A\n\n{_RUN}\n", _SETTINGS),
    (f'---\n"\\x6Dyst": {{enable_extensions: [substitution]}}\n---\n# A\n\n{_RUN}\n', _SETTINGS),
    (f"---\nmyst:\n  enable_extensions: [substitution]\n...\n# A\n\n{_RUN}\n", _SETTINGS),
    ("# A\n\n```{include} ../secret.txt\n```\n", 'Directive "include" disabled'),
    ("# A\n\n```{literalinclude} ../secret.txt\n```\n", "../secret.txt lies outside of executable_examples/"),
    (
        "# A\n\n```{literalinclude} /../../../../../../../../../../../dev/zero\n```\n",
        "lies outside of executable_examples/",
    ),
    (
        "# A\n\n```{literalinclude} EXAMPLE\n:diff: ../secret.txt\n```\n",
        "Unknown option key",
    ),
    (
        "# A\n\n```{literalinclude} EXAMPLE\n---\ncaption: |\n  ~~~{include} ../secret.txt\n  ~~~\n---\n```\n",
        "Unknown option key",
    ),
    ("# A\n\n```{literalinclude} EXAMPLE\n:encoding: punycode\n```\n", "Unknown option key"),
    ("# A\n\n```{raw} html\n:file: ../secret.txt\n```\n", '"raw" directive disabled'),
    ("# A\n\n```{csv-table}\n:file: ../secret.txt\n```\n", 'ignoring "csv-table" directive'),
    ("# A\n\n```{eval-rst}\n.. include:: ../secret.txt\n```\n", '"include" directive disabled'),
    ("# A\n\n![a](../secret.txt)\n", "'../secret.txt' is a file of this machine"),
    ("# A\n\n```{image} /dev/zero\n```\n", "'/dev/zero' is a file of this machine"),
    ("# A\n\n{download}`a <../secret.txt>`\n", "'../secret.txt' is a file of this machine"),
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
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-c", conf, source, folder / "out"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": str(folder)}
    )
    written = [path for path in (folder / "out").rglob("*") if path.suffix in {".html", ".txt"}]
    return done.returncode, done.stderr, "".join(path.read_text() for path in written)


@pytest.mark.parametrize(("page", "said"), REACHING, ids=range(len(REACHING)))
def test_a_page_that_reaches_further_is_refused(tmp_path: Path, page: str, said: str) -> None:
    code, told, written = _built(tmp_path, page)
    assert (code != 0, said in told) == (True, True), told
    assert "what nobody publishes" not in written
    assert not (tmp_path / "ran").exists()


def test_a_page_shows_an_example(tmp_path: Path) -> None:
    code, told, written = _built(tmp_path, "---\ntitle: A\n---\n# A\n\n```{literalinclude} EXAMPLE\n```\n")
    assert (code, told) == (0, "")
    assert "init_process_group" in written


def test_the_site_keeps_its_pages_to_that() -> None:
    app = MagicMock()
    register(app)
    assert call("source-read", refuse_settings) in app.connect.call_args_list
    assert call("doctree-read", refuse_files, priority=100) in app.connect.call_args_list
    assert call("literalinclude", ExampleInclude, override=True) in app.add_directive.call_args_list
