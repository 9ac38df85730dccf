"""`apidiff verify ID --sample NAME`: makes one sample with both frameworks, and prints what each gives and how they compare."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from apidiff.cli.json_output import json_line
from apidiff.cli.output import Terminal
from apidiff.database import Data
from apidiff.derive.sample_code import sample_code, sample_inputs
from apidiff.errors import ApidiffError
from apidiff.execute.state_folder import state_folder
from apidiff.judge.recorded_values import content_of, show, show_numbers
from apidiff.messages.escape_invisible import unbroken
from apidiff.messages.evidence import evidence_lines
from apidiff.model.agreement import Agreement, Facet, FacetVerdict
from apidiff.model.mapping import Mapping
from apidiff.model.sample_calls import source_call, with_extracted
from apidiff.model.sample_run import SampleRun
from apidiff.model.trace import SequenceDump, TensorDump, Value
from apidiff.model.vocabulary import Execution
from apidiff.verification.repeat import RepeatedSample, RepeatedTarget, repeat_sample
from apidiff.verification.samples import devices_here

_SHOWN = 16  # elements of a tensor


def show_sample(data: Data, args: argparse.Namespace) -> int:
    """Make the sample that ``args`` name and print both results. Return 1 where a verdict is not what is recorded.

    Raises ApidiffError where not exactly one mapping with samples is named, and for options that it does not heed.
    """
    if len(args.ids) != 1 or not data.mappings[args.ids[0]].samples:
        raise ApidiffError(
            "verify: --sample is about one mapping whose calls need no ranks. Name it before the option."
        )
    if args.record:
        raise ApidiffError("verify: a run record holds all samples of a mapping. Leave out --sample, or --record.")
    _refuse_others(args)
    mapping = data.mappings[args.ids[0]]
    extracted = _is_extracted(data, mapping, args)
    repeated = repeat_sample(
        data, mapping.id, args.sample, devices_here(), state_folder() / "logs", extracted=extracted
    )
    sampled = (with_extracted(mapping, data.extracted) if extracted else None) or mapping
    if args.json:
        plain = _plain(repeated, args.sample, "extracted" if extracted else "")
        sys.stdout.buffer.write(json_line(plain, indent=2))
    else:
        console = Terminal()
        for line in sample_lines(sampled, args.sample, repeated):
            console.print(unbroken(line), soft_wrap=True)
    return 1 if any(target.changed for target in repeated.targets) else 0


def _refuse_others(args: argparse.Namespace) -> None:
    """Refuse options that choose among what is not made: the answer would pass for one of the backend, say."""
    others = [
        ("--backend", args.backend),
        ("--framework", args.framework),
        ("--execution", args.execution == Execution.COLLECTIVE.value),
        ("--device", args.device != "cpu"),
        ("--world-size", args.world_size),
        ("--measured-by", args.measured_by),
    ]
    for option, given in others:
        if given:
            raise ApidiffError(
                f"verify: --sample makes one call with both frameworks on the CPU, whatever {option} says. Leave it out."
            )


def _is_extracted(data: Data, mapping: Mapping, args: argparse.Namespace) -> bool:
    """Whether the sample is one of PyTorch's own tests. Raises ApidiffError where a written one has the same name."""
    if args.inputs is not None:
        return bool(args.inputs == "extracted")
    whole = data.extracted.get(mapping.id)
    if args.sample in mapping.samples and whole is not None and args.sample in whole.samples:
        raise ApidiffError(
            f"verify: {mapping.id} has two samples {args.sample!r}. Say which: --inputs written, that of the record, "
            "or --inputs extracted, that of PyTorch's own tests."
        )
    return args.sample not in mapping.samples


def sample_lines(mapping: Mapping, sample: str, repeated: RepeatedSample) -> Iterator[str]:
    """The call as one types it, what it is given, and what each framework gave."""
    call = source_call(mapping, sample)
    yield from sample_code(call).splitlines()
    if given := sample_inputs(call):
        yield f"  with {given.replace('`', '')}"
    yield ""
    yield f"PyTorch {repeated.version}"
    yield from (f"  {line}" for line in _shown(repeated.source))
    for target in repeated.targets:
        yield f"{target.target} (MindSpore {target.version}, {target.device})"
        yield from (f"  {line}" for line in [*_shown(target.run), *verdict_lines(target)])


def _shown(run: SampleRun) -> Iterator[str]:
    """What a call gave: what it returned and wrote, or what it raised, or that it gave no answer."""
    if run.trace is None:
        yield f"{run.end}: {' / '.join(run.log)}"
        return
    trace = run.trace
    if trace.error is not None:
        yield f"raises {trace.error.type}: {trace.error.first_line}"
        return
    yield f"returns {_value(trace.returned)}"
    for name, value in trace.after.items():
        if name in trace.before and content_of(trace.before[name]) != content_of(value):
            yield f"writes {name}: {_value(value)}"
    for name, gradient in trace.gradients.items():
        yield f"gradient of {name}: {_value(gradient)}"


def _value(value: Value | None) -> str:
    """A recorded value: of a tensor its dtype, its shape and its first elements, row by row."""
    if isinstance(value, TensorDump):
        more = ", …" if len(value.values) > _SHOWN else ""
        return f"{value.dtype} {tuple(value.shape)} {show_numbers(value.values[:_SHOWN])[:-1]}{more}]"
    if isinstance(value, SequenceDump):
        return f"{value.type} of {len(value.items)}: {'; '.join(map(_value, value.items))}"
    return show(value)


def verdict_lines(target: RepeatedTarget) -> Iterator[str]:
    """The facets that do not agree, with what shows it, and whether that is what is recorded."""
    apart = [verdict for verdict in target.verdicts if verdict.agreement is not Agreement.AGREES]
    for verdict in apart:
        if verdict.facet is Facet.ERROR or verdict.agreement is not Agreement.UNSUPPORTED:
            yield f"{verdict.facet.value} {verdict.agreement.value}: {'; '.join(evidence_lines(verdict.facts, 'en'))}"
    if not apart:
        yield "agrees in every facet"
    if not target.recorded:
        yield "nothing is recorded of this version"
        return
    now = {verdict.facet: verdict.agreement for verdict in target.verdicts}
    luck = [one for one in target.recorded if one.facet in now and one.agreement is not now[one.facet]]
    if target.changed or not luck:
        yield "not what is recorded" if target.changed else "as recorded"
    for verdict in [] if target.changed else luck:
        recorded = f"{verdict.facet.value} {verdict.agreement.value}: {'; '.join(evidence_lines(verdict.facts, 'en'))}"
        yield f"recorded: {recorded}; it comes out either way: run again"


def _plain(repeated: RepeatedSample, sample: str, inputs: str) -> dict[str, object]:
    """What came of it for JSON."""
    return {
        "sample": sample,
        "inputs": inputs,
        "source": {"version": repeated.version, "run": repeated.source},
        "targets": [
            {
                "target": target.target,
                "version": target.version,
                "device": target.device,
                "run": target.run,
                "verdicts": _told(target.verdicts),
                "recorded": _told(target.recorded),
                "changed": target.changed,
            }
            for target in repeated.targets
        ],
    }


def _told(verdicts: Sequence[FacetVerdict]) -> dict[str, str]:
    return {verdict.facet.value: verdict.agreement.value for verdict in verdicts}
