"""Snippets made of the database's own samples: ported as a user's file is, run with both frameworks, compared by facets."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from apidiff.database import Data
from apidiff.database.devices import load_devices
from apidiff.derive.sample_code import sample_code
from apidiff.execute.single.plan import Step
from apidiff.execute.single.run import CallRunner
from apidiff.judge.agreement import Pair, judge_pair
from apidiff.messages.agreements import verdict_risk
from apidiff.model.agreement import Agreement, FacetVerdict
from apidiff.model.mapping import Mapping
from apidiff.model.rule import Rule
from apidiff.model.sample import Arguments, SampleArgument, SampleCall, SampleForm, SampleInput, resolve_sample
from apidiff.model.sample_calls import source_call
from apidiff.model.vocabulary import Execution, Risk
from apidiff.porting.changes import Ported
from apidiff.porting.port_text import Porter

DEVICE = "cpu"
_RECEIVER = "receiver"


class Snippet(NamedTuple):
    """Code of PyTorch with the same code ported, and what both are given. ``ends``: the line that calls it."""

    mapping: str
    sample: str
    source: str
    ported: Ported
    call: SampleCall
    ends: str
    random: bool

    @property
    def is_verified(self) -> bool:
        """Whether all that is done with it is labelled verified."""
        return bool(self.ported.changes) and all(change.label == "verified" for change in self.ported.changes)


class Compared(NamedTuple):
    """A snippet that was run, with the verdict on each facet."""

    snippet: Snippet
    verdicts: list[FacetVerdict]

    @property
    def agrees(self) -> bool:
        """Whether every facet agrees."""
        return bool(self.verdicts) and all(verdict.agreement is Agreement.AGREES for verdict in self.verdicts)

    @property
    def silent(self) -> list[str]:
        """The facets that differ without an error."""
        return [
            verdict.facet.value for verdict in self.verdicts if verdict.facts and verdict_risk(verdict) is Risk.SILENT
        ]

    def __str__(self) -> str:
        unlike = [one.facet.value for one in self.verdicts if one.agreement is not Agreement.AGREES]
        return f"{self.snippet.mapping} {self.snippet.sample} {unlike}: {self.snippet.ported.text}"


def snippets(data: Data, porter: Porter) -> Iterator[Snippet]:
    """Make one of each written sample whose call can be written as code."""
    for key, mapping in data.mappings.items():
        if mapping.execution is Execution.SINGLE:
            for sample in mapping.samples:
                made = _snippet(key, mapping, sample, porter)
                if made is not None:
                    yield made


def chosen(found: Sequence[Snippet], count: int) -> list[Snippet]:
    """Choose ``count`` snippets: the first of every mapping, then the second, …"""
    ranked: dict[str, int] = {}
    places = []
    for place, snippet in enumerate(found):
        ranked[snippet.mapping] = ranked.get(snippet.mapping, -1) + 1
        places.append((ranked[snippet.mapping], place))
    return [found[place] for _, place in sorted(places)[:count]]


def _snippet(key: str, mapping: Mapping, sample: str, porter: Porter) -> Snippet | None:
    call = source_call(mapping, sample)
    given: dict[str, SampleArgument] = {}
    if call.receiver is not None:
        given[_RECEIVER] = call.receiver
    given |= {name: value for name, value in (call.given.args | call.given.kwargs).items() if _is_variable(value)}
    if any(_holds_tensors(value) for name, value in (call.given.args | call.given.kwargs).items() if name not in given):
        return None  # lists of tensors, whose items would need names of their own
    if call.form is SampleForm.CODE:
        source, ends = f"import torch\n{call.code}\n", ""
        given = dict(call.given.args | call.given.kwargs)
    elif call.form is SampleForm.MODULE and call.state:
        return None  # what it draws at random
    else:
        written = sample_code(call)
        if call.receiver is not None:
            written = f"{_RECEIVER}{written.removeprefix('self')}"
        parameters = ", ".join(f"{name}: torch.Tensor" for name in given)
        source = f"import torch\n\n\ndef snippet({parameters}):\n    return {written}\n"
        ends = f"snippet({', '.join(given)})"
    try:
        ast.parse(source)
    except SyntaxError:
        return None
    random = bool(resolve_sample(mapping.samples, sample).random) or "empty" in key  # memory that nobody has written
    made = SampleCall(
        api=call.api,
        form=SampleForm.CODE,
        given=Arguments(args=given),
        state=call.state if call.form is SampleForm.CODE else {},
        dtype=call.dtype,
        seed=call.seed,
    )
    return Snippet(key, sample, source, porter.port_text(source), made, ends, random)


def _is_variable(value: SampleArgument) -> bool:
    return isinstance(value, SampleInput) and value.is_tensor


def _holds_tensors(value: SampleArgument) -> bool:
    if not isinstance(value, SampleInput):
        return False
    return value.is_tensor or any(_holds_tensors(item) for item in value.list or value.tuple or ())


def compare(found: Sequence[Snippet], logs: Path) -> list[Compared]:
    """Run both sides of each snippet, each side in one process, and judge them."""
    devices = {one.framework: one for one in load_devices() if one.device == DEVICE}
    runs = {}
    for framework in ("torch", "mindspore"):
        with CallRunner(devices[framework], logs) as runner:
            for place, snippet in enumerate(found):
                text = snippet.source if framework == "torch" else snippet.ported.text
                api = snippet.call.api if framework == "torch" else "mindspore.Tensor"
                call = _with_code(snippet, api, f"{text}\n{snippet.ends}".strip())
                step = Step(snippet.mapping, snippet.sample, call)
                runs[framework, place] = runner.run([step], lambda _: None)[step.key]
    patterns = devices["mindspore"].unsupported_patterns
    return [
        Compared(
            snippet,
            judge_pair(
                Pair(
                    snippet.sample,
                    runs["torch", place],
                    runs["mindspore", place],
                    Rule(),
                    patterns,
                    random=snippet.random,
                )
            ),
        )
        for place, snippet in enumerate(found)
    ]


def _with_code(snippet: Snippet, api: str, code: str) -> SampleCall:
    call = snippet.call
    return SampleCall(
        api=api, form=call.form, given=call.given, state=call.state, dtype=call.dtype, seed=call.seed, code=code
    )
