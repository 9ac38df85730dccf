"""Extracted samples: each file is as it was written, of an API with a mapping, and names parameters that there are."""

from __future__ import annotations

from collections.abc import Iterator

from apidiff.database.data import Data
from apidiff.database.extracted_samples import extracted_path, unnamed_parameters
from apidiff.errors import DataError


def extracted_samples_fit(data: Data) -> Iterator[DataError]:
    """Every error in what the files below ``samples/`` say. One that cannot be read is told when the data are."""
    for api, extracted in data.extracted.items():
        path = extracted_path(data.root / "samples", api)
        if api not in data.mappings:
            yield DataError(path, None, f"there is no mapping of {api}", "Delete the file, or write the mapping.")
        signatures = data.signatures.get((extracted.framework, extracted.framework_version))
        if signatures is not None and (signature := signatures.apis.get(api)) is not None:
            yield from unnamed_parameters(extracted, signature, path)
