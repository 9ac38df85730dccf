"""Compares the inputs that a run recorded with those that its probes would be given today.

A probe's digest says what is called with which shapes, dtypes and layouts, not with which numbers, and not what is recorded of
the memory around a part. Where the code that makes or dumps inputs has changed since, a trace answers another question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apidiff.judge.made_traces import untouched_run
from apidiff.judge.recorded_values import tensors
from apidiff.model.mapping import Api
from apidiff.model.probe_resolution import collective_of
from apidiff.model.trace import ProbeRun, RunRecord, TensorDump


def given_otherwise(record: RunRecord, apis: Iterable[Api]) -> Iterator[ProbeRun]:
    """Finds the probes of ``record`` that some rank was given other numbers for, or of which less was recorded, than today."""
    known = {api.name: api for api in apis}
    for run in record.probes:
        api = known.get(run.api)
        if api is not None and run.probe in collective_of(api).probes and _differs(run, api, record.world_size):
            yield run


def _differs(run: ProbeRun, api: Api, world_size: int) -> bool:
    today = {trace.rank: trace.before for trace in untouched_run(api, run.probe, world_size).ranks}
    return any(
        _numbers(dump) != _numbers(made)
        for trace in run.ranks
        for name, value in trace.before.items()
        if name in today[trace.rank]
        for dump, made in zip(tensors(value), tensors(today[trace.rank][name]), strict=False)
    )


def _numbers(tensor: TensorDump) -> tuple[list[str], list[str] | None]:
    """The values of a tensor and, where it is a part of a larger one, those of that."""
    return _texts(tensor.values), _texts(tensor.buffer.values) if tensor.buffer else None


def _texts(values: Iterable[complex | str]) -> list[str]:
    # A record holds complex numbers as text.
    return [str(complex(value)) for value in values]
