"""Where the pages' content comes from: the validated data, turned into entries."""

from __future__ import annotations

from apidiff import store
from apidiff.model import Version
from apidiff.render import counterparts, entries
from apidiff.render.coverage import coverage_of
from apidiff.render.evidence import probe_calls
from apidiff.render.official import official_report
from apidiff.render.picture import pictures
from apidiff.render.port import port_facts
from apidiff.sphinxext.content import Content
from apidiff.sphinxext.releases import Releases


def load() -> Content:
    """Everything the pages show. Raises what the store raises for data that is not valid."""
    data = store.load()
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
    found = entries(data)
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
        records={mapping_id: data.path_of(mapping_id) for mapping_id in data.mappings},
    )
