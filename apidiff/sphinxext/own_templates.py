"""Names the site's own template, and the line in it, that cannot be read or filled in: Sphinx names a page that it was for."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from jinja2 import Environment, TemplateSyntaxError
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from apidiff.errors import ApidiffError, shortened
from apidiff.sphinxext.supported_builders import writes_site

_SUFFIX = ".html"


class BrokenTemplate(ApidiffError):
    """A template that is broken; names the file, the line where it is known, and what to do."""

    def __init__(self, path: Path | str, line: int | None, error: Exception) -> None:
        place = f"{path}:{line}" if line else str(path)
        found = str(getattr(error, "message", None) or error or type(error).__name__).rstrip(".")
        super().__init__(f"{place}: {shortened(found)}. Mend it, or restore it from version control.")


def check_template(path: Path, text: str) -> None:
    """Raise BrokenTemplate where Jinja cannot read the ``text`` of a template of Sphinx."""
    try:
        Environment(autoescape=True, extensions=["jinja2.ext.i18n"]).parse(text)
    except Exception as error:  # what is nested too deep, or a number too long, has errors of Python's
        raise BrokenTemplate(path, getattr(error, "lineno", None), error) from error


def name_templates(app: Sphinx) -> None:
    """Have what goes wrong while a page is filled in name the template, where that is one of the configuration's own."""
    if not writes_site(app.builder):
        return
    folders = [Path(app.confdir, folder) for folder in app.config.templates_path]
    render = app.builder.templates.render

    def render_or_name(template: str, context: dict[str, Any]) -> str:
        try:
            return render(template, context)
        except ExtensionError:  # it says already what to do, of a template that this one has filled in, too
            raise
        except Exception as error:  # a template is code, which may raise anything
            path, line = _place(error)
            if any(path.is_relative_to(folder) for folder in folders):
                raise ExtensionError(str(BrokenTemplate(path, line, error))) from error
            raise

    app.builder.templates.render = render_or_name


def _place(error: Exception) -> tuple[Path, int | None]:
    """Find the template that was being read or filled in, and the line; the theme's may have been asked for by our own."""
    if isinstance(error, TemplateSyntaxError) and error.filename:
        return Path(error.filename), error.lineno
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(_SUFFIX):
            return Path(frame.filename), frame.lineno
    return Path(), None
