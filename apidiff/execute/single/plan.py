"""What a run in single processes does: the samples of each mapping, made with the APIs of one framework version."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from apidiff.database import Data
from apidiff.model.mapping import Api, Mapping
from apidiff.model.ranges import status_at
from apidiff.model.sample import SampleCall, SampleForm
from apidiff.model.sample_calls import samples_of, source_call, target_call, with_extracted
from apidiff.model.version import Version
from apidiff.model.vocabulary import Execution, Status

COMPILED = frozenset({SampleForm.FUNCTION, SampleForm.METHOD, SampleForm.MODULE})
"""Forms of a sample that are a single call, which a function can be compiled of."""


@dataclass(frozen=True)
class Step:
    """One sample of one mapping, to be made with one API."""

    mapping: str
    sample: str
    call: SampleCall

    @property
    def key(self) -> tuple[str, str, str]:
        """Mapping, API and sample: what its run is known by in a record."""
        return self.mapping, self.call.api, self.sample


@dataclass(frozen=True)
class Plan:
    """The steps of one run in the order they are made, and the APIs whose signatures are recorded.

    ``graphs``: those of them that are made once more, compiled to a graph: the canonical call of each target to use now.
    """

    apis: tuple[Api, ...]
    steps: tuple[Step, ...]
    graphs: tuple[Step, ...] = ()


def make_plan(
    data: Data, framework: str, version: str, mappings: Collection[str] | None = None, *, extracted: bool = False
) -> Plan:
    """The plan for ``version`` of ``framework``: of every mapping with single execution, or of those named.

    ``extracted``: with the samples that were extracted for each source, in place of those written in the mapping.
    """
    apis: dict[str, Api] = {}
    steps: list[Step] = []
    graphs: list[Step] = []
    for key, mapping in data.mappings.items():
        if mapping.execution is not Execution.SINGLE or (mappings is not None and key not in mappings):
            continue
        sampled = with_extracted(mapping, data.extracted) if extracted else mapping
        if sampled is None:
            continue
        for api, calls in _calls(sampled, framework, version):
            apis[api.name] = api
            made = [Step(key, sample, call) for sample, call in calls]
            steps += made
            if framework == "mindspore" and not extracted and _is_compiled(mapping, api, version):
                graphs += [step for step in made[:1] if step.call.form in COMPILED]
    return Plan(tuple(apis.values()), tuple(steps), tuple(graphs))


def _is_compiled(mapping: Mapping, api: Api, version: str) -> bool:
    """Whether ``api`` is the target that ``version`` is to use."""
    return any(
        target.api.name == api.name and status_at(target, Version(version)) is Status.CURRENT
        for target in mapping.targets
    )


def _calls(mapping: Mapping, framework: str, version: str) -> Iterator[tuple[Api, list[tuple[str, SampleCall]]]]:
    """The APIs of ``framework`` that ``mapping`` speaks of at ``version``, each with the calls that its samples make."""
    if mapping.source.name.startswith(f"{framework}."):
        yield mapping.source, [(name, source_call(mapping, name)) for name in mapping.samples]
    for target in mapping.targets:
        standing = status_at(target, Version(version))
        if target.api.name.startswith(f"{framework}.") and standing not in {None, Status.REMOVED}:
            yield target.api, [(name, target_call(mapping, target, name)) for name in samples_of(mapping, target)]
