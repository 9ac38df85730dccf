"""Makes a build faster without changing a page: garbage is collected seldom, formatters and code blocks are made once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.highlighting import PygmentsBridge

# Python looks for unreachable cycles after 700 new objects, and now and then through all there are. A page is made of
# some ten thousand, and those of the content never go: half of a build's time went into looking. Trees of pages are
# cycles, so it still has to be done.
_THRESHOLD = (100_000, 20, 20)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Collect garbage seldom within a block."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class BuildTuning:
    """The settings of one build."""

    def __init__(self) -> None:
        self._settings = ExitStack()

    def begin(self, _app: Sphinx) -> None:
        """Change the settings, before the content is read."""
        self._settings.enter_context(collecting_seldom())

    def settle(self, app: Sphinx) -> None:
        """Leave out of all later collections what is in memory now, the content with it."""
        gc.freeze()
        self._settings.callback(gc.unfreeze)
        if isinstance(app.builder, StandaloneHTMLBuilder):
            app.builder.highlighter = _Bridge(app.builder.highlighter)

    def end(self, _app: Sphinx, _exception: Exception | None) -> None:
        """Put the settings back."""
        self._settings.close()


class _Bridge(PygmentsBridge):
    """Sphinx' highlighter, which makes a formatter for every block, and many blocks are the same."""

    def __init__(self, plain: PygmentsBridge) -> None:
        self.__dict__.update(plain.__dict__)
        self._blocks = lru_cache(maxsize=10_000)(super().highlight_block)
        self._formatters = lru_cache(maxsize=100)(super().get_formatter)

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
