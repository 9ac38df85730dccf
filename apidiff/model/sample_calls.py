"""The calls that the samples of a mapping make: of its source, and through its rule of a target."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from collections.abc import Sequence

import msgspec

from apidiff.model.extracted_samples import ExtractedSamples
from apidiff.model.kept_for import KeptFor
from apidiff.model.mapping import Api, Mapping, Target
from apidiff.model.rule import Rule, rewrite
from apidiff.model.sample import Sample, SampleCall, SampleForm, call_of, resolve_sample
from apidiff.model.vocabulary import ApiKind

FORMS = {
    ApiKind.FUNCTION: SampleForm.FUNCTION,
    ApiKind.CLASS: SampleForm.FUNCTION,
    ApiKind.METHOD: SampleForm.METHOD,
    ApiKind.MODULE: SampleForm.MODULE,
}
"""How APIs of each kind are called in a single process."""


def rule_of(target: Target) -> Rule:
    """The rule that ``target`` says: which parameters have another name there, and which ones are written out."""
    renamed = {row.source: row.target for row in target.parameters if row.source and row.target}
    return Rule(keywords={source: name for source, name in renamed.items() if source != name}, fill=target.fill)


def with_extracted(mapping: Mapping, extracted: AbstractMapping[str, ExtractedSamples]) -> Mapping | None:
    """``mapping`` with the samples extracted for its source in place of its own; None where there are none.

    Targets that no rule calls, so that all their samples are lines of code, are left out. Where a sample says that values are
    drawn inside the call, they are in all, and none are compared.
    """
    if mapping.source.name not in extracted:
        return None
    samples = extracted[mapping.source.name].samples
    steps = any(sample.steps for sample in samples.values())  # an optimiser's are called alike, whatever is written
    targets = [target for target in mapping.targets if steps or called_by_rule(mapping, target)]
    written = [resolve_sample(mapping.samples, name) for name in mapping.samples]
    if any(sample.random or sample.unwritten for sample in [*written, *samples.values()]):
        # Their moments are those of the written samples: thousands of calls of each would tell nothing more.
        samples = {
            name: msgspec.structs.replace(sample, random=None, unwritten=True) for name, sample in samples.items()
        }
    return msgspec.structs.replace(mapping, samples=samples, targets=targets)


def called_by_rule(mapping: Mapping, target: Target) -> bool:
    """Whether a rule, and not lines of code, says how samples call ``target``."""
    written = [resolve_sample(mapping.samples, name) for name in samples_of(mapping, target)]
    return target.api.kind in FORMS and any(sample.code is None for sample in written)


def source_call(mapping: Mapping, sample: str) -> SampleCall:
    """The call that ``sample`` makes of the source. Raises SampleError where the sample is like none."""
    calls = _source_calls(mapping)
    if sample not in calls:
        calls[sample] = _call(resolve_sample(mapping.samples, sample), mapping.source, mapping.source)
    return calls[sample]


# By sample; a mapping with extracted samples is asked for some hundred calls, for each version, facet and sentence again.
_source_calls: KeptFor[Mapping, dict[str, SampleCall]] = KeptFor(lambda _mapping: {})


def samples_of(mapping: Mapping, target: Target) -> list[str]:
    """The samples that are made with ``target``.

    Where samples have lines of code for it alone, because no rule says how it is called, those are all; they are made with no
    other target.
    """
    written = {name: _only_for(mapping, name) for name in mapping.samples}
    own = [name for name, apis in written.items() if target.api.name in apis]
    return own or [name for name, apis in written.items() if not apis] or list(mapping.samples)


def _only_for(mapping: Mapping, sample: str) -> set[str]:
    """The targets that a sample has code for, where the source is not called by code too."""
    code = resolve_sample(mapping.samples, sample).code or {}
    return set() if _has_code(code, mapping.source.name) else set(code)


def target_call(mapping: Mapping, target: Target, sample: str) -> SampleCall:
    """The call that ``sample`` makes of ``target``. Raises SampleError where the sample is like none."""
    call = _call(resolve_sample(mapping.samples, sample), mapping.source, target.api)
    return (
        msgspec.structs.replace(call, api=target.api.name)
        if call.code
        else rewrite(call, rule_of(target), target.api.name)
    )


def ordinary_calls(mapping: Mapping, target: Target, sample: str | None = None) -> tuple[SampleCall, SampleCall]:
    """The calls of source and target to show as the ordinary ones, without what only compares.

    ``sample``: whose calls; None: the first one's.
    """
    name = sample or samples_of(mapping, target)[0]
    return _plain(mapping, source_call(mapping, name)), _plain(mapping, target_call(mapping, target, name))


def _plain(mapping: Mapping, call: SampleCall) -> SampleCall:
    return msgspec.structs.replace(call, code=left_out(call.code, mapping.left_out)) if call.code else call


def left_out(code: str, pieces: Sequence[str]) -> str:
    """``code`` without ``pieces``: each is a whole line, wherever it is indented to, or else a part of the text."""
    for piece in pieces:
        lines = code.splitlines()
        kept = [line for line in lines if line.strip() != piece.strip()]
        code = "\n".join(kept) if len(kept) < len(lines) else code.replace(piece.rstrip("\n"), "")
    return "\n".join(line for line in code.splitlines() if line.strip())


def code_of(code: dict[str, str], api: str) -> str:
    """The lines of ``code`` for ``api``: its own, or those of its framework. Raises KeyError where there are none."""
    return code[api] if api in code else code[api.partition(".")[0]]


def _has_code(code: dict[str, str], api: str) -> bool:
    return api in code or api.partition(".")[0] in code


def _call(sample: Sample, source: Api, api: Api) -> SampleCall:
    if sample.code is not None and _has_code(sample.code, api.name):
        return call_of(sample, source.name, SampleForm.CODE, code_of(sample.code, api.name).strip())
    return call_of(sample, source.name, SampleForm.OPTIMIZER if sample.steps else FORMS[api.kind])
