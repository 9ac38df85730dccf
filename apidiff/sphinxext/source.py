"""Where the pages' content comes from: the validated data, turned into entries.

A build of several languages makes the content once and hands it to each of them in a file (`write`, `read`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from apidiff import database as store
from apidiff.database import Data
from apidiff.derive.counterparts import counterparts
from apidiff.derive.coverage import coverage_of
from apidiff.derive.entry import entries
from apidiff.derive.evidence import probe_calls
from apidiff.derive.official import official_report
from apidiff.derive.picture import pictures
from apidiff.execute.submissions.signed import load_signed
from apidiff.model import Version
from apidiff.porting.port import port_facts
from apidiff.sphinxext.build_cache import Content, write_if_changed
from apidiff.sphinxext.entry_cache import Keeper
from apidiff.sphinxext.releases import Releases


def load() -> Content:
    """Everything the pages show. Raises what the store raises for data that is not valid."""
    return make(store.load())


def make(data: Data, keep: Path | None = None) -> Content:
    """Everything the pages show of ``data``. Raises DataError for a signature of a run record that does not verify.

    ``keep``: a folder for what the next build may need again.
    """
    known = {
        framework: sorted((release.version for release in releases), key=Version, reverse=True)
        for framework, releases in data.frameworks.items()
    }
    signed = {
        framework: sorted(
            (version for name, version in data.signatures if name == framework), key=Version, reverse=True
        )
        for framework in known
    }
    runs = {run_id: data.root / "runs" / f"{run_id}.json" for run_id, _ in data.runs}
    found = Keeper(data, keep).entries() if keep else entries(data)
    return Content(
        entries=found,
        newest={framework: versions[0] for framework, versions in known.items()},
        releases=Releases(known=known, signed=signed),
        runs=runs,
        official=official_report(data, found),
        counterparts=counterparts(data, found),
        pictures=pictures(data),
        port=port_facts(data),
        calls=probe_calls(data),
        coverage=coverage_of(data, found),
        signed=load_signed(data.root, runs),
        records={mapping_id: data.path_of(mapping_id) for mapping_id in data.mappings},
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
