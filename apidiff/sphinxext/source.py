"""Where the pages' content comes from: the validated data, turned into entries.

A build of several languages makes the content once and hands it to each of them in a file (`write`, `read`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from apidiff import store
from apidiff.model import Version
from apidiff.render import counterparts, entries
from apidiff.render.official import official_report
from apidiff.sphinxext.content import Content, write_if_changed
from apidiff.sphinxext.kept import Keeper
from apidiff.store import Data


def load() -> Content:
    """Everything the pages show. Raises what the store raises for data that is not valid."""
    return make(store.load())


def make(data: Data, keep: Path | None = None) -> Content:
    """Everything the pages show of ``data``. ``keep``: a folder for what the next build may need again."""
    newest = {
        framework: max((release.version for release in releases), key=Version)
        for framework, releases in data.frameworks.items()
    }
    runs = {run_id: data.root / "runs" / f"{run_id}.json" for run_id, _ in data.runs}
    found = Keeper(data, keep).entries() if keep else entries(data)
    return Content(
        entries=found,
        newest=newest,
        runs=runs,
        official=official_report(data, found),
        counterparts=counterparts(data, found),
    )


def write(content: Content, file: Path) -> None:
    """Put ``content`` into ``file`` for `read`."""
    write_if_changed(file, msgspec.msgpack.encode(content, enc_hook=_plain))


def read(file: Path) -> Content:
    """The content that `write` put into ``file``."""
    return msgspec.msgpack.decode(file.read_bytes(), type=Content, dec_hook=_path)


def _plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(type(value))


def _path(kind: type, value: Any) -> Any:
    if issubclass(kind, Path):
        return kind(value)
    raise NotImplementedError(kind)
