"""Makes a build faster and its pages lighter, with no change that a reader sees.

Garbage is collected seldom; formatters, code blocks and the tags of styles and scripts are made once; templates are read
once and kept compiled; code has an element only where it has a colour.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.filter import Filter
from pygments.token import Name, Punctuation, Text, Whitespace
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.highlighting import PygmentsBridge

from apidiff.sphinxext.garbage import collecting_seldom, not_collecting
from apidiff.sphinxext.kept_templates import KeptTemplates
from apidiff.sphinxext.supported_builders import writes_site


class BuildTuning:
    """The settings of one build."""

    def __init__(self) -> None:
        self._settings, self._reading = ExitStack(), ExitStack()
        self._tags: dict[tuple[object, ...], str] = {}

    def begin(self, _app: Sphinx, _config: Config) -> None:
        """Change the settings, before the content and what Sphinx keeps of pages are read."""
        self._settings.enter_context(collecting_seldom())
        self._reading.enter_context(not_collecting())
        # When it ends, Python looks through all that is left for cycles, for seconds; the system frees it anyway.
        atexit.register(gc.freeze)

    def or_end(self, handle: Callable[[Sphinx], None]) -> Callable[[Sphinx], None]:
        """Return what does as ``handle``, and puts the settings back where that fails; Sphinx tells nobody of such an end."""

        def handle_or_end(app: Sphinx) -> None:
            try:
                handle(app)
            except BaseException:
                self.end(app, None)
                raise

        return handle_or_end

    def settle(self, app: Sphinx) -> None:
        """Leave out of all later collections what is in memory now, the content with it."""
        gc.freeze()
        self._reading.close()
        self._settings.callback(gc.unfreeze)
        if writes_site(app.builder):
            app.builder.highlighter = _Bridge(app.builder.highlighter)
            templates = getattr(app.builder.templates, "environment", None)
            if templates is None:  # a template_bridge of a user's own
                return
            templates.auto_reload = False
            templates.bytecode_cache = KeptTemplates(Path(app.doctreedir) / "apidiff" / "templates")

    def remember_tags(
        self, _app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None
    ) -> None:
        """Write the tags of styles and scripts once for all pages of a folder: for each, Sphinx reads its file's state."""
        for name in ("css_tag", "js_tag"):
            context[name] = self._remembered(context["content_root"], context[name])

    def _remembered(self, root: str, write: Callable[[Any], str]) -> Callable[[Any], str]:
        def tag(file: Any) -> str:
            if isinstance(file, str):  # as handlers of a user may name a script
                return write(file)
            key = (write.__name__, root, str(file.filename), tuple(sorted(file.attributes.items())))
            if key not in self._tags:
                self._tags[key] = write(file)
            return self._tags[key]

        return tag

    def end(self, _app: Sphinx, _exception: Exception | None) -> None:
        """Put the settings back."""
        self._reading.close()
        self._settings.close()


class _Uncoloured(Filter):
    """Make plain text of what the site's styles give no colour, which is most of code: it needs no element."""

    def filter(self, _lexer: Any, stream: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        """Join neighbouring pieces of plain text."""
        plain = ""
        for kind, text in stream:
            if kind in _PLAIN:
                plain += text
                continue
            if plain:
                yield Text, plain
                plain = ""
            yield kind, text
        if plain:
            yield Text, plain


_PLAIN = frozenset({Text, Whitespace, Name, Name.Namespace, Punctuation})


class _Bridge(PygmentsBridge):
    """Sphinx' highlighter, which makes a formatter for every block, and many blocks are the same."""

    def __init__(self, plain: PygmentsBridge) -> None:
        self.__dict__.update(plain.__dict__)
        self._blocks = lru_cache(maxsize=10_000)(super().highlight_block)
        self._formatters = lru_cache(maxsize=100)(super().get_formatter)

    def get_lexer(self, *args: Any, **kwargs: Any) -> Any:
        lexer = super().get_lexer(*args, **kwargs)
        # A lexer that conf.py registered comes again for every block, with the filters that it was given.
        if not any(isinstance(one, _Uncoloured) for one in lexer.filters):
            lexer.add_filter(_Uncoloured())
        return lexer

    def get_formatter(self, **kwargs: Any) -> Any:
        return self._formatters(**kwargs) if _is_constant(kwargs) else super().get_formatter(**kwargs)

    def highlight_block(
        self,
        source: str,
        lang: str,
        opts: dict[str, Any] | None = None,
        force: bool = False,
        location: Any = None,
        **kwargs: Any,
    ) -> str:
        # A block that is not forced may be warned of, each with its own place.
        if force and not opts and _is_constant(kwargs):
            return self._blocks(source, lang, force=True, **kwargs)
        return super().highlight_block(source, lang, opts, force, location, **kwargs)


def _is_constant(values: dict[str, Any]) -> bool:
    return all(isinstance(value, str | int | bool | None) for value in values.values())
