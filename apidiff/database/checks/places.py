"""Records are of backends and devices that conf/ describes: what is said there tells a kernel that is missing from an error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from apidiff.database.data import Data
from apidiff.database.paths import conf_file
from apidiff.errors import Damage, DataError
from apidiff.model.sample_run import SingleRecord
from apidiff.model.trace import RunRecord

_REMEDY = "Describe it there, or delete the records: without it verdicts on them would be others."


def places_are_described(data: Data) -> Iterator[DataError]:
    """What is missing in conf/backends.toml and conf/single.toml; nothing of a file that could not be read, which is told."""
    ranks, singles = _undescribed(data)
    for file, there, missing in (("backends.toml", data.backends, ranks), ("single.toml", data.devices, singles)):
        for place in sorted(missing) if there else ():
            found = f"describes no {place}, of which there are records such as {missing[place]}"
            yield DataError(conf_file(file), None, found, _REMEDY, Damage.FORM)


def without_unjudged(data: Data) -> Data:
    """``data`` without the records of places that are not described; ``damaged`` tells those.

    Without what is said there of missing kernels, verdicts would be refuted that are not. Where a file could not be read none
    of its places is described, and ``broken`` tells the file alone.
    """
    ranks, singles = _undescribed(data)
    if not ranks and not singles:
        return data

    def of_ranks(records: list[tuple[str, RunRecord]]) -> list[tuple[str, RunRecord]]:
        return [pair for pair in records if _backend_of(pair[1]) not in ranks]

    def of_singles(records: list[tuple[str, SingleRecord]]) -> list[tuple[str, SingleRecord]]:
        return [pair for pair in records if _device_of(pair[1]) not in singles]

    return replace(
        data,
        runs=of_ranks(data.runs),
        signed_runs=of_ranks(data.signed_runs),
        unsigned_runs=of_ranks(data.unsigned_runs),
        single_runs=of_singles(data.single_runs),
        signed_single_runs=of_singles(data.signed_single_runs),
        unsigned_single_runs=of_singles(data.unsigned_single_runs),
        damaged=[*data.damaged, *places_are_described(data)],
    )


def _undescribed(data: Data) -> tuple[dict[str, str], dict[str, str]]:
    """The backends of records of ranks and the devices of those of single calls that are not described, with one record each."""
    ranks = {f"backend {one.name} ({one.framework}, {one.device})" for one in data.backends}
    singles = {f"device {one.device} of {one.framework}" for one in data.devices}
    return (
        {place: key for key, record in data.every_run if (place := _backend_of(record)) not in ranks},
        {place: key for key, record in data.every_single_run if (place := _device_of(record)) not in singles},
    )


def _backend_of(record: RunRecord) -> str:
    return f"backend {record.backend} ({record.framework}, {record.device})"


def _device_of(record: SingleRecord) -> str:
    return f"device {record.device} of {record.framework}"
