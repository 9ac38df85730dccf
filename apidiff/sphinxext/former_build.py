"""Looks at what an earlier build left, before Sphinx reads it: a build that was killed, or a full disk, may have cut it.

Nor has Sphinx a word for what stands in the place of its files: a pipe is waited for, a folder ends in a traceback.
"""

from __future__ import annotations

import errno
import os
import pickle
import re
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

_HEAD = 2  # bytes of a pickle before its first frame: that it is one, and of which protocol
_FRAME = re.compile(re.escape(pickle.FRAME) + b"(?P<size>.{8})", re.DOTALL)
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


def broken_pages(app: Sphinx, env: BuildEnvironment, *_outdated: set[str]) -> list[str]:
    """The pages of which what Sphinx keeps was cut or is something else: they are read anew."""
    kept = Path(app.doctreedir)
    files = {name: kept / f"{name}.doctree" for name in env.found_docs}
    return [name for name, file in files.items() if file.is_file() and not _is_whole(file)]


def _is_whole(path: Path) -> bool:
    """Whether a pickle begins and ends as one, and ends where its frames do."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < _HEAD + 1:
            return False
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(0)
        first, at = file.read(_HEAD), _HEAD
        while at < size and (frame := _FRAME.match(file.read(9))):
            at += len(frame[0]) + int.from_bytes(frame["size"], "little")
            if at > size:
                return False
            file.seek(at)
    return first[:1] == pickle.PROTO and last == pickle.STOP


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
