"""Looks at what an earlier build left, before Sphinx reads it: a build that was killed, or a full disk, may have cut it.

Nor has Sphinx a word for what stands in the place of its files: a pipe is waited for, a folder ends in a traceback.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.builders.html import INVENTORY_FILENAME
from sphinx.builders.html._build_info import BuildInfo
from sphinx.config import Config

from apidiff.atomic_write import refuse_irregular
from apidiff.sphinxext.written_files import INFO, naming_the_file, refuse_pipes


def refuse_what_is_no_file(app: Sphinx, _config: Config) -> None:
    """Raise ExtensionError, which names it, for what Sphinx would wait for or fail on where it keeps and writes files."""
    for folder, name in ((Path(app.doctreedir), ENV_PICKLE_FILENAME), (Path(app.outdir), INVENTORY_FILENAME)):
        with naming_the_file(folder):
            refuse_pipes(folder)
            refuse_irregular(folder / name)
            if (folder / name).is_dir():
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(folder / name))


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
