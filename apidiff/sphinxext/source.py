"""Where the pages' content comes from: the validated data, turned into entries."""

from __future__ import annotations

from apidiff import store
from apidiff.model import Version
from apidiff.render import counterparts, entries
from apidiff.render.coverage import coverage_of
from apidiff.render.evidence import probe_calls
from apidiff.render.official import official_report
from apidiff.sphinxext.content import Content


def load() -> Content:
    """Everything the pages show. Raises what the store raises for data that is not valid."""
    data = store.load()
    newest = {
        framework: max((release.version for release in releases), key=Version)
        for framework, releases in data.frameworks.items()
    }
    runs = {run_id: data.root / "runs" / f"{run_id}.json" for run_id, _ in data.runs}
    found = entries(data)
    return Content(
        entries=found,
        newest=newest,
        runs=runs,
        official=official_report(data, found),
        counterparts=counterparts(data, found),
        calls=probe_calls(data),
        coverage=coverage_of(data, found),
        records={mapping_id: data.path_of(mapping_id) for mapping_id in data.mappings},
    )
