"""Looks at what stands where Sphinx keeps and writes files, before it opens them.

Sphinx has no word for what is no file: a pipe is waited for, a folder ends in a traceback.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.builders.html import INVENTORY_FILENAME
from sphinx.builders.html._build_info import BuildInfo
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from apidiff.atomic_write import refuse_irregular
from apidiff.sphinxext.supported_builders import writes_site
from apidiff.sphinxext.written_files import INFO, naming_the_file, refuse_pipes

_SHARED = ("_static", "_sources", "_images", "_downloads")  # folders that Sphinx makes beside the pages


def refuse_what_is_no_file(app: Sphinx, _config: Config) -> None:
    """Raise ExtensionError, which names it, for what Sphinx would wait for or fail on where it keeps and writes files."""
    for folder, name in ((Path(app.doctreedir), ENV_PICKLE_FILENAME), (Path(app.outdir), INVENTORY_FILENAME)):
        with naming_the_file(folder):
            refuse_pipes(folder)
            refuse_irregular(folder / name)
            if (folder / name).is_dir():
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(folder / name))


def refuse_other_kinds(app: Sphinx, env: BuildEnvironment, _docnames: Sequence[str]) -> None:
    """Raise ExtensionError for a file where Sphinx would make a folder for its pages, and for a folder in the place of a page."""
    parents = sorted({str(parent) for name in env.found_docs for parent in PurePosixPath(name).parents})
    kept, out = Path(app.doctreedir), Path(app.outdir)
    with naming_the_file(kept):
        _refuse(folders=[kept / name for name in parents], files=[kept / f"{name}.doctree" for name in env.found_docs])
    if writes_site(app.builder):
        folders = [out / name for name in (*parents, *_SHARED, *(f"_sources/{name}" for name in parents))]
        with naming_the_file(out):
            _refuse(folders, [Path(app.builder.get_outfilename(name)) for name in env.found_docs])


def _refuse(folders: Sequence[Path], files: Sequence[Path]) -> None:
    for path in (*folders, *files):
        refuse_irregular(path)
    for code, found in (
        (errno.ENOTDIR, (folder for folder in folders if folder.is_file())),
        (errno.EISDIR, (file for file in files if file.is_dir())),
    ):
        for path in found:
            raise OSError(code, os.strerror(code), str(path))


def remove_broken_info(app: Sphinx, _config: Config) -> None:
    """Take away the note of the configuration in the output folder where Sphinx could not read it: all pages are written anew."""
    info = Path(app.outdir) / INFO
    if not info.is_file():
        return
    try:
        BuildInfo.load(info)
    except OSError:  # which Sphinx passes over
        pass
    except (ValueError, IndexError):
        with naming_the_file(info.parent):
            info.unlink()
