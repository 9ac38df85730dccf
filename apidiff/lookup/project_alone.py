"""Makes an answer anew of this project's records alone.

All data are read for it, so only a lookup that has to leave signed records out imports this.
"""

from __future__ import annotations

import dataclasses

import msgspec

from apidiff.database import Data
from apidiff.database.examples import load_examples
from apidiff.database.paths import examples_folder
from apidiff.derive.versions_run import versions_run
from apidiff.lookup.entry import Builder
from apidiff.lookup.index import Index, packed
from apidiff.model.trust import OWN


def of_project_alone(index: Index, mapping: str, data: Data) -> Index:
    """The index with the entry of ``mapping`` as this project's records alone make it.

    Differences, headlines and where a target runs are derived from all records that decide, signed ones of others among them,
    so nothing but making them anew leaves these out.
    """
    own = {key for key, signed in data.signed.items() if signed.trust in OWN}
    alone = dataclasses.replace(
        data,
        runs=[pair for pair in data.runs if pair[0] in own],
        single_runs=[pair for pair in data.single_runs if pair[0] in own],
        beside=[],
    )
    builder = Builder(alone, data.backends, load_examples(examples_folder()))
    entry = packed(msgspec.msgpack.encode(builder.entry(data.mappings[mapping])))
    entries = {**index.encoded_entries, mapping: entry}
    return msgspec.structs.replace(index, encoded_entries=entries, run=versions_run(alone))
