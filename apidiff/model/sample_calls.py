"""The calls that the samples of a mapping make: of its source, and through its rule of a target."""

from __future__ import annotations

from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.rule import Rule, rewrite
from apidiff.model.sample import SampleCall, SampleForm, call_of, resolve_sample
from apidiff.model.vocabulary import ApiKind

FORMS = {
    ApiKind.FUNCTION: SampleForm.FUNCTION,
    ApiKind.METHOD: SampleForm.METHOD,
    ApiKind.MODULE: SampleForm.MODULE,
}
"""How APIs of each kind are called in a single process."""


def rule_of(target: Target) -> Rule:
    """The rule that the rows of ``target`` say: which parameters have another name there."""
    renamed = {row.source: row.target for row in target.parameters if row.source and row.target}
    return Rule(keywords={source: name for source, name in renamed.items() if source != name})


def source_call(mapping: Mapping, sample: str) -> SampleCall:
    """The call that ``sample`` makes of the source. Raises SampleError where the sample is like none."""
    return call_of(resolve_sample(mapping.samples, sample), mapping.source.name, _form(mapping.source))


def target_call(mapping: Mapping, target: Target, sample: str) -> SampleCall:
    """The call that ``sample`` makes of ``target``. Raises SampleError where the sample is like none."""
    call = call_of(resolve_sample(mapping.samples, sample), mapping.source.name, _form(target.api))
    return rewrite(call, rule_of(target), target.api.name)


def _form(api: Api) -> SampleForm:
    return FORMS[api.kind]
