"""Finds returned tensors whose shape or dtype is another one than the docstring says: 'has the same shape as `input`'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from apidiff.database import Data
from apidiff.database.single_runs import SingleTraces
from apidiff.model.mapping import Mapping, Target
from apidiff.model.sample_calls import samples_of, source_call, target_call
from apidiff.model.sample_run import SampleTrace
from apidiff.model.signature import SignatureFile
from apidiff.model.trace import TensorDump
from apidiff.model.vocabulary import Execution


class ReturnedOtherwise(NamedTuple):
    """A sample that returned another ``what`` (shape or dtype) than that of the argument ``name``, which the docstring names."""

    mapping: str
    target: str
    sample: str
    what: str
    name: str
    argument: str
    returned: str


def returned_otherwise(data: Data, release: SignatureFile) -> Iterator[ReturnedOtherwise]:
    """List what samples of the MindSpore ``release`` returned otherwise on the CPU: of each statement the first sample."""
    traces = data.traces()
    for mapping in data.mappings.values():
        for target in mapping.targets if mapping.execution is Execution.SINGLE else []:
            signature = release.apis.get(target.api.name)
            for what, name in signature.returned_like.items() if signature else ():
                if found := _first(mapping, target, traces, release.version, what, name):
                    yield found


def _first(
    mapping: Mapping, target: Target, traces: SingleTraces, version: str, what: str, name: str
) -> ReturnedOtherwise | None:
    for sample in samples_of(mapping, target):
        given = target_call(mapping, target, sample).given
        if "dtype" in {*given.args, *given.kwargs}:  # asks for another one
            continue
        trace = _trace(mapping, target, sample, traces, version)
        argument = trace.before.get(name) if trace else None
        returned = trace.returned if trace else None
        if not isinstance(argument, TensorDump) or not isinstance(returned, TensorDump):
            continue
        expected, found = (_told(dump, what) for dump in (argument, returned))
        if expected != found:
            return ReturnedOtherwise(mapping.id, target.api.name, sample, what, name, expected, found)
    return None


def _trace(mapping: Mapping, target: Target, sample: str, traces: SingleTraces, version: str) -> SampleTrace | None:
    """The trace of ``target``; of a run that agreed the source's, which is the same in shapes and dtypes."""
    found = traces.find("mindspore", version, "cpu", mapping.id, target_call(mapping, target, sample).digest)
    if found is None or not found[1].agrees:
        return found[1].trace if found else None
    for source_version, device in traces.places("torch"):
        source = traces.find("torch", source_version, device, mapping.id, source_call(mapping, sample).digest)
        if device == "cpu" and source is not None:
            return source[1].trace
    return None


def _told(dump: TensorDump, what: str) -> str:
    return str(tuple(dump.shape)) if what == "shape" else dump.dtype
