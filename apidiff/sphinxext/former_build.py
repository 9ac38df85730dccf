"""Looks at what an earlier build left, before Sphinx reads it: a build that was killed, or a full disk, may have cut it."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html._build_info import BuildInfo
from sphinx.config import Config

from apidiff.sphinxext.written_files import INFO, naming_the_file


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
